/** A comparison of engines as text: rates on one topology, agreement, and latencies. */
import {
  count, decimals, ended, estimate, interval, isNumber, listing, micros, NONE, percent, plural, rate
} from '../shared/format.js'
import { column, titledTable } from './table.js'
import { errorKinds, PERCENTILES } from './tables/arms.js'
import { compact, heading, joinSections, titled, toStyle, wrap, wrapItems } from './wrap.js'

/** @import { EngineComparison, EngineResult, Table } from '../types.js' */
/** @import { Style } from './wrap.js' */

/**
 * @param {EngineComparison} comparison
 * @param {{ columns?: number, color?: boolean }} [options]
 * @returns {string} ends with a line break
 */
export function enginesText (comparison, { columns, color } = {}) {
  const style = toStyle(columns, color)
  return joinSections([answer, title, throughput, notes, latency, excluded].map(section => section(comparison, style)))
}

/** @typedef {(comparison: EngineComparison, style: Style) => string[]} Section lines; empty: not printed */

/** @type {Section} */
const answer = ({ engines }, style) => heading(agreementAnswer(engines), style)

/** @type {Section} */
const title = ({ topology, path, connections, windowSeconds, blocks, complete }, style) => titled(
  `${topology}, GET ${path}, ${plural(connections, 'connection')}`,
  wrap(`${plural(blocks, 'block')}, each with a window of ${windowSeconds} s for each engine, in random ` +
    `order${complete ? '' : '; interrupted'}.`, style.columns),
  style
)

/** @type {Section} */
const throughput = ({ engines }, style) => [
  ...titledTable('Throughput', throughputTable(engines), style),
  ...wrap("req/s: counted on the served side; its own: by the engine's report; core: the share of one that the " +
    'engine used.', style.columns)
]

/**
 * @param {EngineResult[]} engines
 * @returns {Table<EngineResult>}
 */
const throughputTable = engines => ({
  rows: engines,
  columns: [
    column('engine', ({ title }) => title, { left: true }),
    column('req/s', ({ rps }) => rate(rps?.median), { width: 7 }),
    column('interval', ({ rps }) => interval(rate(rps?.low), rate(rps?.high))),
    column('its own', ({ ownRps }) => rate(ownRps), { width: 7 }),
    column('µs/req', ({ cpuMicrosPerRequest }) => micros(cpuMicrosPerRequest), { width: 6 }),
    column('core', ({ share }) => isNumber(share) ? `${Math.round(share * 100)} %` : NONE, { width: 5 }),
    column('agrees', agreementText, { left: true, width: 10 })
  ],
  instead: ({ rps, failures }) => rps ? null : `not measured: ${failures.at(-1) ?? 'the run ended before its turn'}`
})

/** @param {EngineResult} engine */
function agreementText ({ bound, waits, agrees }) {
  if (bound === 'load') return 'bottleneck'
  return waits ? 'waited' : agrees ?? NONE
}

/** @type {Section} */
const notes = ({ engines }, style) =>
  wrapItems([agreementSentence(engines), ...bottleneckSentences(engines), ...faultSentences(engines)], style)

/**
 * Returns whether the engines measure the same, and which of them were the bottleneck.
 * @param {EngineResult[]} engines
 */
function agreementAnswer (engines) {
  const compared = engines.filter(({ toMiddle }) => toMiddle)
  const busy = engines.filter(({ bound, rps }) => rps && bound === 'load').map(({ title }) => title)
  const bottleneck = busy.length > 0 ? `; ${listing(busy)} ${busy.length === 1 ? 'was' : 'were'} the bottleneck` : ''
  if (!engines.some(({ rps }) => rps)) return 'There is no valid measurement.'
  if (compared.length === 0) return `No two engines can be compared${bottleneck}.`
  const namesWith = (/** @type {EngineResult['agrees']} */ agreement) =>
    compared.filter(({ agrees }) => agrees === agreement).map(({ title }) => title)
  const clause = agreementClause(namesWith('no'), namesWith('open'))
  return `${plural(compared.length, 'engine')} against their median: ${clause}${bottleneck}.`
}

