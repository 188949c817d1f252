/** Marks a run as one of this account on this machine, so that it is resumed without a question. */
import { join } from 'node:path'
import { replaceFile } from '../machine/files/atomic-write.js'
import { isSealed, seal } from '../machine/files/seal.js'
import { PLAN, SEAL } from './layout.js'
import { readIfThere } from './stored-json.js'

/** @import { HopbenchError } from '../errors.js' */

/**
 * Seals the plan of a run. Without a safe place for a key there is no seal.
 * @param {string} dir of the run
 * @param {string} plan text of plan.json
 */
export async function sealPlan (dir, plan) {
  const mark = seal(plan)
  if (mark !== null) await replaceFile(join(dir, SEAL), `${mark}\n`)
}

/**
 * Returns whether this account has planned a run on this machine, and its plan is unchanged.
 * @param {string} dir of the run
 * @returns {Promise<boolean>}
 * @throws {HopbenchError} bad-run-file
 */
export async function isOwnRun (dir) {
  const [plan, mark] = [PLAN, SEAL].map(file => readIfThere(join(dir, file)))
  return plan !== null && mark !== null && isSealed(plan.toString(), mark.toString().trim())
}
