/** Report of a deployed instance: its capacity, the network and the server apart, and the estimate for its offering. */
import { finishAnswer } from '../../report/answer.js'
import latency, { latencySections } from '../../report/kinds/latency.js'
import { column } from '../../report/table.js'
import { compact } from '../../report/wrap.js'
import { count, duration, micros, NONE, percent, plural, rate } from '../../shared/format.js'
import { endSentence, INTERRUPTED, spareSentence, trialsSection } from './kind.js'

/** @import { Deployed, Kind, RunRecord, Section, Table } from '../../types.js' */

/** @type {Kind<RunRecord & { deployed: Deployed }>} */
export default {
  ...latency,
  kind: 'url-sizing',
  answer: record => finishAnswer(record, { text: answer(record.deployed) }, INTERRUPTED),
  sections: record => [
    ...listSections(record.deployed),
    ...latencySections(record, { share: 'of capacity' }).map(({ brief, ...section }) => section)
  ],
  end: record => endSentence(record, [record.deployed])
}

/**
 * Returns the capacity and the number of instances in a sentence.
 * @param {Deployed} deployed
 */
function answer ({ url, goal, capacity, instances }) {
  const { low, high, atLeast } = capacity
  const range = atLeast ? '' : ` (${rate(low)} to ${rate(high)})`
  const figure = `${atLeast ? 'at least ' : ''}${rate(capacity.rate)} requests a second${range}`
  const bound = atLeast ? '; no higher rate was permitted, or could be sent' : ''
  return `One instance at ${url} serves ${figure} at a p99 of ${micros(goal.p99Ms)} ms, measured there, network ` +
    `included${bound}. ${count(goal.rate)} requests a second need ` +
    `${plural(instances, 'instance')}${atLeast ? ' or fewer' : ''}.`
}

/**
 * @param {Deployed} deployed
 * @returns {Section[]}
 */
const listSections = deployed => [
  {
    id: 'capacity-steps',
    title: 'Response time in ms, network included, by load',
    blocks: [curveTable(deployed), ...listSentences(deployed)],
    brief: true
  },
  trialsSection([{ spec: deployed.url, trials: deployed.trials }])
]

/**
 * @param {Deployed} deployed
 * @returns {Table<Deployed['curve'][number]>}
 */
const curveTable = ({ curve }) => ({
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
 */
function listSentences (deployed) {
  const { goal, capacity, curve, roundTrip, serverP50Ms, estimates, trials, sent, caps } = deployed
  return compact([
    `Network: a round trip takes ${micros(roundTrip.p50Ms)} ms (median of TCP handshakes, the longest ` +
      `${micros(roundTrip.maxMs)} ms).`,
    curve.some(({ p50Ms, p99Ms }) => p50Ms !== null && p99Ms === null) &&
      `A p99 of ${NONE} beside a p50: fewer than 100 responses, too few for a 99th percentile.`,
    serverSentence(curve.find(({ p50Ms }) => p50Ms !== null), serverP50Ms),
    ...estimates.map(estimate => estimateSentence(estimate, capacity)),
    spareSentence(goal),
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
function estimateSentence ({ atLeast = false, ratio, score, ...estimate }, capacity) {
  const { run, offering, topology, perInstance } = estimate
  const estimated = `${offering}: ${atLeast ? 'at least ' : ''}${rate(perInstance)} requests a second were estimated ` +
    `for ${topology} (${run}).`
  if (atLeast && capacity.atLeast) return `${estimated} Both rates are lower bounds, so their ratio is unknown.`
  const bounded = (/** @type {string} */ bound) => `${bound} ${percent(ratio)} of it were measured here`
  if (capacity.atLeast) return `${estimated} ${bounded('At least')}.`
  return `${estimated} ${atLeast ? bounded('At most') : `Measured here: ${percent(ratio)} of it`}.` +
    `${score ? ` Later sizings use it as the score of the offering's cores, ${score.value.toFixed(2)}.` : ''}`
}

/**
 * @param {Deployed['curve'][number] | undefined} idle point at the lowest load
 * @param {number | null} serverP50Ms
 */
const serverSentence = (idle, serverP50Ms) => idle !== undefined && serverP50Ms !== null &&
  `Server: at ${percent(idle.share)} of the capacity half of the responses take ${micros(idle.p50Ms)} ms or less, of ` +
  `which ${micros(serverP50Ms)} ms are not the round trip: router, TLS, app, and transfer of the response.`
