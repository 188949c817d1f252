/** Opens plain files in folders that other programs can write, without following links or waiting for a FIFO. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/** @import { FileHandle } from 'node:fs/promises' */
/** @import { Stats } from 'node:fs' */

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR } = constants

/**
 * Opens a plain file to read it.
 * @param {string} file
 * @param {number} mostBytes
 * @returns {Promise<FileHandle>}
 * @throws {Error} with the reason as its message, or a system error: the file is missing, not plain, or too large
 */
export const openPlainFile = (file, mostBytes) => openChecked(file, O_RDONLY, ({ size }) =>
  size > mostBytes ? `it is larger than ${mostBytes / 2 ** 20} MiB` : null)

/**
 * Opens or creates a plain file of this account to read it and to append to it.
 * @param {string} file
 * @returns {Promise<FileHandle>}
 * @throws {Error} with the reason as its message, or a system error
 */
export const openToAppend = file => openChecked(file, O_RDWR | O_APPEND | O_CREAT, findForeignFile)

/**
 * Returns why a plain file may not be written: it has another owner, or another name outside its folder.
 * @param {Stats} stats
 * @returns {string | null}
 */
export function findForeignFile (stats) {
  if (!isOfThisAccount(stats)) return 'it belongs to another account'
  return stats.nlink > 1 ? 'it is a hard link to a file that has another name' : null
}

/** @param {Stats} stats */
export const isOfThisAccount = ({ uid }) => process.geteuid === undefined || uid === process.geteuid()

/**
 * @param {string} file
 * @param {number} flags
 * @param {(stats: Stats) => string | null} findFault
 */
async function openChecked (file, flags, findFault) {
  const handle = await open(file, flags | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = await handle.stat()
    const fault = stats.isFile() ? findFault(stats) : 'it is not a plain file'
    if (fault !== null) throw new Error(fault)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Reads a plain file.
 * @param {string} file
 * @param {number} mostBytes
 * @returns {Promise<Buffer>}
 * @throws {Error} as openPlainFile()
 */
export async function readLimited (file, mostBytes) {
  const handle = await openPlainFile(file, mostBytes)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
