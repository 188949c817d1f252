/** Chart of response times: a row for each arm, a point for each percentile. */
import * as Plot from '@observablehq/plot'
import { isNumber, micros } from '../../shared/format.js'
import { ofApp } from '../latencies.js'
import { hasLatency, PERCENTILES } from '../tables/arms.js'
import { layOutRows } from './rows.js'

/** @import { ArmResult } from '../../types.js' */
/** @import { Chart } from './draw.js' */

/**
 * @param {{ arms: ArmResult[] }} block at least one arm with response times
 * @returns {Chart}
 */
export function latencyChart ({ arms }) {
  const shown = arms.map(ofApp).filter(hasLatency)
  return width => {
    const layout = layOutRows(shown.map(({ name }) => name), width)
    const points = shown.flatMap(({ name, latencyMs }, i) =>
      PERCENTILES.flatMap(percentile => {
        const time = latencyMs?.[percentile]
        return isNumber(time) && time > 0
          ? [{ time, row: i + layout.drop, percentile, title: `${name}, ${percentile}: ${micros(time)} ms` }]
          : []
      })
    )
    return {
      ...layout.frame,
      x: { type: 'log', label: 'ms →', ticks: width / 100, grid: true },
      marks: [
        Plot.line(points, { x: 'time', y: 'row', z: 'row', stroke: 'var(--line-strong)', strokeWidth: 2 }),
        Plot.dot(points, { x: 'time', y: 'row', fill: 'var(--point)', r: 4, title: 'title' }),
        Plot.text(points.filter(({ percentile }) => percentile !== 'p95'), {
          x: 'time',
          y: 'row',
          text: 'percentile',
          dy: -11
        }),
        ...layout.names
      ]
    }
  }
}
