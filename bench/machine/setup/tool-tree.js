/** Checks that a folder of programs is unchanged since it was fetched, and that other accounts cannot write it. */
import { createHash } from 'node:crypto'
import {
  closeSync, fsyncSync, lstatSync, openSync, readFileSync, readdirSync, readlinkSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../shared/attempt.js'
import { sha256 } from '../../shared/sha256.js'
import { readText } from '../files/system-files.js'
import { closeToOthers, isSafe } from './safe-folder.js'

/** @import { Stats } from 'node:fs' */

const SYNC_SECONDS = 120 // A file system with many unwritten pages of others. Each file is synced alone afterwards.
/** Differs after each start of the system (random(4)). */
const BOOT = '/proc/sys/kernel/random/boot_id'

/**
 * Removes write permissions of other accounts, which a permissive umask or a package may have set.
 * @param {string} root
 */
export function closeTree (root) {
  closeToOthers(root)
  for (const { path, found } of entriesIn(root)) if (!found.isSymbolicLink()) closeToOthers(join(root, path))
}

/**
 * @param {string} root
 * @returns {string} SHA-256 over names, kinds and contents of all files, Python's bytecode included
 */
export const computeDigest = root => digest(root, entriesIn(root))

/** Trees that this process has checked: the state of all files by root. @type {Map<string, string>} */
const whole = new Map()

/**
 * Returns whether a tree has the expected digest and is closed to others. Files are read again only if one of them has
 * changed since the last check: its inode, its size, or the time of the last change, which no program can set. After a
 * start of the system they are read again, too, because a loss of power can damage what was not yet on the disk.
 * @param {string} root
 * @param {string | undefined} expected digest
 * @param {string} [checkedFile] keeps the state at the last check for other processes, where this account can write it
 */
export function isWholeTree (root, expected, checkedFile) {
  try {
    const entries = entriesIn(root)
    if (![lstatSync(root), ...entries.map(({ found }) => found)].every(isSafe)) return false
    const seen = createHash('sha256')
    for (const { path, found } of entries) seen.update(`${path} ${found.ino} ${found.size} ${found.ctimeMs}\n`)
    const boot = readText(BOOT).trim()
    const state = `${boot} ${expected} ${seen.digest('hex')}`
    if (whole.get(root) === state) return true
    const kept = boot === '' ? undefined : checkedFile
    const isKnown = kept !== undefined && readText(kept) === state
    if (!isKnown && digest(root, entries) !== expected) return false
    whole.set(root, state)
    if (kept !== undefined && !isKnown) attempt(() => writeFileSync(kept, state), () => {})
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
      : found.isFile() ? sha256(readFileSync(join(root, path))) : ''
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
  return readdirSync(join(root, below)).sort().flatMap(name => {
    const path = join(below, name)
    const found = lstatSync(join(root, path))
    return [{ path, found }, ...found.isDirectory() ? entriesIn(root, path) : []]
  })
}

/** Syncs a tree, because a complete fetch must survive a crash. @param {string} root */
export async function syncTree (root) {
  // Loaded here, because most starts only look at a tree, and execa has more than a hundred modules.
  const { run } = await import('../process.js')
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
