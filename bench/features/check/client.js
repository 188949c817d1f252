/** HTTP client that sends exactly the given bytes. Usual clients normalise paths and reject malformed requests. */
import net from 'node:net'
import { keepRequest, keepResponse } from './evidence.js'
import { readMessage } from '../../shared/http/read-message.js'

/** @import { CheckResponse, Context } from './types.js' */

const RESPONSE_MS = 1500 // Limit of a response.
const CLOSE_MS = 250 // Wait for the server to close the connection after a complete response.

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
 */
function exchange (address, text, method) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    /** @type {Buffer[]} */
    const chunks = []
    let failure = ''
    const socket = net.connect(address, () => socket.write(text, 'latin1'))
    const deadline = setTimeout(() => end('timeout'), RESPONSE_MS)
    /** @type {NodeJS.Timeout | undefined} */
    let grace
    socket.on('data', chunk => {
      chunks.push(chunk)
      // The response is complete. Waits for surplus bytes.
      if (!grace && readMessage(Buffer.concat(chunks), { method, closed: false })?.complete) {
        grace = setTimeout(() => end('open'), CLOSE_MS)
      }
    })
    socket.on('error', error => { failure = error.message })
    socket.on('close', () => end('closed'))

    /** @param {'closed' | 'open' | 'timeout'} how */
    function end (how) {
      clearTimeout(deadline)
      clearTimeout(grace)
      socket.removeAllListeners('close')
      socket.destroy()
      const message = readMessage(Buffer.concat(chunks), { method, closed: how === 'closed' && !failure })
      if (message) return resolve({ ...message, ms: performance.now() - started })
      reject(new NoResponse(how === 'timeout'
        ? `no response within ${RESPONSE_MS / 1000} s`
        : `the connection ended without a response${failure && ` (${failure})`}`))
    }
  })
}
