/** Chart with a bar for each arm, and its interval. */
import * as Plot from '@observablehq/plot'
import { micros } from '../../shared/format.js'
import { layOutRows } from './rows.js'

/** @import { Bar } from '../../types.js' */
/** @import { Chart } from './draw.js' */

const HALF_BAR = 0.3 // Half the height of a bar, in rows.

/**
 * @param {Bar[]} bars
 * @param {string} unit label of the axis
 * @returns {Chart}
 */
export const barChart = (bars, unit) => width => {
  const layout = layOutRows(bars.map(({ name }) => name), width)
  const rows = bars.map((bar, i) => ({ ...bar, row: i + layout.drop, title: `${bar.name}: ${micros(bar.value)}` }))
  return {
    ...layout.frame,
    x: {
      domain: [0, Math.max(...bars.map(({ high }) => high)) || 1], label: `${unit} →`, ticks: width / 110, grid: true
    },
    marks: [
      Plot.rect(rows, {
        x1: 0,
        x2: 'value',
        y1: ({ row }) => row - HALF_BAR,
        y2: ({ row }) => row + HALF_BAR,
        fill: 'var(--proxy)',
        title: 'title'
      }),
      Plot.ruleY(rows.filter(({ low, high }) => high > low), { x1: 'low', x2: 'high', y: 'row', strokeWidth: 2 }),
      ...layout.names
    ]
  }
}
