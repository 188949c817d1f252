/** Reads streams of events, with the time at which each of them was sent and arrived. A client of scenarios. */
import http from 'node:http'
import https from 'node:https'
import { createGunzip } from 'node:zlib'
import { clock, connectOptions, toOutcome } from './scenario-client.js'

/** @import { IncomingMessage } from 'node:http' */
/** @import { PlayAddress } from '../types.js' */

/**
 * Times of the monotonic clock, in ms. sentAt: NaN if the event does not hold it.
 * @typedef {{ sentAt: number, arrivedAt: number }} TimedEvent
 */

/**
 * Requests a stream, and reads its events until it ends. An event is the line `data: MICROSECONDS …`, with the time of
 * the monotonic clock at which it was sent, and an empty line.
 * @param {PlayAddress} target
 * @param {object} order
 * @param {string} order.path
 * @param {number} order.count of the events without which the stream is truncated
 * @param {Record<string, string>} [order.headers]
 * @param {number} order.timeoutMs of the whole stream
 * @returns {Promise<{ outcome: string, startedAt: number, events: TimedEvent[] }>} outcome: `ok`, `status-NNN`,
 *   `timeout`, `truncated`, `reset`, `refused`
 */
export function readEvents (target, { path, count, headers, timeoutMs }) {
  const startedAt = clock()
  /** @type {TimedEvent[]} */
  const events = []
  return new Promise(resolve => {
    // The certificates of a measurement are of no authority.
    const secure = target.url.startsWith('https:') ? { rejectUnauthorized: false } : null
    const options = { ...connectOptions(target), ...secure, path, agent: false, headers }
    const sending = (secure ? https : http).request(options)
    const settle = (/** @type {string} */ outcome) => {
      clearTimeout(timer)
      resolve({ outcome, startedAt, events })
      sending.destroy()
    }
    const timer = setTimeout(() => settle('timeout'), timeoutMs)
    sending.on('error', error => settle(toOutcome(error)))
    sending.on('response', response => {
      if (response.statusCode !== 200) return settle(`status-${response.statusCode}`)
      let rest = ''
      const body = decode(response, () => settle('truncated'))
      body.on('data', chunk => {
        const arrivedAt = clock()
        const parts = (rest + chunk).split('\n\n')
        rest = parts.pop() ?? ''
        for (const part of parts) events.push({ sentAt: readTime(part), arrivedAt })
      })
      body.on('end', () => settle(events.length === count ? 'ok' : 'truncated'))
    })
    sending.end()
  })
}

/**
 * Returns the body of a response without its compression.
 * @param {IncomingMessage} response
 * @param {() => void} onError
 */
function decode (response, onError) {
  response.on('error', onError)
  return response.headers['content-encoding'] === 'gzip' ? response.pipe(createGunzip()).on('error', onError) : response
}

/** Returns the time in an event, in ms. @param {string} event */
const readTime = event => Number(/^data: (\d+)/.exec(event)?.[1]) / 1000
