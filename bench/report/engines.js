/**
 * A comparison of engines as text: what each makes of the same topology, where they agree, and why
 * their latencies do not.
 * @import { Colors } from 'picocolors/types.js'
 * @import { Comparison } from '../agreement/windows.js'
 * @import { EngineResult } from '../agreement/comparison.js'
 */
import pc from 'picocolors'
import { LOAD_BOUND_SHARE } from '../verdict.js'
import { count, decimals, estimate, interval, isNumber, micros, NONE, percent, rate } from './format.js'
import { listing, plural } from './sentences.js'
import { draw, errorKinds, nameWidth } from './table.js'
import { toAscii, wrap } from './wrap.js'

/** What `agrees` is called in the table. */
const AGREES = { yes: 'yes', no: 'no', open: 'open' }

/**
 * @param {Comparison} comparison
 * @param {{ columns?: number, color?: boolean, unicode?: boolean }} [options] columns: 80 where it is not known
 * @returns {string} ends with a line break
 */
export function enginesText (comparison, { columns, color = false, unicode = true } = {}) {
  const style = { columns: Math.max(40, columns || 80), colors: pc.createColors(color) }
  const sections = [title, throughput, sentences, latency, left].map(section => section(comparison, style))
  const text = sections.filter(lines => lines.length > 0).map(lines => lines.join('\n')).join('\n\n') + '\n'
  return unicode ? text : toAscii(text)
}

/** @typedef {{ columns: number, colors: Colors }} Style */
/** @typedef {(comparison: Comparison, style: Style) => string[]} Section lines; none where there is nothing to say */

/** @type {Section} */
const title = ({ topology, path, connections, windowSeconds, blocks, complete }, { columns, colors }) => [
  ...wrap(`${topology}, GET ${path}, ${plural(connections, 'connection')}`, columns).map(line => colors.bold(line)),
  ...wrap(`${plural(blocks, 'block')} of a window of ${windowSeconds} s for each engine, in an order of its own${complete ? '' : '; interrupted'}.`, columns)
]

/** @type {Section} */
function throughput ({ engines }, style) {
  const intervals = engines.map(({ rps }) => interval(rate(rps?.low), rate(rps?.high)))
  const head = ['engine', 'req/s', 'interval', 'its own', 'µs/req', 'core', 'agrees']
  const widths = [0, 7, Math.max(8, ...intervals.map(text => text.length)), 7, 6, 5, 10]
  widths[0] = nameWidth(engines.map(({ title }) => title), style.columns - widths.reduce((a, b) => a + b) - 2 * (widths.length - 1))
  const rows = engines.map(({ title, rps, ownRps, cpuMicrosPerRequest, share, bound, agrees, failures }, index) => rps
    ? [title, rate(rps.median), intervals[index], rate(ownRps), micros(cpuMicrosPerRequest), isNumber(share) ? `${Math.round(share * 100)} %` : NONE,
        bound === 'load' ? isBusy(share) ? 'bottleneck' : 'waited' : agrees ? AGREES[agrees] : NONE]
    : [title, { spans: `not measured: ${failures.at(-1) ?? 'the run ended before its turn'}` }])
  return [
    style.colors.bold('Throughput'),
    ...draw(head, rows, widths, 'lrrrrrl', style),
    ...wrap('req/s: counted on the served side; its own: by the engine\'s report; core: the share of one that the engine used.', style.columns)
  ]
}

/** @type {Section} */
const sentences = ({ engines }, { columns }) => [
  ...agreement(engines), ...bottlenecks(engines), ...troubles(engines)
].flatMap(text => wrap(text, columns, { first: '- ' }))

