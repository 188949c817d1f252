/**
 * Opens the files that come from outside the project: typed, found in a folder of the user, or in the folder of a run.
 * Waits for no FIFO and reads no device. Imports only node: modules.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** @import { FileHandle } from 'node:fs/promises' */
/** @import { Stats } from 'node:fs' */

const { O_APPEND, O_CREAT, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants
/** Bytes that one call of the system reads. */
const CHUNK_BYTES = 2 ** 20
const MIB = 2 ** 20

/**
 * Limits of a file.
 * @typedef {object} FileLimits
 * @property {number} maxBytes
 * @property {boolean} [followsLinks] whether the path may be a symbolic link, as one that the user has typed
 * @property {(stats: Stats) => string | null} [findFault] returns why a plain file is rejected
 */

/**
 * Opens a plain file, reads it by a function, and closes it.
 * @template T
 * @param {string} file
 * @param {FileLimits} limits
 * @param {(fd: number, stats: Stats) => T} read returns after its last use of the descriptor
 * @returns {T}
 * @throws {Error} with the reason as its message, or a system error: the file is missing, not plain, or too large
 */
export function withPlainFile (file, { maxBytes, followsLinks = false, findFault = () => null }, read) {
  const fd = openSync(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | (followsLinks ? 0 : O_NOFOLLOW))
  try {
    const stats = fstatSync(fd)
    rejectUnfit(stats, findFault)
    if (stats.size > maxBytes) throw createTooLarge(maxBytes)
    return read(fd, stats)
  } finally {
    closeSync(fd)
  }
}

/**
 * Reads a plain file.
 * @param {string} file
 * @param {FileLimits} limits
 * @returns {Buffer}
 * @throws {Error} as withPlainFile()
 */
export const readPlainFile = (file, limits) => withPlainFile(file, limits, fd => {
  const { maxBytes } = limits
  // A file may grow meanwhile, and files of /proc have the size 0.
  const bytes = Buffer.concat([...readChunks(fd, maxBytes + 1)])
  if (bytes.length > maxBytes) throw createTooLarge(maxBytes)
  return bytes
})

/**
 * Reads a file from its beginning, a chunk at a time.
 * @param {number} fd
 * @param {number} maxBytes after which the reading ends
 * @returns {Generator<Buffer, void>}
 */
export function * readChunks (fd, maxBytes) {
  for (let at = 0; at < maxBytes;) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, maxBytes - at))
    const length = readSync(fd, chunk, 0, chunk.length, at)
    if (length === 0) return
    at += length
    yield chunk.subarray(0, length)
  }
}

/**
 * Opens or creates a plain file of this account to read it and to append to it.
 * @param {string} file
 * @returns {Promise<FileHandle>}
 * @throws {Error} with the reason as its message, or a system error
 */
export async function openToAppend (file) {
  const handle = await open(file, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
  try {
    rejectUnfit(await handle.stat(), findForeignFile)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * @param {Stats} stats
 * @param {(stats: Stats) => string | null} findFault
 */
function rejectUnfit (stats, findFault) {
  const fault = stats.isFile() ? findFault(stats) : 'it is not a plain file'
  if (fault !== null) throw new Error(fault)
}

/** @param {number} maxBytes */
const createTooLarge = maxBytes =>
  new Error(`it is larger than ${maxBytes < MIB ? `${maxBytes} bytes` : `${maxBytes / MIB} MiB`}`)

/**
 * Returns why a plain file may not be written: it has another owner, or another name outside its folder.
 * @param {Stats} stats
 * @returns {string | null}
 */
export function findForeignFile (stats) {
  if (!isOfThisAccount(stats)) return 'it belongs to another account'
  return stats.nlink > 1 ? 'it is a hard link to a file that has another name' : null
}

/** @param {Pick<Stats, 'uid'>} stats */
export const isOfThisAccount = ({ uid }) => process.geteuid === undefined || uid === process.geteuid()
