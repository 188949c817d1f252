/** Child with the clients of a rollout. The first line of stdin is the order. Prints lines of JSON: the site of an
 * inspection, or true and, after another line or the end of stdin, the visits. */
import { createInterface } from 'node:readline'
import { findSite } from './find-site.js'
import { MAX_MS } from './hold-connections.js'
import { planVisits } from './plan-visits.js'
import { playVisits } from './play-visits.js'

/** @import { ClientOrder } from './play-visits.js' */
/** @import { PlayAddress } from '../../../types.js' */

/** rate: requests per second @typedef {ClientOrder & { rate: number, seed: number }} VisitOrder */
/** @typedef {{ task: 'inspect', address: PlayAddress, page: string, api: string[] }} InspectOrder */

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
/** @type {InspectOrder | VisitOrder & { task: 'visit' }} */
const order = JSON.parse((await lines.next()).value)
write(order.task === 'inspect' ? await findSite(order.address, order) : await visit(order), () => process.exit())

/** @param {VisitOrder} order */
function visit (order) {
  write(true)
  return playVisits(order, planVisits({ ...order, site: order.sites.old }), waitForEnd())
}

/** Returns a signal of the end of visits. */
function waitForEnd () {
  const over = new AbortController()
  const end = () => over.abort()
  setTimeout(end, MAX_MS)
  // The caller may have ended.
  lines.next().then(end, end)
  return over.signal
}

/**
 * @param {unknown} value
 * @param {() => void} [written]
 */
function write (value, written) {
  process.stdout.write(`${JSON.stringify(value)}\n`, written)
}
