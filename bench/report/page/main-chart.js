/** The charts that stand for a whole run, also as files of their own. @import { RunRecord } from '../../types.js' */
import { resultOf } from '../../plan/plan.js'
import { linesChart, loadLines, userLines } from './lines-chart.js'
import { commonBaseline, ratioChart, ratioRows } from './ratio-chart.js'
import { hasUsers } from '../tables/users.js'

/** The chart that stands for the whole run, also as a file of its own. @param {RunRecord} record */
export function mainChart (record) {
  if (resultOf(record.plan) === 'latency') return loadChart(record)
  if (hasUsers(record)) return failuresChart(record)
  const rows = ratioRows(record)
  const baseline = commonBaseline(record)
  return rows.length === 0
    ? null
    : {
        chart: ratioChart(rows, record.noiseFloor, baseline ? `throughput relative to ${baseline} →` : undefined),
        label: `Relative throughput against ${baseline ?? 'the baseline'}, with confidence intervals`
      }
}

/** @param {RunRecord} record */
const failuresChart = record => ({
  chart: linesChart(userLines(record, ({ failures }) => failures), { x: 'seconds', y: 'failures/s' }),
  label: 'Failures a second, second by second'
})

/** @param {RunRecord} record */
export function loadChart (record) {
  const lines = loadLines(record)
  const goal = record.sizing?.goal.p99Ms
  return lines.length === 0
    ? null
    : {
        chart: linesChart(lines, {
          x: 'requests per second',
          y: 'p99, ms',
          times: true,
          ...goal && { mark: { y: goal, name: 'the goal' } }
        }),
        label: '99th percentile of response time by requests per second'
      }
}
