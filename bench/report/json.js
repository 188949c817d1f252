/** The record of a run as JSON for programs: its answer first, and its facts with their texts. */

/** @import { Kind, RunRecord } from '../types.js' */

/**
 * Prints a record.
 *
 * @param {RunRecord} record
 * @param {Kind} kind
 * @returns {string} ends with a line break
 */
export const toJson = (record, kind) =>
  `${JSON.stringify({ answer: kind.answer(record), ...kind.printFacts(record) }, null, 2)}\n`
