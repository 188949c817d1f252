/**
 * HTTP client that sends exactly the given bytes, because usual clients normalise paths and reject malformed requests.
 * Of large downloads the body is not kept: they are complete, aborted, or read slowly.
 */
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorMessage } from '../../errors.js'
import { readMessage } from '../../shared/http/read-message.js'
import { keepRequest, keepResponse } from './outcome.js'

/** @import { IncomingMessage } from 'node:http' */
/** @import { CheckResponse, Context } from './types.js' */

export const RESPONSE_MS = 1500 // Limit of a response.
const CLOSE_MS = 250 // Wait for the server to close the connection after a complete response.
const DOWNLOAD_MS = 20_000 // Longest time without a byte of a large file.
const ABORT_MS = 2000 // Limit for the beginning of a response that the client aborts.
const STALLED_MS = 1000 // Pause after which a download counts as stalled: a response is waited for 1.5 s.
const FILL_MS = 50 // Until a server waits for its client, because the buffers between them are full.

/** Thrown if a response is missing or incomplete. The message describes how the exchange ended. */
export class NoResponse extends Error {}

/**
 * Creates a handler of rejections for a missing response. The handler throws all other errors again.
 *
 * @template Result
 * @param {(error: NoResponse) => Result} handle
 * @returns {(error: unknown) => Result}
 */
export const onNoResponse = handle => error => {
  if (error instanceof NoResponse) return handle(error)
  throw error
}

/**
 * Sends requests at once on one new connection, and waits until the connection is closed.
 *
 * @param {Context['address']} address
 * @param {{ path: string, method?: string, headers?: Record<string, string>, body?: string }[]} requests path: sent
 *   without normalisation; method: by default GET
 * @returns {Promise<CheckResponse[]>}
 * @throws {NoResponse}
 */
export async function send (address, requests) {
  const bytes = requests.map((request, i) => requestText(request, i === requests.length - 1)).join('')
  keepRequest(bytes, requests)
  const first = await exchange(address, bytes, requests[0].method ?? 'GET')
  keepResponse(first)
  const responses = [first]
  for (const { method = 'GET' } of requests.slice(1)) {
    const next = readMessage(responses[responses.length - 1].surplus, { method, closed: true })
    if (!next) {
      throw new NoResponse(`${responses.length} of ${requests.length} requests on one connection got a response`)
    }
    responses.push({ ...next, ms: first.ms })
  }
  return responses
}

/**
 * @param {Parameters<typeof send>[1][number]} request
 * @param {boolean} [close]
 */
function requestText ({ method = 'GET', path, headers = {}, body }, close = true) {
  const all = {
    Host: 'localhost',
    ...headers,
    ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
    ...(close && { Connection: 'close' })
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`
}

/**
 * @param {Context['address']} address
 * @param {string} text
 * @param {string} method
 * @returns {Promise<CheckResponse>}
 * @throws {NoResponse}
 */
async function exchange (address, text, method) {
  const started = performance.now()
  let isComplete = false
  const { bytes, isClosed, failure, why } = await converse(address, text, RESPONSE_MS, (_socket, chunks) => {
    if (isComplete || !readMessage(Buffer.concat(chunks), { method, closed: false })?.complete) return
    isComplete = true
    // Waits for surplus bytes.
    return CLOSE_MS
  })
  const message = readMessage(bytes, { method, closed: isClosed && !failure })
  if (!message) throw new NoResponse(why)
  return { ...message, ms: performance.now() - started }
}

/**
 * Sends a text on a new connection, and collects what arrives until the server closes it or a limit has passed.
 *
 * @param {Context['address']} address
 * @param {string} text
 * @param {number} limitMs
 * @param {(socket: net.Socket, chunks: Buffer[]) => number | undefined} onData called after each chunk; returns a new
 *   limit from then on; undefined: the limit stays
 * @returns {Promise<{ bytes: Buffer, isClosed: boolean, failure: string, why: string }>} isClosed: by the server;
 *   failure: empty without an error of the connection; why: sentence for a missing response
 */
export function converse (address, text, limitMs, onData) {
  return new Promise(resolve => {
    /** @type {Buffer[]} */
    const chunks = []
    let failure = ''
    const socket = net.connect(address, () => socket.write(text, 'latin1'))
    const end = (/** @type {boolean} */ isClosed) => {
      clearTimeout(timer)
      socket.removeAllListeners('close').destroy()
      const why = isClosed
        ? `the connection ended without a response${failure && ` (${failure})`}`
        : `no response within ${limitMs / 1000} s`
      resolve({ bytes: Buffer.concat(chunks), isClosed, failure, why })
    }
    let timer = setTimeout(end, limitMs, false)
    socket.on('data', chunk => {
      chunks.push(chunk)
      const limit = onData(socket, chunks)
      if (limit === undefined) return
      clearTimeout(timer)
      timer = setTimeout(end, limit, false)
    })
    // Followed by close.
    socket.on('error', error => { failure = error.message })
    socket.on('close', () => end(true))
  })
}

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
export async function downloadChanging (address, path, change) {
  const text = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  keepRequest(text, [{ path }])
  const { bytes, isClosed, why } = await converse(address, text, ABORT_MS, (socket, chunks) => {
    if (chunks.length === 1) changeWhilePaused(socket, change)
    return STALLED_MS
  })
  const message = readMessage(bytes, { method: 'GET', closed: isClosed })
  if (!message) throw new NoResponse(why)
  keepResponse(message)
  return { ...message, isClosed }
}

/**
 * Changes a file while the client reads nothing.
 *
 * @param {net.Socket} socket
 * @param {() => void} change
 */
async function changeWhilePaused (socket, change) {
  socket.pause()
  await sleep(FILL_MS)
  change()
  socket.resume()
}
