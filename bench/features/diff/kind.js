/** The kind of a run that compares two states of an app (pure). */
import { toMetric } from '../../report/arm-figures.js'
import { changeAnswer, changeColumns } from '../../report/comparison-words.js'
import { printChangeWhy } from '../../report/facts/facts.js'
import { printReason } from '../../report/facts/reason-texts.js'
import throughput from '../../report/kinds/throughput.js'
import { column } from '../../report/table.js'
import { toFinding } from '../../report/verdicts.js'
import { compact } from '../../report/wrap.js'
import { count, ended, level, listing, micros, percent, rate as perSecond } from '../../shared/format.js'

/** @import { DiffMetric, Kind, RunDiff, RunRecord, Section, Table } from '../../types.js' */

/** The p99 of response times as a metric. */
const P99 = /** @type {const} */ ({ measure: 'latency-p99', unit: 'ms', better: 'smaller' })

/**
 * Texts of the figures. noun: in sentences; label: in tables
 *
 * @type {Record<DiffMetric['figure'], { noun: string, label: string, print: (value: number | null) => string }>}
 */
const FIGURES = {
  cpu: { noun: 'CPU time per request', label: 'CPU time per request, µs', print: micros },
  throughput: { noun: 'throughput', label: 'requests per second', print: perSecond },
  p99: { noun: 'p99 of response times', label: 'p99 of response times, ms', print: micros },
  memory: { noun: 'memory after equal requests', label: 'memory after equal requests, MiB', print: micros },
  bytes: { noun: 'bytes per response', label: 'bytes per response', print: count }
}

/**
 * Returns the name of a figure, with its request where there are several.
 *
 * @param {DiffMetric} figure
 * @param {string} label
 */
const withRequest = ({ arm }, label) => arm === 'head' ? label : `${label}, ${arm.replace(/^head /, '')}`

/** Names a figure in a sentence. @param {DiffMetric} figure */
export const diffMetricName = figure => withRequest(figure, FIGURES[figure.figure].noun)

/**
 * Returns the sentences that decide the exit code.
 *
 * @param {RunDiff} diff
 * @returns {string[]} at least one
 */
export const diffAnswer = diff => changeAnswer(diff.figures.filter(({ decides }) => decides)
  .map(figure => ({ ...figure, name: diffMetricName(figure) })), diff)

/**
 * Returns why a comparison failed.
 *
 * @param {Pick<RunRecord, 'ended' | 'arms' | 'diff'>} record
 * @returns {string} sentences
 */
export function diffFailure ({ ended: reason, arms, diff }) {
  if (reason === 'interrupted') return 'The comparison was interrupted.'
  if (diff) return diffAnswer(diff).join(' ')
  const arm = arms.find(({ invalid }) => invalid !== null)
  return arm?.invalid
    ? ended(`${arm.name} was not measured: ${printReason(arm.invalid)}`)
    : 'Nothing valid was measured.'
}

/**
 * Returns what the intervals include, and why figures have no verdict.
 *
 * @param {RunDiff} diff
 * @returns {string[]}
 */
export function diffLimits ({ figures, starts, sees }) {
  const [first] = figures
  const rates = [...new Set(figures.flatMap(({ rate }) => rate ?? []))]
  const reasons = figures.flatMap(({ figure, why }) =>
    why === null || (why.code === 'one-start' && starts < 2)
      ? []
      : ended(`${FIGURES[figure].noun}: ${printChangeWhy(why)}`))
  return compact([
    sees !== null && `Detectable slowdown of any figure that decides, at 80 % power: ${percent(sees)}.`,
    starts > 1
      ? `Intervals over ${starts} starts of both, ${level(first?.level)} each.`
      : 'A first look: one start, so the intervals do not include the variation between starts.',
    rates.length > 0 && `p99 at ${listing(rates.map(perSecond))} requests per second, from windows in turn.`,
    figures.some(({ decides }) => !decides) && 'Memory and bytes do not decide.',
    ...new Set(reasons)
  ])
}

/**
 * Returns the figures of base and head as a table.
 * @param {RunDiff} diff
 * @returns {Table<DiffMetric>}
 */
const toTable = ({ figures }) => ({
  rows: figures,
  columns: [
    column('figure', figure => withRequest(figure, FIGURES[figure.figure].label), { left: true }),
    column('base', ({ figure, before }) => FIGURES[figure].print(before)),
    column('head', ({ figure, after }) => FIGURES[figure].print(after)),
    ...changeColumns
  ]
})

/**
 * @param {RunDiff} diff
 * @returns {Section}
 */
const toSection = diff => ({
  id: 'diff',
  title: 'Head against base',
  blocks: [`base: ${diff.base.label}`, `head: ${diff.head.label}`, toTable(diff), ...diffLimits(diff)],
  brief: true
})

/** Prints the p99 of both states. @param {DiffMetric} figure */
const toMetrics = ({ arm, baseline, before, after }) => [
  toMetric(baseline, P99, { value: before }), toMetric(arm, P99, { value: after })
].filter(metric => metric !== null)

/** @type {Kind} */
export default {
  ...throughput,
  kind: 'diff',
  answer: record => ({ ...throughput.answer(record), ...record.diff && { text: diffAnswer(record.diff).join(' ') } }),
  sections: (record, extras) => [
    ...record.diff ? [toSection(record.diff)] : [],
    ...throughput.sections(record, extras).map(section => ({ ...section, brief: !record.diff && section.brief }))
  ],
  next: () => [],
  metrics: record => [
    ...throughput.metrics(record),
    ...(record.diff?.figures ?? []).filter(({ figure }) => figure === 'p99').flatMap(toMetrics)
  ],
  findings: ({ diff }) => (diff?.figures ?? []).filter(({ decides }) => decides)
    .map(figure => toFinding(figure, diffMetricName(figure)))
}
