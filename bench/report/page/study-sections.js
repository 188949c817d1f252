/** Sections of kinds that have no file of their own yet. */
import { diffLimits, diffSides, diffTable } from '../diff-text.js'

/** @import { ChartBlock, RunRecord, Section, Table } from '../../types.js' */

/** @param {RunRecord} record */
const diffSections = ({ diff }) => diff
  ? [section('diff', 'Head against base', { words: [...diffSides(diff), ...diffLimits(diff)], table: diffTable(diff) })]
  : []

/** @param {RunRecord} record */
export const studySections = record => diffSections(record)

/**
 * @param {string} id
 * @param {string} title
 * @param {{ words?: string[], chart?: ChartBlock, table?: Table<any> }} content
 * @returns {Section}
 */
export function section (id, title, { words = [], chart, table }) {
  return { id, title, blocks: [...chart ? [chart] : [], ...table ? [table] : [], ...words] }
}
