/** Words of the answers of stored records. */
import { findExperiment } from '../plan/plugins.js'

/** @import { RunRecord } from '../types.js' */

/**
 * Replaces the words of the plan by those that its experiment declares today, because wording is no part of a result.
 * Keeps those of an experiment of the user's own with the same name.
 *
 * @template {RunRecord | null} Record
 * @param {Record} record
 * @returns {Promise<Record>}
 */
export async function withAnswerWords (record) {
  if (!record) return record
  const experiment = await findExperiment(record.experiment)
  if (!experiment?.answer || (record.plan.answer && record.question !== experiment.question)) return record
  return { ...record, plan: { ...record.plan, answer: experiment.answer } }
}
