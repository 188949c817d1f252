/** Chart of CPU time for each unit, stacked by role. */
import * as Plot from '@observablehq/plot'
import { isNumber, micros } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { layOutRows, LETTER_WIDTH } from './rows.js'

/** @import { ByRole, RunRecord } from '../../types.js' */
/** @import { Chart } from './draw.js' */

/**
 * Roles from the client to the app.
 * @type {{ role: keyof ByRole, color: string }[]}
 */
const ROLES = [
  { role: 'load', color: 'var(--load)' },
  { role: 'proxy', color: 'var(--proxy)' },
  { role: 'server', color: 'var(--server)' }
]

export const costLegend = ROLES.map(({ role, color }) => ({ name: role, color, symbol: 'band' }))

const HALF_BAR = 0.3 // Half the height of a bar, in rows.

/**
 * @param {Pick<RunRecord, 'arms' | 'unit'>} block at least one arm with CPU time
 * @returns {Chart}
 */
export function costChart ({ arms, unit }) {
  const { units, per } = unitOf(unit)
  const shown = arms.flatMap(({ name, cpuMicrosPerRequest: cpu }) =>
    cpu && ROLES.every(({ role }) => isNumber(cpu[role])) ? [{ name, cpu }] : [])
  const longest = Math.max(...shown.map(({ cpu }) => (cpu.load + cpu.proxy + cpu.server) * units))
  return width => {
    const layout = layOutRows(shown.map(({ name }) => name), width)
    const bars = shown.flatMap(({ name, cpu }, i) => {
      let from = 0
      return ROLES.map(({ role, color }) => {
        const time = cpu[role] * units
        const bar = {
          from,
          to: from + time,
          middle: from + time / 2,
          row: i + layout.drop,
          color,
          text: `${role} ${micros(time)}`,
          title: `${name}, ${role}: ${micros(time)} µs`
        }
        from = bar.to
        return bar
      })
    })
    const pixelsPerMicro = (width - layout.frame.marginLeft - 24) / longest
    const labelled = bars.filter(({ from, to, text }) => (to - from) * pixelsPerMicro > text.length * LETTER_WIDTH)
    return {
      ...layout.frame,
      x: { domain: [0, longest], label: `CPU time for each ${per}, in µs →`, ticks: width / 110, grid: true },
      marks: [
        Plot.rect(bars, {
          x1: 'from',
          x2: 'to',
          y1: ({ row }) => row - HALF_BAR,
          y2: ({ row }) => row + HALF_BAR,
          fill: 'color',
          stroke: 'var(--paper)',
          title: 'title'
        }),
        Plot.text(labelled, { x: 'middle', y: 'row', text: 'text', fill: 'var(--on-bar)' }),
        ...layout.names
      ]
    }
  }
}
