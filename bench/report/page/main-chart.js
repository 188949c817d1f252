/** The main chart of a run, for the top of the page and for a file of its own. */
import { hasUsers } from '../tables/users.js'
import { behaviourChart } from './behaviour-chart.js'
import { linesChart, loadLines, toLegend, userLines } from './lines-chart.js'
import { commonBaseline, ratioChart, ratioLegend, ratioRows } from './ratio-chart.js'

/** @import { RunRecord } from '../../types.js' */
/** @import { Chart } from './draw.js' */

/**
 * @param {RunRecord} record
 * @returns {{ chart: Chart, label: string, legend?: ReturnType<typeof ratioLegend> } | null} label: alternative text;
 * null: nothing to draw
 */
export function mainChart (record) {
  if (record.plan.result === 'latency') return loadChart(record)
  if (record.plan.result === 'behaviour') return behaviourChart(record)
  if (hasUsers(record)) {
    const lines = userLines(record, ({ failures }) => failures)
    return {
      chart: linesChart(lines, { x: 'seconds', y: 'failures/s' }),
      label: 'Failures a second, second by second',
      legend: toLegend(lines)
    }
  }
  const rows = ratioRows(record)
  if (rows.length === 0) return null
  const baseline = commonBaseline(record)
  return {
    chart: ratioChart(rows, record.noiseFloor, baseline === null ? undefined : `throughput relative to ${baseline} →`),
    label: `Relative throughput against ${baseline ?? 'the baseline'}, with confidence intervals`,
    legend: ratioLegend(record.noiseFloor)
  }
}

/**
 * Returns the chart of p99 by offered rate, with the goal of a sizing.
 * @param {RunRecord} record
 */
export function loadChart (record) {
  const lines = loadLines(record)
  if (lines.length === 0) return null
  const goal = record.sizing?.goal.p99Ms
  return {
    chart: linesChart(lines, {
      x: 'requests per second',
      y: 'p99, ms',
      isLogY: true,
      ...goal && { mark: { y: goal, name: 'the goal' } }
    }),
    label: '99th percentile of response time by requests per second',
    legend: toLegend(lines)
  }
}
