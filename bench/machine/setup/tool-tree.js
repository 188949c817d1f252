/** Checks that a folder of programs is unchanged since it was fetched, and that other accounts cannot write it. */
import { createHash } from 'node:crypto'
import {
  chmodSync, closeSync, fsyncSync, lstatSync, openSync, readFileSync, readdirSync, readlinkSync, statSync
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attempt } from '../../shared/attempt.js'
import { run } from '../process.js'
import { readText } from '../system-files.js'

/** @import { Stats } from 'node:fs' */

const WRITTEN_LATER = '__pycache__' // Python writes these folders while it runs.
const OTHERS_MAY_WRITE = 0o022
const SYNC_SECONDS = 120
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

const isSafe = (/** @type {Stats} */ found) =>
  trusted().has(found.uid) && (found.isSymbolicLink() || (found.mode & OTHERS_MAY_WRITE) === 0)

/**
 * @param {string} folder
 * @returns {boolean} whether only this account, root and the project's owner can write the folder
 */
export const isSafeFolder = folder => attempt(() => {
  const found = statSync(folder)
  return found.isDirectory() && isSafe(found)
}, () => false)

/**
 * Removes write permissions of other accounts, which a permissive umask or a package may have set.
 * @param {string} root
 */
export function closeTree (root) {
  closeToOthers(root)
  for (const { path, found } of entriesIn(root)) if (!found.isSymbolicLink()) closeToOthers(join(root, path))
}

export function closeToOthers (/** @type {string} */ path) {
  const { mode, uid } = statSync(path)
  if (uid === process.geteuid?.() && mode & OTHERS_MAY_WRITE) chmodSync(path, mode & 0o7777 & ~OTHERS_MAY_WRITE)
}

/**
 * @param {string} root
 * @returns {string} SHA-256 over names, kinds and contents of all files
 */
export const computeDigest = root => digest(root, entriesIn(root))

/** Trees that this process has checked: the digest and the state of all files by root. @type {Map<string, string>} */
const whole = new Map()

/**
 * @param {string} root
 * @param {string | undefined} expected digest
 */
export function isWholeTree (root, expected) {
  try {
    const entries = entriesIn(root)
    if (![lstatSync(root), ...entries.map(({ found }) => found)].every(isSafe)) return false
    const seen = createHash('sha256')
    for (const { path, found } of entries) seen.update(`${path} ${found.ino} ${found.size} ${found.ctimeMs}\n`)
    const state = `${expected} ${seen.digest('hex')}`
    if (whole.get(root) === state) return true
    if (digest(root, entries) !== expected) return false
    whole.set(root, state)
    return true
  } catch {
    return false
  }
}

function digest (/** @type {string} */ root, /** @type {{ path: string, found: Stats }[]} */ entries) {
  const all = createHash('sha256')
  for (const { path, found } of entries) {
    const content = found.isSymbolicLink()
      ? `-> ${readlinkSync(join(root, path))}`
      : found.isFile() ? createHash('sha256').update(readFileSync(join(root, path))).digest('hex') : ''
    all.update(`${JSON.stringify(path)} ${found.mode & 0o111 ? 'x' : '-'} ${content}\n`)
  }
  return all.digest('hex')
}

/**
 * @param {string} root
 * @param {string} [below]
 * @returns {{ path: string, found: Stats }[]} in a fixed order
 */
function entriesIn (root, below = '') {
  return readdirSync(join(root, below)).sort().filter(name => name !== WRITTEN_LATER).flatMap(name => {
    const path = join(below, name)
    const found = lstatSync(join(root, path))
    return [{ path, found }, ...found.isDirectory() ? entriesIn(root, path) : []]
  })
}

/** Syncs a tree, because a complete fetch must survive a crash. @param {string} root */
export async function syncTree (root) {
  const { exit } = await run(['sync', '--file-system', root], { timeoutSeconds: SYNC_SECONDS })
  if (exit === 0) return
  // coreutils before 8.24 and others lack this option. Sync each file instead.
  for (const { path, found } of entriesIn(root)) {
    if (found.isSymbolicLink()) continue
    const fd = openSync(join(root, path), 'r')
    fsyncSync(fd)
    closeSync(fd)
  }
}
