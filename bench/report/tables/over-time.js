/** Tables of more than one figure for each arm: second by second, and step by step.
 * @import { ArmResult, Column, RunRecord, SeriesPoint, Table } from '../../types.js' */
import { count, isNumber, NONE } from '../../shared/format.js'
import { errorsOf } from '../../shared/trial.js'
import { unitOf } from '../../shared/units.js'
import { column } from '../table.js'
import { errorKinds, whyNot } from './arms.js'

const MOST_ROWS = 15 // More rows than this say no more in a terminal: then only every second, third … is shown.
const GAP = 2
const SECOND_WIDTH = 3

/** @param {Pick<RunRecord, 'arms' | 'plan'>} record */
const inSeries = ({ arms, plan }) =>
  arms.filter(({ name, series }) => series && series.length > 0 && name !== plan.twin?.arm)

/** @param {RunRecord} record @returns {Table<number>} of seconds */
export const rateSeries = record => seriesTable(record, ({ rate }) => unitOf(record.unit).print(rate))

/** Sockets in TIME_WAIT. @param {RunRecord} record @returns {Table<number>} */
export const timeWaitSeries = record => seriesTable(record, ({ timeWait }) => count(timeWait))

/** @param {RunRecord} record @param {(point: SeriesPoint) => string} print @returns {Table<number>} */
function seriesTable (record, print) {
  const shown = inSeries(record)
  const share = (/** @type {number} */ columns) =>
    Math.max(7, Math.floor((columns - SECOND_WIDTH) / Math.max(1, shown.length)) - GAP)
  return {
    rows: [...new Set(shown.flatMap(({ series = [] }) => series.map(({ second }) => second)))].sort((a, b) => a - b),
    columns: [
      column({ text: 's' }, String, { width: SECOND_WIDTH }),
      column({ page: 'second' }, String, { left: true }),
      ...shown.map(({ name, series = [] }) => column(name, (/** @type {number} */ second) => {
        const point = series.find(point => point.second === second)
        return point ? print(point) : NONE
      }, { width: columns => Math.min(share(columns), Math.max(9, name.length)) }))
    ]
  }
}

/** The first second, the last, and every n-th. @param {Table<number>} table @returns {Table<number>} */
export function thinnedSeries (table) {
  const last = Math.max(...table.rows)
  const every = Math.ceil(last / MOST_ROWS)
  return { ...table, rows: table.rows.filter(second => second === 1 || second % every === 0 || second === last) }
}

/** Step by step, up to the first errors. @param {RunRecord} record @returns {Table<string>} of arms */
export function ladderTable ({ arms, plan, unit }) {
  const shown = arms.filter(arm => arm.ladder && arm.ladder.of !== plan.twin?.arm)
  const steps = [...new Set(shown.map(({ load }) => load.connections))].sort((a, b) => a - b)
  /** @type {(step: number, errors: (arm: ArmResult) => string | null, other: (arm: ArmResult) => string) =>
   * Column<string>['cell']} */
  const cellOf = (step, errors, other) => name => {
    const arm = shown.find(arm => arm.ladder?.of === name && arm.load.connections === step)
    if (!arm || arm.trials === 0) return NONE
    return errors(arm) ?? (isNumber(arm.rps?.median) ? unitOf(unit).print(arm.rps.median) : other(arm))
  }
  return {
    rows: [...new Set(shown.map(({ ladder }) => ladder?.of ?? ''))],
    columns: [
      column('arm', name => name, { left: true }),
      ...steps.flatMap(step => [
        column({ text: `c${count(step)}` },
          cellOf(step, arm => errorsOf(arm.errors) > 0 ? 'errors' : null, () => NONE)),
        column({ page: count(step) }, cellOf(step, arm => errorKinds(arm.errors), arm => whyNot(arm) ?? NONE))
      ])
    ]
  }
}