/** @param {EngineResult[]} engines */
function agreementSentence (engines) {
  const compared = engines.flatMap(({ title, toMiddle, agrees }) => toMiddle ? [{ title, toMiddle, agrees }] : [])
  if (compared.length === 0) return 'Nothing to compare: at most one engine was not the bottleneck.'
  const digits = Math.max(...compared.map(({ toMiddle }) => decimals(toMiddle)))
  const ratios = compared.map(({ title, toMiddle }) => {
    const text = estimate(toMiddle, digits)
    return `${title} ${text.ratio} (${text.interval})`
  })
  const namesWith = (/** @type {EngineResult['agrees']} */ agreement) =>
    compared.filter(({ agrees }) => agrees === agreement).map(({ title }) => title)
  return `Engines that were not the bottleneck, against their median: ${ratios.join(', ')}: ` +
    `${agreementClause(namesWith('no'), namesWith('open'))}.`
}

/**
 * @param {string[]} differing
 * @param {string[]} inconclusive
 */
function agreementClause (differing, inconclusive) {
  if (differing.length > 0) {
    return `${listing(differing)} ${differing.length === 1 ? 'differs' : 'differ'} by more than 5 %`
  }
  return inconclusive.length > 0 ? `within 5 %, but inconclusive for ${listing(inconclusive)}` : 'all within 5 %'
}

/** @param {EngineResult[]} engines */
function bottleneckSentences (engines) {
  const busy = engines.filter(({ bound, rps }) => rps && bound === 'load')
  const waiting = engines.filter(({ waits, rps }) => rps && waits)
  if (busy.length + waiting.length === 0) return ['No engine was the bottleneck.']
  const shares = (/** @type {EngineResult[]} */ engines) =>
    listing(engines.map(({ title, share }) => `${title} (${percent(share)} of a core)`))
  return compact([
    busy.length > 0 &&
      `${shares(busy)} ${busy.length === 1 ? 'was' : 'were'} the bottleneck: the rate is the capacity of the ` +
      'engine, and a lower bound for the topology.',
    waiting.length > 0 &&
      `With ${shares(waiting)} neither side was saturated: the engine waited for its connections, or other ` +
      'programs used the CPU. Such a rate is not the capacity of the topology.'
  ])
}

/** @param {EngineResult[]} engines */
const faultSentences = engines =>
  engines.flatMap(({ title, errors, disagreements, failures, rps }) => compact([
    errorKinds(errors) && `${title} saw errors: ${errorKinds(errors)}.`,
    disagreements.length > 0 &&
      `Both sides' counts disagree in ${plural(disagreements.length, 'window')} of ${title}: ${disagreements[0]}.`,
    rps && failures.length > 0 && `${plural(failures.length, 'window')} of ${title} gave no figure: ${failures[0]}`
  ]))

/**
 * @param {EngineResult[]} engines
 * @returns {Table<EngineResult>}
 */
const latencyTable = engines => ({
  rows: engines,
  columns: [
    column('engine', ({ title }) => title, { left: true }),
    ...PERCENTILES.filter(key => key !== 'p95').map(key =>
      column(key, (/** @type {EngineResult} */ { latencyMs }) => micros(latencyMs?.[key]), { width: 8 }))
  ]
})

/** @type {Section} */
function latency ({ engines, connections }, style) {
  const measured = engines.filter(({ rps }) => rps)
  if (measured.length === 0) return []
  const fastest = measured.reduce((a, b) => Number(b.rps?.median) > Number(a.rps?.median) ? b : a)
  const perSecond = Number(fastest.rps?.median)
  return [
    ...titledTable('Latency in ms, as each engine reports it: not comparable between engines',
      latencyTable(measured), style),
    ...wrapItems([
      'In a closed loop every connection waits for its response: the mean is connections ÷ throughput for any ' +
      `engine (${count(connections)} ÷ ${rate(perSecond)} = ${micros(connections / perSecond * 1000)} ms at ` +
      `${fastest.title}'s rate). It is not the latency of a user.`,
      ...measured.map(({ title, latencyNote }) => `${title} ${latencyNote}.`)
    ], style)
  ]
}

/** @type {Section} */
const excluded = ({ leftOut }, style) =>
  titled('Not compared', wrapItems(leftOut.map(({ name, why }) => `${name}: ${ended(why)}`), style), style)
