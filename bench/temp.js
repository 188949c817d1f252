/**
 * Temporary folders: one root for each start of the suite, named after its owner, so that the next
 * start can remove what a killed one has left. Unix sockets live here, so the path must be short.
 */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { HopbenchError } from './errors.js'
import { inWords } from './store/failures.js'

const PREFIX = 'hopbench-'
/** Linux keeps a tmpfs here that everybody may write; containers give it 64 MiB, and some of them nothing. */
const MEMORY = '/dev/shm'
/** statfs(2) */
const TMPFS_MAGIC = 0x01021994
const ENOUGH_MEMORY = 32 * 1024 * 1024
/** sun_path holds 108 bytes with its closing zero (unix(7)). */
const LONGEST_SOCKET_PATH = 107
/** What a run adds to the root at the most: "/12/control/4194304.sock". */
const LONGEST_TAIL = 30

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
    writeFileSync(join(path, 'owner'), `${process.pid} ${startOf(process.pid)} ${pidNamespace()}`)
  } catch (error) {
    // A full disk may have room for a folder, and none for a file.
    if (path) rmSync(path, { recursive: true, force: true })
    throw new HopbenchError('temp-not-writable', { dir: tmpdir(), why: inWords(/** @type {NodeJS.ErrnoException} */ (error)) })
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

/** @param {string} path */
function removeRoot (path) {
  roots.delete(path)
  for (const part of [path, memoryTwin(path)]) rmSync(part, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * A folder on tmpfs for one topology, with what shall not wait for a disk.
 * @param {string} dir as makeTempDir() gave it
 * @returns {string | null} null: there is none, or no room in it
 */
export function memoryDir (dir) {
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY)
    if (type !== TMPFS_MAGIC || bavail * bsize < ENOUGH_MEMORY) return null
    const root = dirname(dir)
    // The owner is the outer process, which removes both.
    const owner = readFileSync(join(root, 'owner'))
    const made = join(memoryTwin(root), basename(dir))
    mkdirSync(made, { recursive: true })
    writeFileSync(join(memoryTwin(root), 'owner'), owner)
    return made
  } catch {
    return null
  }
}

/** What belongs to a root, on tmpfs. @param {string} root */
const memoryTwin = root => join(MEMORY, basename(root))

/**
 * A folder below the root for one topology.
 * @param {string} root
 * @param {string} name
 */
export function makeTempDir (root, name) {
  const dir = join(root, name)
  mkdirSync(join(dir, 'control'), { recursive: true })
  return dir
}

/** Removes the folders of owners that are gone. */
function removeOrphans () {
  for (const path of [tmpdir(), MEMORY].flatMap(leftIn)) {
    try {
      const [pid, started, namespace] = readFileSync(join(path, 'owner'), 'utf8').split(' ')
      // A container that shares this folder numbers its processes otherwise.
      if (namespace !== pidNamespace()) continue
      if (startOf(Number(pid)) !== started) rmSync(path, { recursive: true, force: true })
    } catch {
      // Not ours to judge: no owner is written, or another user's.
    }
  }
}

/** @param {string} folder */
function leftIn (folder) {
  try {
    return readdirSync(folder).filter(name => name.startsWith(PREFIX)).map(name => join(folder, name))
  } catch {
    return []
  }
}

/**
 * When a process started, in clock ticks since boot: a pid alone may have been given out again.
 * @param {number} pid
 * @returns {string} empty when there is no such process
 */
function startOf (pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ')[19]
  } catch {
    try {
      process.kill(pid, 0)
      return 'unknown'
    } catch {
      return ''
    }
  }
}

function pidNamespace () {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return 'host'
  }
}
