/** Large downloads, of which the body is not kept: complete, aborted, or read slowly. */
import net from 'node:net'
import { NoResponse, requestText } from './client.js'
import { readMessage } from './message.js'

/** @import { Context } from './types.js' */

const DOWNLOAD_MS = 20_000
const ABORT_MS = 2000

/**
 * @param {Context['address']} address
 * @param {string} path
 * @returns {Promise<{ status: number, bytes: number, ms: number }>} bytes: of the body
 * @throws {NoResponse}
 */
export function download (address, path) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    let head = Buffer.alloc(0)
    let status = 0
    let bytes = 0
    const socket = net.connect(address, () => socket.write(requestText({ path })))
    socket.setTimeout(DOWNLOAD_MS, () => socket.destroy(new Error(`no byte for ${DOWNLOAD_MS / 1000} s`)))
    socket.on('data', chunk => {
      if (status) {
        bytes += chunk.length
        return
      }
      head = Buffer.concat([head, chunk])
      const message = readMessage(head, { method: 'GET', closed: false })
      if (message) [status, bytes] = [message.status, message.body.length]
    })
    socket.on('error',
      error => reject(new NoResponse(`the download broke off after ${bytes} bytes (${error.message})`)))
    socket.on('end',
      () =>
        status
          ? resolve({ status, bytes, ms: performance.now() - started })
          : reject(new NoResponse('the connection ended without a response')))
  })
}

/**
 * Resets the connection at the first byte of the response.
 *
 * @param {Context['address']} address
 * @param {string} path
 * @returns {Promise<void>} resolves even without a response
 */
export function abortDownload (address, path) {
  return new Promise(resolve => {
    const socket = net.connect(address, () => socket.write(requestText({ path }, false)))
    socket.setTimeout(ABORT_MS, () => socket.destroy())
    socket.on('data', () => socket.resetAndDestroy())
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

/**
 * Reads the first bytes of a response, and leaves the rest in the socket.
 *
 * @param {Context['address']} address
 * @param {string} path
 * @returns {Promise<{ close: () => void }>}
 * @throws {NoResponse}
 */
export function openSlowly (address, path) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(address, () => socket.write(requestText({ path })))
    socket.setTimeout(ABORT_MS, () => socket.destroy(new Error(`no response within ${ABORT_MS / 1000} s`)))
    socket.on('error', error => reject(new NoResponse(error.message)))
    socket.on('close', () => reject(new NoResponse('the connection ended without a response')))
    socket.once('data', () => {
      socket.setTimeout(0)
      socket.pause()
      resolve({ close: () => socket.destroy() })
    })
  })
}
