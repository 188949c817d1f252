/** Large downloads, of which the body is not kept: complete, aborted, or read slowly. */
import { once } from 'node:events'
import http from 'node:http'
import { getErrorMessage } from '../../errors.js'
import { NoResponse } from './client.js'

/** @import { IncomingMessage } from 'node:http' */
/** @import { Context } from './types.js' */

const DOWNLOAD_MS = 20_000 // Longest time without a byte of a large file.
const ABORT_MS = 2000 // Limit for the beginning of a response that the client aborts.

/**
 * @param {Context['address']} address
 * @param {string} path
 * @returns {Promise<{ status: number | undefined, bytes: number, ms: number }>} bytes: of the body
 * @throws {NoResponse}
 */
export async function download (address, path) {
  const started = performance.now()
  let bytes = 0
  try {
    const response = await open(address, path, DOWNLOAD_MS)
    for await (const chunk of response) bytes += chunk.length
    return { status: response.statusCode, bytes, ms: performance.now() - started }
  } catch (error) {
    throw new NoResponse(`the download broke off after ${bytes} bytes (${getErrorMessage(error)})`)
  }
}

/**
 * Resets the connection when the response begins.
 *
 * @param {Context['address']} address
 * @param {string} path
 * @returns {Promise<void>} resolves even without a response
 */
export const abortDownload = (address, path) =>
  open(address, path, ABORT_MS).then(({ socket }) => { socket.resetAndDestroy() }, () => {})

/**
 * Reads the first bytes of a response, and leaves the rest in the socket.
 *
 * @param {Context['address']} address
 * @param {string} path
 * @returns {Promise<IncomingMessage>} to be destroyed
 * @throws {NoResponse}
 */
export async function openSlowly (address, path) {
  const response = await open(address, path, ABORT_MS).catch(error => { throw new NoResponse(getErrorMessage(error)) })
  response.socket.setTimeout(0)
  return response
}

/**
 * Requests a file on a connection of its own.
 *
 * @param {Context['address']} address
 * @param {string} path
 * @param {number} idleMs time without a byte after which the connection is closed
 * @returns {Promise<IncomingMessage>} whose body is not read yet
 */
async function open (address, path, idleMs) {
  const request = http.get({ ...address, path, agent: false, headers: { Host: 'localhost' } })
  request.setTimeout(idleMs, () => request.destroy(new Error(`no byte for ${idleMs / 1000} s`)))
  const [response] = await once(request, 'response')
  // Reading the body throws a later error.
  request.on('error', error => response.destroy(error))
  return response
}
