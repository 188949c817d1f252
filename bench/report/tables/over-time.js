/** Tables of arms second by second, and of arms by the steps of a ladder. */
import { count, isNumber, NONE } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { ofApp } from '../latencies.js'
import { column } from '../table.js'
import { errorKinds, groupLadderSteps, groupSteps, hasErrors, whyInvalid } from './arms.js'

/** @import { ArmResult, ChartLine, Column, RunRecord, SeriesPoint, Table, UserPoint } from '../../types.js' */

const MOST_ROWS = 15 // Rows of a series in a terminal.
const COLUMN_GAP = 2
const SECOND_WIDTH = 3
const LEAST_WIDTH = 7
const USUAL_WIDTH = 9 // Width of the column of an arm, unless its name is longer.

/**
 * @param {RunRecord} record
 * @returns {Table<number>} rows: seconds
 */
export const rateSeries = record => seriesTable(record, ({ rate }) => unitOf(record.unit).print(rate))

/**
 * Returns the number of sockets in TIME_WAIT second by second.
 * @param {RunRecord} record
 * @returns {Table<number>}
 */
export const timeWaitSeries = record => seriesTable(record, ({ timeWait }) => count(timeWait))

/**
 * Returns a table of the series of all arms, without that of the twin.
 * @param {RunRecord} record
 * @param {(point: SeriesPoint) => string} print
 */
function seriesTable ({ arms, plan }, print) {
  const shown = arms.filter(({ name, series = [] }) => series.length > 0 && name !== plan.twin?.arm)
  return secondsTable(shown.map(({ name, series = [] }) => ({ name, points: series })), print)
}

/**
 * Returns a table with a row for each second of at least one arm, and a column for each arm.
 * @template {{ second: number }} Point
 * @param {{ name: string, points: Point[] }[]} arms
 * @param {(point: Point) => string} print
 * @returns {Table<number>}
 */
export function secondsTable (arms, print) {
  const seconds = [...new Set(arms.flatMap(({ points }) => points.map(({ second }) => second)))].sort((a, b) => a - b)
  const equalWidth = (/** @type {number} */ columns) =>
    Math.max(LEAST_WIDTH, Math.floor((columns - SECOND_WIDTH) / Math.max(1, arms.length)) - COLUMN_GAP)
  return {
    rows: seconds,
    shown: thin(seconds),
    columns: [
      column({ text: 's' }, String, { width: SECOND_WIDTH }),
      column({ page: 'second' }, String, { left: true }),
      ...arms.map(({ name, points }) => column(name, (/** @type {number} */ second) => {
        const point = points.find(point => point.second === second)
        return point ? print(point) : NONE
      }, { width: columns => Math.min(equalWidth(columns), Math.max(USUAL_WIDTH, name.length)) }))
    ]
  }
}

/**
 * Keeps the first row, the last, and every n-th, for a terminal.
 * @template Row
 * @param {Row[]} rows
 */
function thin (rows) {
  const every = Math.ceil(rows.length / MOST_ROWS)
  return rows.filter((_, i) => i === 0 || (i + 1) % every === 0 || i === rows.length - 1)
}

/**
 * Returns the table of rates by connections, up to the first errors.
 * @param {RunRecord} record
 * @returns {Table<string>} rows: names of arms
 */
export function ladderTable (record) {
  const groups = new Map(groupLadderSteps(record).map(({ name, steps }) => [name, steps]))
  const allConnections = [...new Set([...groups.values()].flat().map(({ load }) => load.connections))]
    .sort((a, b) => a - b)
  /**
   * Returns a cell that prints the errors of a step, its rate if it has no errors, or else why it has no rate.
   * @type {(connections: number, printErrors: (step: ArmResult) => string | null,
   *   printWhy: (step: ArmResult) => string) => Column<string>['cell']}
   */
  const cellAt = (connections, printErrors, printWhy) => name => {
    const step = groups.get(name)?.find(({ load }) => load.connections === connections)
    if (!step || step.trials === 0) return NONE
    const median = step.rps?.median
    return printErrors(step) ?? (isNumber(median) ? unitOf(record.unit).print(median) : printWhy(step))
  }
  return {
    rows: [...groups.keys()],
    columns: [
      column('arm', name => name, { left: true }),
      ...allConnections.flatMap(connections => [
        column({ text: `c${count(connections)}` },
          cellAt(connections, arm => hasErrors(arm) ? 'errors' : null, () => NONE)),
        column({ page: count(connections) },
          cellAt(connections, ({ errors }) => errorKinds(errors), arm => whyInvalid(arm) ?? NONE))
      ])
    ]
  }
}

/**
 * Returns a line for each arm that was measured second by second.
 * @param {RunRecord} record
 * @param {(point: SeriesPoint) => number | null} getFigure
 */
export const seriesLines = ({ arms, plan }, getFigure) => arms
  .filter(({ name }) => name !== plan.twin?.arm)
  .flatMap(({ name, series = [] }) => toLine(name, series, getFigure))

/**
 * Returns a line for each arm with users.
 * @param {Pick<RunRecord, 'arms'>} record
 * @param {(point: UserPoint) => number | null} getFigure
 */
export const userLines = ({ arms }, getFigure) =>
  arms.flatMap(({ name, users = [] }) => toLine(name, users, getFigure))

/**
 * @template {{ second: number }} T
 * @param {string} name
 * @param {T[]} series
 * @param {(point: T) => number | null} getFigure
 * @returns {ChartLine[]} empty if no point has the figure
 */
function toLine (name, series, getFigure) {
  const points = series.flatMap(point => {
    const y = getFigure(point)
    return isNumber(y) ? [{ x: point.second, y }] : []
  })
  return points.length === 0 ? [] : [{ name, points, end: null }]
}

/**
 * Returns rate by connections for each arm of a ladder.
 * @param {RunRecord} record
 * @returns {ChartLine[]}
 */
export function ladderLines (record) {
  const { scale } = unitOf(record.unit)
  const toPoint = (/** @type {ArmResult} */ { load, rps }) => ({ x: load.connections, y: (rps?.median ?? 0) * scale })
  return groupLadderSteps(record).map(({ name, steps }) => {
    const measured = steps.filter(({ trials }) => trials > 0)
    const failed = measured.find(hasErrors)
    return {
      name,
      points: measured.filter(arm => !hasErrors(arm) && isNumber(arm.rps?.median)).map(toPoint),
      end: failed ? toPoint(failed) : null
    }
  })
}

/**
 * Returns p99 of response time by offered rate for each arm of an open-loop run.
 * @param {RunRecord} record
 * @returns {ChartLine[]}
 */
export const loadLines = record => groupSteps({ arms: record.arms.map(ofApp) }).map(({ name, steps }) => ({
  name,
  points: steps.flatMap(({ rps, latencyMs }) =>
    isNumber(rps?.median) && isNumber(latencyMs?.p99) && latencyMs.p99 > 0
      ? [{ x: rps.median, y: latencyMs.p99 }]
      : []
  ),
  end: null
})).filter(({ points }) => points.length > 0)
