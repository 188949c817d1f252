/** The history of an experiment in sentences and a table (pure). */
import { estimate, interval, listing, micros, NONE, percent, plural } from '../shared/format.js'
import { unitOf } from '../shared/units.js'
import { column } from './table.js'
import { compact } from './wrap.js'

/** @import { History, HistoryFigure, HistoryRun, Point, Step } from '../judge/history.js' */
/** @import { Table } from '../types.js' */

const MOST_NAMED = 3 // A longer list of changes hides the answer.
const LEAST_RUNS = 6 // Fewest runs in which a change is found: three before, and three after.
const SPARK_WIDTH = 16 // Letters of a sparkline, which is a mean where there are more runs.
const SPARKS = '▁▂▃▄▅▆▇█'

/** Titles of the kinds of figures. @type {Record<HistoryFigure['kind'], (unit: History['unit']) => string>} */
export const TITLES = {
  ratio: () => 'throughput',
  cpu: unit => `CPU time, µs/${unitOf(unit).per}`,
  rate: unit => unitOf(unit).perSecond
}

/**
 * Names a run by its commit, with a plus sign if files differed from it; without a commit by its start.
 *
 * @param {HistoryRun} run
 */
export const runLabel = ({ commit, startedAt }) =>
  commit ? `${commit.hash.slice(0, 7)}${commit.changed ? '+' : ''}` : startedAt.slice(5, 16).replace('T', ' ')

/**
 * Prints a value of a figure.
 *
 * @param {HistoryFigure['kind']} kind
 * @param {number} value
 * @param {History['unit']} unit
 */
export function printValue (kind, value, unit) {
  if (kind === 'ratio') return estimate({ ratio: value, low: null, high: null }).ratio
  return kind === 'cpu' ? micros(value * unitOf(unit).units) : unitOf(unit).print(value)
}

/**
 * Describes a step of a figure: "uds ÷ tcp is 12 % lower", "uds needs 9 % more CPU time for each request".
 *
 * @param {HistoryFigure} figure
 * @param {Step} step
 * @param {History['unit']} unit
 */
export function stepClause ({ kind, name }, { ratio }, unit) {
  const amount = percent(Math.abs(ratio - 1))
  if (kind === 'ratio') return `${name} is ${amount} ${ratio < 1 ? 'lower' : 'higher'}`
  const more = ratio < 1 ? 'less' : 'more'
  if (kind === 'rate') return `${name} serves ${amount} ${more}`
  return `${name} needs ${amount} ${more} CPU time for each ${unitOf(unit).per}`
}

/**
 * Names a run with its date: "1a2b3c4 (2026-11-20)".
 *
 * @param {HistoryRun} run
 */
export const datedLabel = run => `${runLabel(run)}${run.commit ? ` (${run.startedAt.slice(0, 10)})` : ''}`

/**
 * Returns the figures that changed at the latest change.
 *
 * @param {History} history
 */
export function historyAnswer ({ experiment, runs, figures, unit }) {
  const over = `over ${plural(runs.length, 'run')} since ${runs[0].startedAt.slice(0, 10)}`
  const steps = figures.flatMap(figure => figure.steps.map(step => ({ figure, step })))
  if (steps.length > 0) {
    const run = Math.max(...steps.map(({ step }) => step.run))
    const latest = steps.filter(({ step }) => step.run === run)
    const clauses = latest.slice(0, MOST_NAMED).map(({ figure, step }) => stepClause(figure, step, unit))
    const others = steps.length - clauses.length
    const more = others > 0 ? ` ${plural(others, 'further change')} ${over}.` : ''
    return `Since ${datedLabel(runs[run])} ${listing(clauses)}.${more}`
  }
  if (runs.length < LEAST_RUNS) {
    return `${experiment} has ${plural(runs.length, 'run')}; a change is found in ${LEAST_RUNS} runs or more.`
  }
  return `No figure of ${experiment} has changed ${over}.`
}

/**
 * Returns the runs and figures that are left out.
 *
 * @param {History & { unreadable?: number }} history
 */
export const historyNotes = ({ elsewhere, unreadable = 0 }) => compact([
  elsewhere > 0 && `${plural(elsewhere, 'run')} of another machine than the last run's, or of unknown speed: ` +
    'only the ratios within each run are shown.',
  unreadable > 0 && `${plural(unreadable, 'run')} left out: incomplete, a smoke test, or unreadable.`
])

/**
 * @param {History} history
 * @returns {Table<HistoryFigure>}
 */
export function historyTable (history) {
  const { runs, unit } = history
  const print = (/** @type {HistoryFigure} */ { kind }, /** @type {Point | undefined} */ point) =>
    point === undefined ? NONE : printValue(kind, point.value, unit)
  return {
    rows: history.figures,
    columns: [
      column('figure', ({ kind, name }) => `${name}, ${TITLES[kind](unit)}`, { left: true }),
      column({ page: 'runs' }, ({ points }) => String(points.length)),
      column({ page: 'first' }, figure => print(figure, figure.points[0])),
      column('last', figure => print(figure, figure.points.at(-1))),
      column({ page: 'range' }, ({ kind, points }) => {
        const values = points.map(({ value }) => value)
        return interval(printValue(kind, Math.min(...values), unit), printValue(kind, Math.max(...values), unit))
      }),
      column({ text: 'runs' }, ({ points }) => sparkline(points.map(({ value }) => value)), { left: true }),
      column({ page: 'changes' }, ({ steps }) =>
        steps.map(step => printStep(step, runs)).join(', ') || 'none', { left: true }),
      // A terminal has room for one.
      column({ text: 'last change' }, ({ steps }) => {
        const last = steps.at(-1)
        return last === undefined ? 'none' : printStep(last, runs)
      }, { left: true })
    ]
  }
}

/**
 * @param {Step} step
 * @param {HistoryRun[]} runs
 */
const printStep = ({ run, ratio }, runs) =>
  `${ratio < 1 ? '−' : '+'}${percent(Math.abs(ratio - 1))} at ${runLabel(runs[run])}`

/**
 * Draws values as letters of different heights, from the smallest to the largest. A spread below a tenth is drawn as
 * less, so that noise does not look large.
 *
 * @param {number[]} values at least one, above zero
 */
export function sparkline (values) {
  const width = Math.min(values.length, SPARK_WIDTH)
  const logs = Array.from({ length: width }, (_, i) => {
    const part = values.slice(Math.floor(i * values.length / width), Math.floor((i + 1) * values.length / width))
    return part.reduce((sum, value) => sum + Math.log(value), 0) / part.length
  })
  const middle = (Math.max(...logs) + Math.min(...logs)) / 2
  const spread = Math.max(Math.max(...logs) - Math.min(...logs), Math.log(1.1))
  return logs.map(log => SPARKS[Math.round(((log - middle) / spread + 0.5) * (SPARKS.length - 1))]).join('')
}
