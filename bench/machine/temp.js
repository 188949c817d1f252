/**
 * Temporary folders: one root for each start of the suite, with a note of its owner, so that the next start can remove
 * what a killed one has left. They are made in folders that everybody may write, and nothing that lies there already is
 * trusted. Unix sockets live in them, so the path must be short.
 */
import {
  chmodSync, closeSync, constants, fstatSync, lstatSync, mkdirSync, mkdtempSync, openSync, readdirSync, readSync,
  rmSync, statfsSync, statSync, writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { describeFileError } from './file-failures.js'
import { isRunning, ownOwner } from './setup/owner.js'

const PREFIX = 'hopbench-'
/** Linux keeps a tmpfs here that everybody may write; containers give it 64 MiB, and some of them nothing. */
const MEMORY = '/dev/shm'
const TMPFS_MAGIC = 0x01021994 // statfs(2)
const ENOUGH_MEMORY = 32 * 1024 * 1024
const LONGEST_SOCKET_PATH = 107 // sun_path holds 108 bytes with its closing zero (unix(7)).
const LONGEST_TAIL = 30 // What a run adds to the root at the most: "/12/control/4194304.sock".
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
const OWNER_BYTES = 256
const TWIN = 'memory' // In a root: the folder on tmpfs that belongs to it.

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
    // A full disk may have room for a folder, and none for a file.
    if (path) rmSync(path, { recursive: true, force: true })
    throw new HopbenchError('temp-not-writable', {
      dir: tmpdir(),
      why: describeFileError(error)
    })
  }
  const longest = Buffer.byteLength(path) + LONGEST_TAIL
  if (longest > LONGEST_SOCKET_PATH) {
    rmSync(path, { recursive: true })
    throw new HopbenchError('socket-path-too-long', { path: `${path}/…`, bytes: longest, limit: LONGEST_SOCKET_PATH })
  }
  roots.add(path)
  return { path, remove: () => removeRoot(path) }
}

/** Roots of this process, for its end. @type {Set<string>} */
const roots = new Set()
process.on('exit', () => { for (const path of roots) removeRoot(path) })

function removeRoot (/** @type {string} */ path) {
  roots.delete(path)
  const twin = readOwn(join(path, TWIN))
  for (const part of twin ? [twin, path] : [path]) rmSync(part, { recursive: true, force: true, maxRetries: 3 })
}

/** A folder on tmpfs, for what must not wait for a disk; null: there is none. @param {string} dir of makeTempDir() */
export function memoryDir (dir) {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY)
    if (type !== TMPFS_MAGIC || bavail * bsize < ENOUGH_MEMORY) return null
    const twin = twinOf(rootOf(dir))
    // Where others must pass they may not list it: they cannot guess this name.
    const made = mkdtempSync(join(twin, 'm-'))
    chmodSync(made, modeOf(twin))
    return made
  } catch {
    return null
  }
}

/** What belongs to a root, on tmpfs: as open to others as the root is. @param {string} root */
function twinOf (root) {
  // The owner is the outer process, which removes both.
  const owner = readOwn(join(root, 'owner'))
  if (!owner) throw new Error(`${root} has no owner`)
  const known = readOwn(join(root, TWIN))
  if (known) return known
  const made = mkdtempSync(join(MEMORY, PREFIX))
  writeOwner(made, owner)
  chmodSync(made, modeOf(root))
  writeFileSync(join(root, TWIN), made, { mode: 0o600, flag: 'wx' })
  return made
}

/** The temporary root that a folder is in. @param {string} dir */
function rootOf (dir) {
  for (let folder = dirname(dir); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder).startsWith(PREFIX)) return folder
  }
  throw new Error(`${dir} is in no temporary root`)
}

/** Lets other accounts walk to a folder, and see nothing on the way. @param {string} dir in a temporary root */
export function letOthersPass (dir) {
  const root = rootOf(dir)
  for (let folder = dir; folder !== root;) chmodSync(folder = dirname(folder), 0o711)
}

const modeOf = (/** @type {string} */ folder) => statSync(folder).mode & 0o777

/**
 * A folder below the root for one topology. Its root lets nobody else in, or, for a proxy that gives up root, lets
 * others pass: then they may pass here too, and see nothing.
 */
export function makeTempDir (/** @type {string} */ root, /** @type {string} */ name) {
  const dir = join(root, name)
  makeOwn(dir, 0o711)
  makeOwn(join(dir, 'control'), 0o700)
  return dir
}

/**
 * One that is there already must be ours.
 * @param {string} folder
 * @param {number} mode
 */
function makeOwn (folder, mode) {
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code !== 'EEXIST' || !isOwnFolder(folder)) throw error
  }
}

/** Removes the folders of this account whose owners are gone. */
function removeOrphans () {
  for (const path of [tmpdir(), MEMORY].flatMap(leftIn)) {
    const [pid, started, namespace] = readOwn(join(path, 'owner'))?.split(' ') ?? []
    if (namespace === undefined || isRunning({ pid: Number(pid), started, namespace }) !== false) continue
    try {
      rmSync(path, { recursive: true, force: true })
    } catch {
      // The next start tries again.
    }
  }
}

function leftIn (/** @type {string} */ folder) {
  try {
    return readdirSync(folder).filter(name => name.startsWith(PREFIX)).map(name => join(folder, name))
      .filter(isOwnFolder)
  } catch {
    return []
  }
}

function isOwnFolder (/** @type {string} */ path) {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found !== undefined && found.isDirectory() && found.uid === process.geteuid?.()
}

/**
 * @param {string} folder that was made a moment ago
 * @param {string} text
 */
const writeOwner = (folder, text) => writeFileSync(join(folder, 'owner'), text, { mode: 0o600, flag: 'wx' })

/** A small file of our own: no link is followed, no FIFO waited for. */
function readOwn (/** @type {string} */ file) {
  let fd
  try {
    fd = openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    const found = fstatSync(fd)
    if (!found.isFile() || found.uid !== process.geteuid?.()) return null
    const bytes = Buffer.alloc(OWNER_BYTES)
    return bytes.toString('utf8', 0, readSync(fd, bytes)) || null
  } catch {
    return null
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
