/** Proves that an arm with the option `production` runs the recommended configuration: only that one writes its log. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasProduction } from '../../plan/predicates.js'
import { ACCESS_LOG } from '../../topology/option-specs.js'

/** @import { StagedArm } from '../shapes.js' */

/** Longer than the 5 s for which nginx keeps lines of its log. */
const LOG_MS = 10_000
const POLL_MS = 50

/**
 * Waits until the access log has the requests of the gate.
 * @param {Pick<StagedArm, 'arm' | 'dir'>} staged
 * @param {number} [limitMs] longest wait
 * @returns {Promise<string | null>} why the arm is refused
 */
export async function findMissingLog ({ arm, dir }, limitMs = LOG_MS) {
  if (!hasProduction(arm.topology.proxy)) return null
  const end = performance.now() + limitMs
  while (performance.now() < end) {
    if ((statSync(join(dir, ACCESS_LOG), { throwIfNoEntry: false })?.size ?? 0) > 0) return null
    await sleep(POLL_MS)
  }
  return `its access log is empty ${limitMs / 1000} s after the requests of the gate, so production has no effect`
}