/** @param {EngineResult[]} engines */
function agreement (engines) {
  const compared = engines.filter(({ toMiddle }) => toMiddle)
  if (compared.length === 0) return ['Fewer than two engines were not the bottleneck themselves: there is nothing to agree on.']
  const digits = Math.max(...compared.map(({ toMiddle }) => decimals(/** @type {NonNullable<EngineResult['toMiddle']>} */ (toMiddle))))
  const told = compared.map(({ title, toMiddle }) => {
    const text = estimate(/** @type {NonNullable<EngineResult['toMiddle']>} */ (toMiddle), digits)
    return `${title} ${text.ratio} (${text.interval})`
  })
  const differ = compared.filter(({ agrees }) => agrees === 'no').map(({ title }) => title)
  const open = compared.filter(({ agrees }) => agrees === 'open').map(({ title }) => title)
  const verdict = differ.length > 0
    ? `${listing(differ)} ${differ.length === 1 ? 'differs' : 'differ'} by more than 5 %`
    : open.length > 0 ? `within 5 % as far as the intervals can tell, which for ${listing(open)} is not far enough` : 'all within 5 %'
  return [`Engines that were not the bottleneck, against the middle of them: ${told.join(', ')}: ${verdict}.`]
}

/** @param {EngineResult[]} engines */
function bottlenecks (engines) {
  const bound = engines.filter(({ bound, rps }) => rps && bound === 'load')
  if (bound.length === 0) return ['No engine was the bottleneck.']
  const shares = (/** @type {EngineResult[]} */ some) => listing(some.map(({ title, share }) => `${title} (${percent(share)} of a core)`))
  const busy = bound.filter(({ share }) => isBusy(share))
  const waiting = bound.filter(({ share }) => !isBusy(share))
  return [
    ...busy.length > 0 ? [`${shares(busy)} ${busy.length === 1 ? 'was' : 'were'} the bottleneck: the figure is what the engine can send, and the topology can take at least as much.`] : [],
    ...waiting.length > 0 ? [`With ${shares(waiting)} neither side was busy: the engine waits for its connections, or something else takes the machine's time. Such a figure says nothing of the topology.`] : []
  ]
}

/** @param {number | null} share of its core */
const isBusy = share => isNumber(share) && share >= LOAD_BOUND_SHARE

/** @param {EngineResult[]} engines */
const troubles = engines => engines.flatMap(({ title, errors, disagreements, failures, rps }) => [
  ...Object.values(errors).some(number => number > 0) ? [`${title} saw errors: ${errorKinds(errors)}.`] : [],
  ...disagreements.length > 0 ? [`Both sides' counts disagree in ${plural(disagreements.length, 'window')} of ${title}: ${disagreements[0]}.`] : [],
  ...rps && failures.length > 0 ? [`${plural(failures.length, 'window')} of ${title} gave no figure: ${failures[0]}`] : []
])

/** @type {Section} */
function latency ({ engines, connections }, style) {
  const figures = /** @type {const} */ (['p50', 'p90', 'p99', 'max'])
  const measured = engines.filter(({ rps }) => rps)
  if (measured.length === 0) return []
  const widths = [nameWidth(measured.map(({ title }) => title), style.columns - figures.length * 10), ...figures.map(() => 8)]
  const rows = measured.map(({ title, latencyMs }) => [title, ...figures.map(figure => micros(latencyMs?.[figure]))])
  const fastest = measured.reduce((a, b) => Number(b.rps?.median) > Number(a.rps?.median) ? b : a)
  const perSecond = Number(fastest.rps?.median)
  return [
    style.colors.bold('Latency in ms, as each engine tells it: not to be set side by side'),
    ...draw(['engine', ...figures], rows, widths, 'lrrrr', style),
    ...[
      `In a closed loop every connection waits for its answer: the mean is connections ÷ throughput, whatever the engine (${count(connections)} ÷ ${rate(perSecond)} = ${micros(connections / perSecond * 1000)} ms at ${fastest.title}'s rate). It is no user's latency.`,
      ...measured.map(({ title, latencyNote }) => `${title} ${latencyNote}.`)
    ].flatMap(text => wrap(text, style.columns, { first: '- ' }))
  ]
}

/** @type {Section} */
const left = ({ leftOut }, { columns, colors }) => leftOut.length === 0
  ? []
  : [colors.bold('Not compared'), ...leftOut.flatMap(({ name, why }) => wrap(`${name}: ${/[.!?]$/.test(why) ? why : `${why}.`}`, columns, { first: '- ' }))]
