/**
 * Tables of the protocols that are about more than one figure for each arm: second by second, and
 * step by step.
 * @import { ArmResult, RunRecord } from '../types.js'
 * @import { Style } from './text.js'
 */
import { count, isNumber, NONE } from './format.js'
import { draw, nameWidth } from './table.js'
import { unitOf } from './units.js'

/** More rows than this say no more: then only every second, third … is shown. */
const MOST_ROWS = 15
const GAP = 2
const SECOND_WIDTH = 3

/** @param {RunRecord} record */
export const hasSeries = ({ arms }) => arms.some(({ series }) => series && series.length > 0)

/**
 * The rate of every arm second by second.
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {string[]} lines
 */
export const rateSeries = (record, style) => {
  const { print } = unitOf(record.unit)
  return bySecond(record, style, ({ rate }) => print(rate))
}

/**
 * Sockets in TIME_WAIT second by second.
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {string[]} lines; none where nobody knows
 */
export const timeWaitSeries = (record, style) => record.arms.some(({ series = [] }) => series.some(({ timeWait }) => timeWait !== null))
  ? bySecond(record, style, ({ timeWait }) => count(timeWait))
  : []

/**
 * @param {RunRecord} record
 * @param {Style} style
 * @param {(point: import('../types.js').SeriesPoint) => string} print
 */
function bySecond ({ arms, plan }, style, print) {
  const shown = arms.filter(({ name, series }) => series && name !== plan.twin?.arm)
  const last = Math.max(...shown.flatMap(({ series = [] }) => series.map(({ second }) => second)))
  const every = Math.ceil(last / MOST_ROWS)
  const seconds = Array.from({ length: last }, (_, i) => i + 1).filter(second => second === 1 || second % every === 0 || second === last)
  const width = Math.max(7, Math.floor((style.columns - SECOND_WIDTH) / Math.max(1, shown.length)) - GAP)
  const widths = [SECOND_WIDTH, ...shown.map(({ name }) => Math.min(width, Math.max(9, name.length)))]
  const rows = seconds.map(second => [String(second), ...shown.map(({ series = [] }) => {
    const point = series.find(point => point.second === second)
    return point ? print(point) : NONE
  })])
  return draw(['s', ...shown.map(({ name }) => name)], rows, widths, 'r'.repeat(widths.length), style)
}

/**
 * The rate of every arm step by step, up to its first errors.
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {string[]} lines
 */
export function ladderTable ({ arms, unit, plan }, style) {
  const shown = arms.filter(arm => arm.ladder && arm.ladder.of !== plan.twin?.arm)
  const names = [...new Set(shown.map(arm => arm.ladder?.of ?? arm.name))]
  const steps = [...new Set(shown.map(({ load }) => load.connections))].sort((a, b) => a - b)
  const cells = names.map(name => steps.map(step => stepCell(shown.find(arm => arm.ladder?.of === name && arm.load.connections === step), unit)))
  const columns = steps.map((step, i) => Math.max(count(step).length + 1, ...cells.map(row => row[i].length)))
  const room = style.columns - columns.reduce((sum, width) => sum + width + GAP, 0)
  return draw(['arm', ...steps.map(step => `c${count(step)}`)], names.map((name, i) => [name, ...cells[i]]), [nameWidth(names, room), ...columns], `l${'r'.repeat(steps.length)}`, style)
}

/** @param {ArmResult | undefined} arm @param {import('../types.js').Unit} unit */
function stepCell (arm, unit) {
  if (!arm || arm.trials === 0) return NONE
  const { errors } = arm
  if (errors.non2xx + errors.timeouts + errors.resets + errors.mismatches > 0) return 'errors'
  return isNumber(arm.rps?.median) ? unitOf(unit).print(arm.rps.median) : NONE
}
