/** Runs at offered rates, which are inputs. */
import { isOfApp } from '../latencies.js'
import { loadTable } from '../tables/arms.js'
import { loadLines } from '../tables/over-time.js'
import { costSection, errorSentences, latencySection, logSections, run } from './run.js'

/** @import { ChartBlock, Kind, RunRecord, Section } from '../../types.js' */

/** @type {Kind} */
export default {
  ...run,
  kind: 'latency',
  sections: record => latencySections(record),
  mainChart: loadChart
}

/**
 * Returns the sections of response times by offered rate.
 * @param {RunRecord} record
 * @param {Parameters<typeof loadTable>[1] & { goal?: number }} [options] goal: p99 in ms, drawn as a line
 * @returns {Section[]}
 */
export function latencySections (record, { goal, ...columns } = {}) {
  const chart = loadChart(record, goal)
  const requests = isOfApp(record.arms) ? ' of requests to the app' : ''
  const blocks = record.arms.length === 0
    ? ['No arm was measured.']
    : [
        ...chart ? [chart] : [],
        loadTable(record, columns),
        ...errorSentences(record),
        'Open loop: requests are sent on a schedule, without waiting for responses. Response time starts at the ' +
        'scheduled send time, so it includes what a client waits and has no coordinated omission.'
      ]
  return [
    {
      id: 'load',
      title: `Response time in ms${requests}, by offered rate (open loop)`,
      blocks,
      brief: blocks.filter(block => record.arms.length === 0 || typeof block === 'object')
    },
    costSection(record),
    latencySection(record, 'From the scheduled send time of each request.', 'Percentiles in ms at each load'),
    ...logSections(record)
  ]
}

/**
 * Returns the chart of p99 by offered rate.
 * @param {RunRecord} record
 * @param {number} [goal] p99 in ms
 * @returns {ChartBlock | null} null: nothing to draw
 */
export function loadChart (record, goal) {
  const lines = loadLines(record)
  return lines.length === 0
    ? null
    : {
        chart: 'lines',
        lines,
        axes: {
          x: 'requests per second',
          y: 'p99, ms',
          isLogY: true,
          ...goal && { mark: { y: goal, name: 'the goal' } }
        },
        label: '99th percentile of response time by requests per second'
      }
}
