/** The record of a run as JSON for programs: its answer first, and its facts with their texts. */
import { findAnswer } from './answer.js'
import { printRecord } from './facts/facts.js'

/** @import { RunRecord } from '../types.js' */

/**
 * Prints a record.
 *
 * @param {RunRecord} record
 * @returns {string} ends with a line break
 */
export const toJson = record =>
  `${JSON.stringify({ answer: findAnswer(record), ...printRecord(record) }, null, 2)}\n`
