/**
 * Checks that other accounts can neither write a folder nor replace it by another one, which requires write permission
 * in a folder above it. sshd checks the same with StrictModes (sshd_config(5)).
 */
import { chmodSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attempt } from '../../shared/attempt.js'
import { readText } from '../files/system-files.js'

/** @import { Stats } from 'node:fs' */

const OTHERS_MAY_WRITE = 0o022
const GROUP_MAY_WRITE = 0o020
/** In a folder with this bit, such as /tmp, an account can move and remove only its own files. */
const STICKY = 0o1000
const project = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Trusted accounts: this one, root and the owner of the project. Each could replace the suite itself. Computed on first
 * use.
 * @type {Set<number | undefined> | undefined}
 */
let accounts
const trusted = () => (accounts ??= new Set([process.geteuid?.(), 0, statSync(project).uid, ...unmapped()]))

/**
 * Returns the overflow account in a user namespace with unmapped accounts. Files of all unmapped accounts, root's
 * included, appear to belong to it (user_namespaces(7)), so root's folders can be accepted only together with those of
 * all others. The enclosure excludes unsafe cache folders before it enters its namespace (withoutUnsafeFolders()).
 */
function unmapped () {
  const map = readText('/proc/self/uid_map').trim()
  return map === '' || map.endsWith('4294967295') ? [] : [Number(readText('/proc/sys/kernel/overflowuid'))]
}

/** Returns whether only trusted accounts can write a file or a folder. @param {Stats} found */
export const isSafe = found =>
  trusted().has(found.uid) && (found.isSymbolicLink() || (found.mode & OTHERS_MAY_WRITE) === 0)

/**
 * Returns whether only trusted accounts can write or replace a folder.
 * @param {string} folder
 * @returns {boolean} false also for a folder that is missing or unreadable
 */
export const isSafeFolder = folder => attempt(() => {
  const found = statSync(folder)
  return found.isDirectory() && isSafe(found) && findUnsafeParent(folder) === null
}, () => false)

/**
 * Finds a folder in which other accounts could replace the given folder: one above it, or one through which a symbolic
 * link in its path leads.
 * @param {string} folder if it does not exist, the existing folders above it are checked
 * @returns {{ path: string, fault: 'owner' | 'mode' } | null} owner: it belongs to an account that is not trusted;
 * mode: accounts that are not trusted can write it; null: all are safe
 */
export function findUnsafeParent (folder) {
  const existing = findExisting(resolve(folder))
  const steps = listSteps(existing)
  const parents = existing === resolve(folder) ? steps.slice(0, -1) : steps
  for (const { path, found } of parents) {
    if (!trusted().has(found.uid)) return { path, fault: 'owner' }
    if (!found.isSymbolicLink() && canOthersReplace(found)) return { path, fault: 'mode' }
  }
  return null
}

/**
 * Returns the path itself if it exists, otherwise the nearest folder above it that exists.
 * @param {string} path absolute
 * @returns {string}
 */
const findExisting = path => existsSync(path) ? path : findExisting(dirname(path))

/**
 * Lists the folders and symbolic links that lead to a path, in the order in which the kernel follows them.
 * @param {string} path absolute
 * @returns {{ path: string, found: Stats }[]} the last one is the folder itself
 */
function listSteps (path) {
  const parent = dirname(path)
  const above = parent === path ? [] : listSteps(parent)
  const found = lstatSync(path)
  const target = found.isSymbolicLink() ? listSteps(resolve(realpathSync(parent), readlinkSync(path))) : []
  return [...above, { path, found }, ...target]
}

/**
 * Returns whether other accounts can replace an entry of a folder.
 * @param {Stats} found of the folder
 */
function canOthersReplace (found) {
  const writers = found.mode & OTHERS_MAY_WRITE
  if (writers === 0 || found.mode & STICKY) return false
  return writers !== GROUP_MAY_WRITE || !isPrivateGroup(found)
}

/**
 * Returns whether the group of a folder has the number of its owner and no members in /etc/group. Debian, Ubuntu and
 * Fedora create such a group for each account, and Ubuntu's umask lets it write all new folders.
 * @param {Stats} found
 */
const isPrivateGroup = ({ uid, gid }) =>
  uid === gid && new RegExp(`^[^:\\n]*:[^:\\n]*:${gid}:$`, 'm').test(readText('/etc/group'))

/** Removes write permissions of other accounts from a file or folder of this account. */
export function closeToOthers (/** @type {string} */ path) {
  const { mode, uid } = statSync(path)
  if (uid === process.geteuid?.() && mode & OTHERS_MAY_WRITE) chmodSync(path, mode & 0o7777 & ~OTHERS_MAY_WRITE)
}
