/** A comparison of engines as text: what each makes of the same topology, where they agree, and why their latencies do
 * not. @import { Colors } from 'picocolors/types.js'
 * @import { EngineComparison, EngineResult, Table } from '../types.js' */
import pc from 'picocolors'
import {
  count, decimals, estimate, interval, isNumber, listing, micros, NONE, percent, plural, rate
} from '../shared/format.js'
import { column, textTable } from './table.js'
import { errorKinds } from './tables/arms.js'
import { toAscii, wrap } from './wrap.js'

/** @param {EngineComparison} comparison
 * @param {{ columns?: number, color?: boolean, unicode?: boolean }} [options] columns: 80 where it is not known
 * @returns {string} ends with a line break */
export function enginesText (comparison, { columns, color = false, unicode = true } = {}) {
  const style = { columns: Math.max(40, columns || 80), colors: pc.createColors(color) }
  const sections = [title, throughput, sentences, latency, left].map(section => section(comparison, style))
  const text = sections.filter(lines => lines.length > 0).map(lines => lines.join('\n')).join('\n\n') + '\n'
  return unicode ? text : toAscii(text)
}

/** @typedef {{ columns: number, colors: Colors }} Style */
/** @typedef {(comparison: EngineComparison, style: Style) => string[]} Section lines; none: there is nothing to say */

/** @type {Section} */
const title = ({ topology, path, connections, windowSeconds, blocks, complete }, { columns, colors }) => [
  ...wrap(`${topology}, GET ${path}, ${plural(connections, 'connection')}`, columns).map(line => colors.bold(line)),
  ...wrap(
    `${plural(blocks, 'block')}, each with a window of ${windowSeconds} s for each engine, in random ` +
    `order${complete ? '' : '; interrupted'}.`,
    columns
  )
]

/** @type {Section} */
const throughput = ({ engines }, style) => [
  style.colors.bold('Throughput'),
  ...textTable(throughputTable(engines), style),
  ...wrap(
    "req/s: counted on the served side; its own: by the engine's report; core: the share of one that the engine used.",
    style.columns
  )
]

/** @param {EngineResult[]} engines @returns {Table<EngineResult>} */
const throughputTable = engines => ({
  rows: engines,
  columns: [
    column('engine', ({ title }) => title, { left: true }),
    column('req/s', ({ rps }) => rate(rps?.median), { width: 7 }),
    column('interval', ({ rps }) => interval(rate(rps?.low), rate(rps?.high))),
    column('its own', ({ ownRps }) => rate(ownRps), { width: 7 }),
    column('µs/req', ({ cpuMicrosPerRequest }) => micros(cpuMicrosPerRequest), { width: 6 }),
    column('core', ({ share }) => isNumber(share) ? `${Math.round(share * 100)} %` : NONE, { width: 5 }),
    column('agrees', ({ bound, waits, agrees }) =>
      bound === 'load' ? 'bottleneck' : waits ? 'waited' : agrees ?? NONE, { left: true, width: 10 })
  ],
  instead: ({ rps, failures }) => rps ? null : `not measured: ${failures.at(-1) ?? 'the run ended before its turn'}`
})

/** @type {Section} */
const sentences = ({ engines }, { columns }) => [
  ...agreement(engines), ...bottlenecks(engines), ...troubles(engines)
].flatMap(text => wrap(text, columns, { first: '- ' }))

/** @param {EngineResult[]} engines */
function agreement (engines) {
  const compared = engines.filter(({ toMiddle }) => toMiddle)
  if (compared.length === 0) {
    return ['Nothing to compare: all engines but one at most were the bottleneck themselves.']
  }
  const digits = Math.max(
    ...compared.map(({ toMiddle }) => decimals(/** @type {NonNullable<EngineResult['toMiddle']>} */ (toMiddle)))
  )
  const ratios = compared.map(({ title, toMiddle }) => {
    const text = estimate(/** @type {NonNullable<EngineResult['toMiddle']>} */ (toMiddle), digits)
    return `${title} ${text.ratio} (${text.interval})`
  })
  const differ = compared.filter(({ agrees }) => agrees === 'no').map(({ title }) => title)
  const open = compared.filter(({ agrees }) => agrees === 'open').map(({ title }) => title)
  const verdict = differ.length > 0
    ? `${listing(differ)} ${differ.length === 1 ? 'differs' : 'differ'} by more than 5 %`
    : open.length > 0
      ? `within 5 %, but inconclusive for ${listing(open)}`
      : 'all within 5 %'
  return [`Engines that were not the bottleneck, against their median: ${ratios.join(', ')}: ${verdict}.`]
}

/** @param {EngineResult[]} engines */
function bottlenecks (engines) {
  const busy = engines.filter(({ bound, rps }) => rps && bound === 'load')
  const waiting = engines.filter(({ waits, rps }) => rps && waits)
  if (busy.length + waiting.length === 0) return ['No engine was the bottleneck.']
  const shares = (/** @type {EngineResult[]} */ some) =>
    listing(some.map(({ title, share }) => `${title} (${percent(share)} of a core)`))
  return [
    ...busy.length > 0
      ? [
        `${shares(busy)} ${busy.length === 1 ? 'was' : 'were'} the bottleneck: the figure is what the engine can ` +
        'send, and the topology can take at least as much.'
        ]
      : [],
    ...waiting.length > 0
      ? [
        `With ${shares(waiting)} neither side was saturated: the engine waits for its connections, or something else ` +
        'takes the machine\'s time. Such a figure says nothing of the topology.'
        ]
      : []
  ]
}

/** @param {EngineResult[]} engines */
const troubles = engines =>
  engines.flatMap(({ title, errors, disagreements, failures, rps }) => [
    ...Object.values(errors).some(number => number > 0) ? [`${title} saw errors: ${errorKinds(errors)}.`] : [],
    ...disagreements.length > 0
      ? [`Both sides' counts disagree in ${plural(disagreements.length, 'window')} of ${title}: ${disagreements[0]}.`]
      : [],
    ...rps && failures.length > 0
      ? [`${plural(failures.length, 'window')} of ${title} gave no figure: ${failures[0]}`]
      : []
  ])

/** @param {EngineResult[]} engines @returns {Table<EngineResult>} */
const latencyTable = engines => ({
  rows: engines,
  columns: [
    column('engine', ({ title }) => title, { left: true }),
    ...(/** @type {const} */ (['p50', 'p90', 'p99', 'max'])).map(key =>
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
    style.colors.bold('Latency in ms, as each engine reports it: not comparable between engines'),
    ...textTable(latencyTable(measured), style),
    ...[
      'In a closed loop every connection waits for its answer: the mean is connections ÷ throughput, whatever the ' +
      `engine (${count(connections)} ÷ ${rate(perSecond)} = ${micros(connections / perSecond * 1000)} ms at ` +
      `${fastest.title}'s rate). It is no user's latency.`,
      ...measured.map(({ title, latencyNote }) => `${title} ${latencyNote}.`)
    ].flatMap(text => wrap(text, style.columns, { first: '- ' }))
  ]
}

/** @type {Section} */
const left = ({ leftOut }, { columns, colors }) =>
  leftOut.length === 0
    ? []
    : [colors.bold('Not compared'), ...leftOut.flatMap(({ name, why }) =>
        wrap(`${name}: ${/[.!?]$/.test(why) ? why : `${why}.`}`, columns, { first: '- ' })
      )]
