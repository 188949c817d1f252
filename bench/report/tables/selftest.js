/** Tables of a selftest. */
import { count, estimate, isNumber, NONE, percent } from '../../shared/format.js'
import { column } from '../table.js'

/** @import { OpenLoopAccuracy, PlantedResult, Resolution, SelfTest, Table } from '../../types.js' */

/**
 * @param {SelfTest} selftest
 * @returns {Table<Resolution['table'][number]>}
 */
export const resolutionTable = ({ resolution }) => ({
  rows: resolution.table,
  columns: [
    column({ text: 'wall time' }, ({ minutes }) => minutes === 1 ? '1 minute' : `${minutes} minutes`,
      { left: true, width: 10 }),
    column({ page: 'wall time in minutes' }, ({ minutes }) => count(minutes)),
    column('starts', ({ starts }) => starts === undefined ? NONE : count(starts), { width: 6 }),
    column('blocks', ({ blocks }) => count(blocks), { width: 6 }),
    column('difference', ({ difference }) => isNumber(difference) ? percent(difference) : NONE, { width: 10 })
  ]
})

/**
 * @param {SelfTest} selftest
 * @returns {Table<PlantedResult>}
 */
export const plantedTable = ({ resolution: { planted } }) => ({
  rows: planted,
  columns: [
    column({ text: 'more' }, ({ more }) => percent(more), { left: true, width: 5 }),
    column({ page: 'more CPU time' }, ({ more }) => percent(more)),
    column('expected', ({ expected }) => expected.toFixed(3), { width: 8 }),
    column({ text: 'ratio' }, ({ ratio }) => isNumber(ratio) ? ratio.toFixed(3) : NONE, { width: 5 }),
    column({ text: 'interval' }, ({ low, high }) =>
      [low, high].every(isNumber) ? `${low.toFixed(3)} to ${high.toFixed(3)}` : NONE, { width: 14 }),
    column({ page: 'ratio' }, row => estimate(row).ratio),
    column({ page: 'interval' }, row => estimate(row).interval),
    column('verdict', ({ verdict }) => verdict, { left: true, width: 13 }),
    column('held', row => ofRuns(row.held, row), { width: 7 }),
    column('found', row => ofRuns(row.found, row), { width: 7 })
  ]
})

/**
 * @param {number | undefined} number
 * @param {PlantedResult} row
 */
const ofRuns = (number, { runs }) => number === undefined || runs === undefined ? NONE : `${number} of ${runs}`

/**
 * Returns the figures that open loops measured, beside the calculated ones.
 * @param {SelfTest} selftest
 * @returns {Table<OpenLoopAccuracy>}
 */
export const accuracyTable = ({ openLoop }) => ({
  rows: openLoop?.accuracies ?? [],
  columns: [
    column({ page: 'requests per second' }, ({ rate }) => count(rate)),
    column({ page: 'engine' }, ({ engine }) => engine, { left: true }),
    column({ page: 'server' }, ({ kind }) => kind === 'stall' ? 'blocks 300 ms every 3 s' : 'responds after 20 ms',
      { left: true }),
    column({ page: 'figure' }, ({ figure }) => figure, { left: true }),
    column({ page: 'calculated, ms' }, ({ calculated }) => calculated.toFixed(1)),
    column({ page: 'measured, ms' }, ({ measured }) => measured.toFixed(1))
  ]
})
