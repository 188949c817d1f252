/** Large downloads, of which the body is not kept: complete, aborted, or read slowly. */
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorMessage } from '../../errors.js'
import { NoResponse } from './client.js'
import { keepRequest, keepResponse } from './evidence.js'
import { readMessage } from '../../shared/http/read-message.js'

/** @import { IncomingMessage } from 'node:http' */
/** @import { CheckResponse, Context } from './types.js' */

const DOWNLOAD_MS = 20_000 // Longest time without a byte of a large file.
const ABORT_MS = 2000 // Limit for the beginning of a response that the client aborts.
const STALLED_MS = 1000 // Pause after which a download counts as stalled: a response is waited for 1.5 s.
const FILL_MS = 50 // Until a server waits for its client, because the buffers between them are full.

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
  keepRequest(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, [{ path }])
  const request = http.get({ ...address, path, agent: false, headers: { Host: 'localhost' } })
  request.setTimeout(idleMs, () => request.destroy(new Error(`no byte for ${idleMs / 1000} s`)))
  const [response] = await once(request, 'response')
  // Reading the body throws a later error.
  request.on('error', error => response.destroy(error))
  return response
}

/**
 * Downloads a file that changes after its first bytes, on a connection that may be kept.
 *
 * @param {Context['address']} address
 * @param {string} path
 * @param {() => void} change
 * @returns {Promise<Omit<CheckResponse, 'ms'> & { isClosed: boolean }>} isClosed: by the server
 * @throws {NoResponse}
 */
export function downloadChanging (address, path, change) {
  const text = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  keepRequest(text, [{ path }])
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const chunks = []
    const socket = net.connect(address, () => socket.write(text))
    let timer = setTimeout(() => end(false), ABORT_MS)
    socket.once('data', async () => {
      socket.pause()
      await sleep(FILL_MS)
      change()
      socket.resume()
    })
    socket.on('data', chunk => {
      chunks.push(chunk)
      clearTimeout(timer)
      timer = setTimeout(() => end(false), STALLED_MS)
    })
    // An error is followed by close.
    socket.on('error', () => {})
    socket.on('close', () => end(true))

    /** @param {boolean} isClosed */
    function end (isClosed) {
      clearTimeout(timer)
      socket.removeAllListeners('close').destroy()
      const message = readMessage(Buffer.concat(chunks), { method: 'GET', closed: isClosed })
      if (!message) return reject(new NoResponse(`no response within ${ABORT_MS / 1000} s`))
      keepResponse(message)
      resolve({ ...message, isClosed })
    }
  })
}
