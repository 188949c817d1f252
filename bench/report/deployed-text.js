/** A deployed instance as text: its capacity, the network and the server apart, and the estimate for its offering. */
import { count, duration, micros, NONE, percent, plural, rate } from '../shared/format.js'
import { column, titledTable } from './table.js'
import { compact, wrapItems } from './wrap.js'

/** @import { Deployed, Table } from '../types.js' */
/** @import { Style } from './wrap.js' */

/**
 * Returns the capacity and the number of instances in a sentence.
 * @param {Deployed} deployed
 */
export function deployedAnswer ({ url, goal, capacity, instances }) {
  const { low, high, atLeast } = capacity
  const range = atLeast ? '' : ` (${rate(low)} to ${rate(high)})`
  const figure = `${atLeast ? 'at least ' : ''}${rate(capacity.rate)} requests a second${range}`
  const bound = atLeast ? '; no higher rate was permitted, or could be sent' : ''
  return `One instance at ${url} serves ${figure} at a p99 of ${micros(goal.p99Ms)} ms, network included${bound}. ` +
    `${count(goal.rate)} requests a second need ${plural(instances, 'instance')}${atLeast ? ' or fewer' : ''}.`
}

/**
 * Prints the figures of a deployed instance.
 * @param {Deployed} deployed
 * @param {Style} style
 * @returns {string[][]} sections, each of lines
 */
export const deployedSections = (deployed, style) => [
  titledTable('Response time in ms, network included, by load', deployedTable(deployed), style),
  wrapItems(deployedSentences(deployed), style)
]

/**
 * @param {Pick<Deployed, 'curve'>} deployed
 * @returns {Table<Deployed['curve'][number]>}
 */
export const deployedTable = ({ curve }) => ({
  rows: curve,
  columns: [
    column('of the capacity', ({ share }) => percent(share), { width: 15 }),
    column('req/s', point => rate(point.rate), { width: 8 }),
    column('p50', ({ p50Ms }) => micros(p50Ms), { width: 8 }),
    column('p99', ({ p99Ms }) => micros(p99Ms), { width: 8 })
  ]
})

/**
 * Returns what the table does not show.
 * @param {Deployed} deployed
 * @returns {string[]}
 */
export function deployedSentences (deployed) {
  const { goal, capacity, curve, roundTrip, estimates, trials, sent, caps } = deployed
  return compact([
    `Network: a round trip takes ${micros(roundTrip.p50Ms)} ms (median of TCP handshakes, the longest ` +
      `${micros(roundTrip.maxMs)} ms).`,
    curve.some(({ p50Ms, p99Ms }) => p50Ms !== null && p99Ms === null) &&
      `A p99 of ${NONE} beside a p50: fewer than 100 responses, too few for a 99th percentile.`,
    serverSentence(deployed),
    ...estimates.map(estimate => estimateSentence(estimate, capacity)),
    `${percent(goal.headroom)} of the capacity that ${percent(goal.confidence)} of the windows hold is kept free; ` +
      `${spareText(goal)}.`,
    `Found in ${plural(trials.length, 'window')}, of which ` +
      `${count(trials.filter(({ holds }) => holds).length)} met the goal. ${count(sent)} requests were sent of ` +
      `${count(caps.mostRequests)} permitted ones, at most ${count(caps.mostRps)} a second on average over a window, ` +
      `within ${duration(caps.seconds)}.`,
    'Only clients counted: CPU time, memory and the number of instances behind the URL are unknown.'
  ])
}

/**
 * Compares the capacity with an estimate. Each of them may be a lower bound.
 * @param {Deployed['estimates'][number]} estimate
 * @param {Deployed['capacity']} capacity
 */
function estimateSentence ({ run, offering, topology, perInstance, atLeast = false, ratio }, capacity) {
  const estimated = `${offering}: ${atLeast ? 'at least ' : ''}${rate(perInstance)} requests a second were estimated ` +
    `for ${topology} (${run}).`
  if (atLeast && capacity.atLeast) return `${estimated} Both rates are lower bounds, so their ratio is unknown.`
  const bounded = (/** @type {string} */ bound) => `${bound} ${percent(ratio)} of it were measured here`
  if (capacity.atLeast) return `${estimated} ${bounded('At least')}.`
  return `${estimated} ${atLeast ? bounded('At most') : `Measured here: ${percent(ratio)} of it`}.`
}

/** @param {Deployed} deployed */
function serverSentence ({ serverP50Ms, curve }) {
  const idle = curve.find(({ p50Ms }) => p50Ms !== null)
  if (serverP50Ms === null || !idle) return null
  return `Server: at ${percent(idle.share)} of the capacity half of the responses take ${micros(idle.p50Ms)} ms or ` +
    `less, of which ${micros(serverP50Ms)} ms are not the round trip: router, TLS, app, and transfer of the response.`
}

/** @param {Deployed['goal']} goal */
function spareText ({ spare }) {
  if (spare === 0) return 'none is spare'
  return `losing ${spare === 1 ? 'one' : count(spare)} still meets the goal`
}
