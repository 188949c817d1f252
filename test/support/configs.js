/**
 * Checks of `hopbench check --configs`.
 * @import { Test } from 'tap'
 * @import { ConfigsRecord } from '../../bench/types.js'
 */
import { printReport } from '../../bench/report/terminal.js'
import { configsKind } from '../../bench/features/check/kind.js'

/**
 * Asserts that a check tried everything, that no behaviour fails, and that each gap has a reason.
 * @param {Test} t
 * @param {ConfigsRecord} record
 * @param {{ behaviours: Map<string, unknown>, subjects: number }} expected
 */
export function everyCellHolds (t, record, { behaviours, subjects }) {
  const { cells } = record
  t.strictSame(cells.filter(({ outcome }) => outcome === 'fails'), [])
  t.equal(cells.length, subjects * behaviours.size)
  t.strictSame(cells.filter(({ outcome, detail }) => outcome === 'not-offered' && !detail), [], 'a reason for each gap')
  t.notMatch(printReport(record, configsKind), /FAILS/)
}
