/** Chart of the plays of a scenario: failures by position, or a bar for the answered figure of each arm. */
import * as Plot from '@observablehq/plot'
import { isNumber, micros } from '../../shared/format.js'
import { answeredKinds } from '../behaviour-answer.js'
import { toFailureRate } from '../tables/behaviour.js'
import { linesChart, toLegend } from './lines-chart.js'
import { layOutRows } from './rows.js'

/** @import { ArmResult, RunRecord } from '../../types.js' */
/** @import { Chart } from './draw.js' @import { Line } from './lines-chart.js' */

const HALF_BAR = 0.3 // Half the height of a bar, in rows.
const FAILED = 'failed requests per 10,000'

/** @typedef {{ name: string, value: number, low: number, high: number }} Bar */

/**
 * Returns the chart of failures by position, or the bars where no request failed at a position.
 * @param {RunRecord} record
 * @returns {{ chart: Chart, label: string, legend?: ReturnType<typeof toLegend> } | null} null: nothing to draw
 */
export function positionsChart (record) {
  const { figure, delay } = record.plan.answer ?? {}
  const lines = failureLines(record)
  if (figure === undefined && delay === undefined && lines.length > 0) {
    const axis = record.arms[0].load.scenario?.axis ?? 'position'
    return { chart: linesChart(lines, { x: axis, y: FAILED }), label: `${FAILED} by ${axis}`, legend: toLegend(lines) }
  }
  return behaviourChart(record)
}

/**
 * Returns the chart of the answered figure of each arm, which needs no legend.
 * @param {RunRecord} record
 * @returns {{ chart: Chart, label: string } | null} null: nothing to draw
 */
export function behaviourChart (record) {
  const { bars, unit } = answeredBars(record)
  return bars.length === 0 ? null : { chart: barChart(bars, unit), label: unit }
}

/**
 * Returns a line for each kind of request of an arm that failed at some position.
 * @param {RunRecord} record
 * @returns {Line[]}
 */
const failureLines = record => record.arms.flatMap(arm => answeredKinds(arm, record)
  .filter(({ positions, failures }) => positions.length > 0 && failures > 0)
  .map(({ kind, positions }) => ({
    name: `${arm.name}, ${kind}`,
    points: positions.map(position => ({ x: position.at, y: toFailureRate(position).rate })).sort((a, b) => a.x - b.x),
    end: null
  })))

/**
 * @param {RunRecord} record
 * @returns {{ bars: Bar[], unit: string }}
 */
function answeredBars (record) {
  const { figure, delay, group } = record.plan.answer ?? {}
  if (figure !== undefined) {
    const found = record.arms.flatMap(({ name, plays }) =>
      plays?.figures.filter(({ name }) => name === figure).map(({ value, low, high, unit }) =>
        ({ name, value, low, high, unit })) ?? [])
    return { bars: found, unit: `${figure}, ${found[0]?.unit ?? ''}` }
  }
  if (delay !== undefined) {
    return { bars: record.arms.flatMap(arm => toDelayBar(arm, record)), unit: `p99 of the ${delay} delay, ms` }
  }
  const bars = record.arms.flatMap(arm => {
    const kinds = answeredKinds(arm, record)
    const sum = (/** @type {'requests' | 'failures'} */ key) => kinds.reduce((total, kind) => total + kind[key], 0)
    const { rate, low, high } = toFailureRate({ requests: sum('requests'), failures: sum('failures') })
    return isNumber(rate) ? [{ name: arm.name, value: rate, low, high }] : []
  })
  return { bars, unit: group === undefined ? FAILED : `${FAILED} (${group})` }
}

/**
 * @param {ArmResult} arm
 * @param {RunRecord} record
 * @returns {Bar[]} empty: the arm has no such delay
 */
function toDelayBar ({ name, plays }, { plan: { answer: { delay = '', group } = {} } }) {
  const found = plays?.groups.flatMap(({ name: kind, delays }) =>
    group === undefined || kind === group ? delays?.[delay]?.p99 ?? [] : []) ?? []
  if (found.length === 0) return []
  const value = Math.max(...found)
  return [{ name, value, low: value, high: value }]
}

/**
 * @param {Bar[]} bars
 * @param {string} unit label of the axis
 * @returns {Chart}
 */
const barChart = (bars, unit) => width => {
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
