/**
 * Checks that other accounts can neither write a folder nor put another one in its place, through any folder above it,
 * as sshd does with StrictModes (sshd_config(5)).
 */
import { chmodSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attempt } from '../../shared/attempt.js'
import { readText } from '../system-files.js'

/** @import { Stats } from 'node:fs' */

/**
 * @typedef {{ path: string, fault: 'owner' | 'mode' }} UnsafeFolder owner: it belongs to an account that is not
 * trusted; mode: accounts that are not trusted can write it
 */

const OTHERS_MAY_WRITE = 0o022
const GROUP_MAY_WRITE = 0o020
/** In a folder with this bit, such as /tmp, an account can move and remove only its own files. */
const STICKY = 0o1000
const project = fileURLToPath(new URL('../../..', import.meta.url))

/**
 * Accounts that could replace the suite itself, and are trusted for that reason.
 * @type {Set<number | undefined> | undefined}
 */
let accounts
const trusted = () => (accounts ??= new Set([process.geteuid?.(), 0, statSync(project).uid, ...unmapped()]))

/**
 * Returns the account that stands for all others in a user namespace, where their files, root's too, belong to it
 * (user_namespaces(7)). The enclosure has excluded the folders of other accounts before it entered the namespace.
 */
function unmapped () {
  const map = readText('/proc/self/uid_map').trim()
  return map === '' || map.endsWith('4294967295') ? [] : [Number(readText('/proc/sys/kernel/overflowuid'))]
}

/** Returns whether only trusted accounts can write a file or a folder. @param {Stats} found */
export const isSafe = found =>
  trusted().has(found.uid) && (found.isSymbolicLink() || (found.mode & OTHERS_MAY_WRITE) === 0)

/**
 * @param {string} folder
 * @returns {boolean} whether only this account, root and the project's owner can write or replace the folder
 */
export const isSafeFolder = folder => attempt(() => {
  const found = statSync(folder)
  return found.isDirectory() && isSafe(found) && findUnsafeParent(folder) === null
}, () => false)

/**
 * Finds a folder above a folder, or on the way of a symbolic link to it, in which other accounts could replace it.
 * @param {string} folder which need not exist: then the existing folders above it are checked
 * @returns {UnsafeFolder | null} null: all are safe
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

/** @returns {string} the path itself, or the nearest folder above it that exists */
const findExisting = (/** @type {string} */ path) => existsSync(path) ? path : findExisting(dirname(path))

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

function canOthersReplace (/** @type {Stats} */ found) {
  const writers = found.mode & OTHERS_MAY_WRITE
  if (writers === 0 || found.mode & STICKY) return false
  return writers !== GROUP_MAY_WRITE || !isPrivateGroup(found)
}

/**
 * Returns whether a group has the number of the owner and no other members, as Debian, Ubuntu and Fedora give one to
 * each account. Ubuntu lets this group write all new folders.
 * @param {Stats} found
 */
const isPrivateGroup = ({ uid, gid }) =>
  uid === gid && new RegExp(`^[^:\\n]*:[^:\\n]*:${gid}:$`, 'm').test(readText('/etc/group'))

/** Removes write permissions of other accounts from a file or folder of this account. */
export function closeToOthers (/** @type {string} */ path) {
  const { mode, uid } = statSync(path)
  if (uid === process.geteuid?.() && mode & OTHERS_MAY_WRITE) chmodSync(path, mode & 0o7777 & ~OTHERS_MAY_WRITE)
}
