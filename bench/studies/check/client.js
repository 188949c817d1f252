/** A client that sends exactly the bytes it is given: clients that are made for use normalise paths and refuse what a
 * probe must send. */
import net from 'node:net'
import { readMessage } from './message.js'

/** @import { Answer, Ask, Place } from './types.js' */

const ANSWER_MS = 1500 // A server that has not answered by then hangs.
const CLOSE_MS = 250 // A connection that is to be closed after a complete answer is given this long to be so.

/** There was no answer: how the exchange ended, in words. */
export class NoAnswer extends Error {}

/**
 * Asks once, on a connection of its own, and waits until that is closed.
 *
 * @param {Place} place
 * @param {Ask} ask
 * @returns {Promise<Answer>}
 * @throws {NoAnswer}
 */
export function send (place, ask) {
  const bytes = requestText(ask)
  return exchange(place, bytes, ask.method ?? 'GET')
}

/**
 * Several requests on one connection, all sent at once.
 *
 * @param {Place} place
 * @param {Ask[]} asks
 * @returns {Promise<Answer[]>}
 * @throws {NoAnswer}
 */
export async function sendPipelined (place, asks) {
  const bytes = asks.map((ask, i) => requestText(ask, i === asks.length - 1)).join('')
  const first = await exchange(place, bytes, asks[0].method ?? 'GET')
  const answers = [first]
  for (const { method = 'GET' } of asks.slice(1)) {
    const next = readMessage(answers[answers.length - 1].surplus, { method, closed: true })
    if (!next) throw new NoAnswer(`${answers.length} of ${asks.length} requests on one connection were answered`)
    answers.push({ ...next, ms: first.ms })
  }
  return answers
}

/**
 * @param {Ask} ask
 * @param {boolean} [close]
 */
export function requestText ({ method = 'GET', path, headers = {}, body }, close = true) {
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
 * @param {Place} place
 * @param {string} text
 * @param {string} method
 */
function exchange (place, text, method) {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    /** @type {Buffer[]} */
    const chunks = []
    let failure = ''
    const socket = net.connect(place, () => socket.write(text, 'latin1'))
    const deadline = setTimeout(() => end('timeout'), ANSWER_MS)
    /** @type {NodeJS.Timeout | undefined} */
    let grace
    socket.on('data', chunk => {
      chunks.push(chunk)
      // Complete: what may still come is the surplus, or nothing.
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
      reject(
        new NoAnswer(how === 'timeout'
          ? `no answer within ${ANSWER_MS / 1000} s`
          : `the connection ended without an answer${failure && ` (${failure})`}`)
      )
    }
  })
}
