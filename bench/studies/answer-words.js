/** Words of the answers of stored records. */
import { findExperiment } from '../plugins.js'

/** @import { RunRecord } from '../types.js' */

/**
 * Replaces the words of the plan by those that its experiment declares today, because wording is no part of a result.
 *
 * @template {RunRecord | null} Record
 * @param {Record} record
 * @returns {Promise<Record>}
 */
export async function withAnswerWords (record) {
  if (!record) return null
  const answer = (await findExperiment(record.experiment))?.answer
  return answer ? { ...record, plan: { ...record.plan, answer } } : record
}
