/** Downloads too large to keep: whole, broken off, or hardly read at all. */
import net from 'node:net'
import { NoAnswer, requestText } from './client.js'
import { readMessage } from './message.js'

/** @import { Place } from './types.js' */

const DOWNLOAD_MS = 20_000
const ABORT_MS = 2000

/**
 * @param {Place} place
 * @param {string} path
 * @returns {Promise<{ status: number, bytes: number, ms: number }>} `bytes` of the body
 * @throws {NoAnswer}
 */
export function download (place, path) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    let head = Buffer.alloc(0)
    let status = 0
    let bytes = 0
    const socket = net.connect(place, () => socket.write(requestText({ path })))
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
      error => reject(new NoAnswer(`the download broke off after ${bytes} bytes (${error.message})`)))
    socket.on('end',
      () =>
        status
          ? resolve({ status, bytes, ms: performance.now() - started })
          : reject(new NoAnswer('the connection ended without an answer')))
  })
}

/**
 * Goes away at the first byte, as a person does who has seen enough: with a reset.
 *
 * @param {Place} place
 * @param {string} path
 * @returns {Promise<void>} also when nothing came: what is left behind is what counts
 */
export function abortDownload (place, path) {
  return new Promise(resolve => {
    const socket = net.connect(place, () => socket.write(requestText({ path }, false)))
    socket.setTimeout(ABORT_MS, () => socket.destroy())
    socket.on('data', () => socket.resetAndDestroy())
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}

/**
 * Reads the first bytes and then no more.
 *
 * @param {Place} place
 * @param {string} path
 * @returns {Promise<{ close: () => void }>}
 * @throws {NoAnswer}
 */
export function openSlowly (place, path) {
  return new Promise((resolve, reject) => {
    const socket = net.connect(place, () => socket.write(requestText({ path })))
    socket.setTimeout(ABORT_MS, () => socket.destroy(new Error(`no answer within ${ABORT_MS / 1000} s`)))
    socket.on('error', error => reject(new NoAnswer(error.message)))
    socket.on('close', () => reject(new NoAnswer('the connection ended without an answer')))
    socket.once('data', () => {
      socket.setTimeout(0)
      socket.pause()
      resolve({ close: () => socket.destroy() })
    })
  })
}
