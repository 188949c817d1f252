/**
 * Temporary folders. Each start of the suite has a root folder with a note of its owner, so that the next start can
 * remove the folder of a killed one. The roots are in folders that any account may write, so existing files are not
 * trusted. Unix sockets are created in them, so paths must be short.
 */
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { getErrorCode, HopbenchError } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { describeFileError } from './file-failures.js'
import { isRunning, ownOwner } from '../setup/owner.js'
import { isOfThisAccount, readPlainFile } from './plain-files.js'
import { listNames } from './system-files.js'

/** @import { Stats } from 'node:fs' */

const PREFIX = 'hopbench-'
/** tmpfs of Linux that any account may write. Containers have 64 MiB there, or none. */
const MEMORY = '/dev/shm'
const TMPFS_MAGIC = 0x01021994 // statfs(2)
const ENOUGH_MEMORY = 32 * 1024 * 1024
const MAX_SOCKET_PATH = 107 // sun_path holds 108 bytes with its closing zero (unix(7)).
const MAX_TAIL = 30 // Longest path below the root: "/12/control/12-4194304.sock".
/** Limits of a note in a root. */
const OWNER = {
  maxBytes: 256,
  findFault: (/** @type {Stats} */ stats) => isOfThisAccount(stats) ? null : 'it belongs to another account'
}
const COUNTERPART = 'memory' // Note in a root with the path of its folder on tmpfs.

/**
 * @returns {{ path: string, remove: () => void }}
 * @throws {HopbenchError} socket-path-too-long, temp-not-writable
 */
export function makeTempRoot () {
  const given = process.env.HOPBENCH_TEMP
  if (given) return { path: given, remove: () => {} }
  let path
  try {
    removeOrphans()
    path = mkdtempSync(join(tmpdir(), PREFIX))
    const { pid, started, namespace } = ownOwner()
    writeOwner(path, `${pid} ${started} ${namespace}`)
  } catch (error) {
    // A full disk can have space for a folder and none for a file.
    if (path) rmSync(path, { recursive: true, force: true })
    throw new HopbenchError('temp-not-writable', { dir: tmpdir(), why: describeFileError(error) })
  }
  const longest = Buffer.byteLength(path) + MAX_TAIL
  if (longest > MAX_SOCKET_PATH) {
    rmSync(path, { recursive: true })
    throw new HopbenchError('socket-path-too-long', { path: `${path}/…`, bytes: longest, limit: MAX_SOCKET_PATH })
  }
  roots.add(path)
  return { path, remove: () => removeRoot(path) }
}

/** Roots that this process removes when it exits. @type {Set<string>} */
const roots = new Set()
process.on('exit', () => { for (const path of roots) removeRoot(path) })

function removeRoot (/** @type {string} */ path) {
  roots.delete(path)
  const counterpart = readOwn(join(path, COUNTERPART))
  for (const folder of counterpart ? [counterpart, path] : [path]) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/**
 * Creates a folder on tmpfs, for files that must not wait for a disk.
 * @param {string} dir of makeTempDir()
 * @returns {string | null} null: there is no usable tmpfs
 */
export function memoryDir (dir) {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY)
    if (type !== TMPFS_MAGIC || bavail * bsize < ENOUGH_MEMORY) return null
    const counterpart = getCounterpart(findRoot(dir))
    // Other accounts can pass through the parent folder but not list it, so they cannot guess this name.
    const made = mkdtempSync(join(counterpart, 'm-'))
    chmodSync(made, getPermissions(counterpart))
    return made
  } catch {
    return null
  }
}

/** Returns the folder on tmpfs that belongs to a root, as accessible to others as the root. @param {string} root */
function getCounterpart (root) {
  // The owner is the outer process, which removes both folders.
  const owner = readOwn(join(root, 'owner'))
  if (!owner) throw new Error(`${root} has no owner`)
  const known = readOwn(join(root, COUNTERPART))
  if (known) return known
  const made = mkdtempSync(join(MEMORY, PREFIX))
  try {
    writeOwner(made, owner)
    chmodSync(made, getPermissions(root))
    writeFileSync(join(root, COUNTERPART), made, { mode: 0o600, flag: 'wx' })
    return made
  } catch (error) {
    // Without the note of its owner no later start would remove the folder.
    rmSync(made, { recursive: true, force: true })
    throw error
  }
}

/** Returns the temporary root that contains a folder. @param {string} dir */
function findRoot (dir) {
  for (let folder = dirname(dir); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder).startsWith(PREFIX)) return folder
  }
  throw new Error(`${dir} is in no temporary root`)
}

/** Lets other accounts reach a folder without listing the folders above. @param {string} dir in a temporary root */
export function letOthersPass (dir) {
  const root = findRoot(dir)
  for (let folder = dir; folder !== root;) chmodSync(folder = dirname(folder), 0o711)
}

const getPermissions = (/** @type {string} */ folder) => statSync(folder).mode & 0o777

/**
 * Creates the folder of one topology below the root. Other accounts can enter it only where letOthersPass() has opened
 * the root, and cannot list it.
 */
export function makeTempDir (/** @type {string} */ root, /** @type {string} */ name) {
  const dir = join(root, name)
  makeOwn(dir, 0o711)
  makeOwn(join(dir, 'control'), 0o700)
  return dir
}

/**
 * Creates a folder, or accepts an existing one of this account.
 * @param {string} folder
 * @param {number} mode
 */
function makeOwn (folder, mode) {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    if (getErrorCode(error) !== 'EEXIST' || !isOwnFolder(folder)) throw error
  }
}

/** Removes the folders of this account whose owners have ended. */
function removeOrphans () {
  for (const path of [tmpdir(), MEMORY].flatMap(findRoots)) {
    const [pid, started, namespace] = readOwn(join(path, 'owner'))?.split(' ') ?? []
    if (namespace === undefined || isRunning({ pid: Number(pid), started, namespace }) !== false) continue
    // After a failure the next start tries again.
    attempt(() => rmSync(path, { recursive: true, force: true }), () => {})
  }
}

/** Returns the temporary roots of this account in a folder. */
const findRoots = (/** @type {string} */ folder) => listNames(folder).filter(name => name.startsWith(PREFIX))
  .map(name => join(folder, name)).filter(isOwnFolder)

function isOwnFolder (/** @type {string} */ path) {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.isDirectory() && found.uid === process.geteuid?.()
}

/**
 * @param {string} folder a new folder
 * @param {string} text
 */
const writeOwner = (folder, text) => writeFileSync(join(folder, 'owner'), text, { mode: 0o600, flag: 'wx' })

/** Reads a small file of this account. @param {string} file */
const readOwn = file => attempt(() => readPlainFile(file, OWNER).toString() || null, () => null)
