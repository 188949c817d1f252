/** Words of the answer for records that were stored before plans had them. */
import { findExperiment } from '../plan/plugins.js'

/** @import { RunRecord } from '../types.js' */

/**
 * Adds the words that the experiment declares today, unless the plan has words of its own.
 *
 * @template {RunRecord | null} Record
 * @param {Record} record
 * @returns {Promise<Record>}
 */
export async function withAnswerWords (record) {
  if (!record || record.plan.answer) return record
  const answer = (await findExperiment(record.experiment))?.answer
  return answer ? { ...record, plan: { ...record.plan, answer } } : record
}
