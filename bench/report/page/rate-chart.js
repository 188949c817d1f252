/** Rates: every trial is a point, in the order of the blocks from the top of its row to the bottom, so that a drift is
 * seen; the line is the interval of the median. @import { RunRecord, Sample, Unit } from '../../types.js'
 * @import { Chart } from './draw.js' */
import * as Plot from '@observablehq/plot'
import { isNumber } from '../../shared/format.js'
import { pointsMark } from './points.js'
import { rowsOf } from './rows.js'

const SPREAD = 0.56 // How much of a row its points fill.
const NEAR_ZERO = 0.75 // A scale begins at zero unless that would push everything into its last quarter.

/** What a chart shows in the place of units per second. @type {Record<Unit, { label: string, scale: number }>} */
const SHOWN = {
  requests: { label: 'requests per second', scale: 1 },
  connections: { label: 'connections per second', scale: 1 },
  handshakes: { label: 'TLS handshakes per second', scale: 1 },
  bytes: { label: 'Gbit per second', scale: 8 / 1e9 }
}

/** @param {Unit} unit */
export const shownAs = unit => SHOWN[unit]

/** @param {RunRecord} record @param {Sample[]} samples @returns {Chart | null} null: nothing was measured */
export function rateChart ({ arms, unit }, samples) {
  const { label, scale } = SHOWN[unit]
  const shown = arms.filter(({ rps }) => isNumber(rps?.median))
  const rows = new Map(shown.map(({ name }, i) => [name, i]))
  const trials = samples.filter(sample => rows.has(sample.arm) && sample.seconds > 0 && isNumber(sample.rps))
  if (shown.length === 0) return null
  const blocks = Math.max(1, trials.reduce((most, { block }) => Math.max(most, block), 0))
  const rates = [...trials.filter(({ invalid }) => !invalid).map(({ rps }) => rps),
    ...shown.flatMap(({ rps }) => rps ? [rps.low, rps.median, rps.high].filter(isNumber) : [])]
  const [least, most] = [Math.min(...extremes(rates)), Math.max(...extremes(rates))]
  const domain = [least < most * NEAR_ZERO ? 0 : least * 0.98, most * 1.02].map(value => value * scale)
  return width => {
    const layout = rowsOf(shown.map(({ name }) => name), width)
    const at = (/** @type {Sample} */ { arm, block, rps }) => ({
      x: Math.min(domain[1], Math.max(domain[0], rps * scale)),
      y: (rows.get(arm) ?? 0) + layout.drop + (block / blocks - 0.5) * SPREAD
    })
    const middles = shown.map(({ name, rps }, i) => ({
      name,
      row: i + layout.drop,
      median: (rps?.median ?? NaN) * scale,
      low: (rps?.low || NaN) * scale,
      high: (rps?.high ?? NaN) * scale
    })
    )
    return {
      height: layout.height,
      marginLeft: layout.marginLeft,
      x: { domain, label: `${label} →`, ticks: width / 110, grid: true },
      y: layout.y,
      marks: [
        pointsMark(trials.filter(({ invalid }) => invalid).map(at), 'var(--lost)'),
        pointsMark(trials.filter(({ invalid }) => !invalid).map(at), 'var(--point)'),
        Plot.ruleY(middles.filter(({ low, high }) => isNumber(low) && isNumber(high)), {
          y: 'row',
          x1: 'low',
          x2: 'high',
          stroke: 'var(--ink)',
          strokeWidth: 3
        }),
        Plot.ruleX(middles, {
          x: 'median',
          y1: ({ row }) => row - SPREAD / 2,
          y2: ({ row }) => row + SPREAD / 2,
          stroke: 'var(--ink)',
          strokeWidth: 3,
          title: 'name'
        }),
        ...layout.names
      ]
    }
  }
}

/** The least and the most, of more numbers than a call takes arguments. @param {number[]} values */
const extremes = values =>
  values.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity])
