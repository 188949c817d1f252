/** A folder of programs that are run: whether it is still as it was fetched, and nobody else can have changed it. */
import { createHash } from 'node:crypto'
import {
  chmodSync, closeSync, fsyncSync, lstatSync, openSync, readFileSync, readdirSync, readlinkSync, statSync
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '../process.js'

/** @import { Stats } from 'node:fs' */
/** @typedef {{ path: string, found: Stats }} Entry path: relative */

const WRITTEN_LATER = '__pycache__' // Python writes these while it runs.
const OTHERS_MAY_WRITE = 0o022
const SYNC_SECONDS = 120
const project = fileURLToPath(new URL('../../..', import.meta.url))

/** Accounts that could put anything in the suite's place anyway. @type {Set<number | undefined> | undefined} */
let accounts
const trusted = () => (accounts ??= new Set([process.geteuid?.(), 0, statSync(project).uid, ...unmapped()]))

/**
 * In a user namespace the files of all other accounts, root's too, belong to this one (user_namespaces(7)). The
 * enclosure has left out the folders of strangers before it made that namespace.
 */
function unmapped () {
  try {
    if (readFileSync('/proc/self/uid_map', 'utf8').trim().endsWith('4294967295')) return []
    return [Number(readFileSync('/proc/sys/kernel/overflowuid', 'utf8'))]
  } catch {
    return []
  }
}

const isSafe = (/** @type {Stats} */ found) =>
  trusted().has(found.uid) && (found.isSymbolicLink() || (found.mode & OTHERS_MAY_WRITE) === 0)

/**
 * @param {string} folder
 * @returns {boolean} whether only this account, root and the project's owner can write there
 */
export function isSafeFolder (folder) {
  try {
    const found = statSync(folder)
    return found.isDirectory() && isSafe(found)
  } catch {
    return false
  }
}

/** Takes from others what a generous umask or a package has given them. @param {string} root */
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
 * @returns {string} SHA-256 over the names, kinds and contents of all that lies in it
 */
export const digestOf = root => digest(root, entriesIn(root))

/** Found whole by this process: root → its digest, and by what a change would show. @type {Map<string, string>} */
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

function digest (/** @type {string} */ root, /** @type {Entry[]} */ entries) {
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
 * @returns {Entry[]} in an order that is always the same
 */
function entriesIn (root, below = '') {
  return readdirSync(join(root, below)).sort().filter(name => name !== WRITTEN_LATER).flatMap(name => {
    const path = join(below, name)
    const found = lstatSync(join(root, path))
    return [{ path, found }, ...found.isDirectory() ? entriesIn(root, path) : []]
  })
}

/** A fetch that is called whole must be on the disk. @param {string} root */
export async function syncTree (root) {
  const { exit } = await run(['sync', '--file-system', root], { timeoutSeconds: SYNC_SECONDS })
  if (exit === 0) return
  // coreutils before 8.24 and others know no such option: then one by one.
  for (const { path, found } of entriesIn(root)) {
    if (found.isSymbolicLink()) continue
    const fd = openSync(join(root, path), 'r')
    fsyncSync(fd)
    closeSync(fd)
  }
}
