/** Runs all probes over one chain. A server that dies is a finding: it is started anew, and the check goes on. */
import { NoAnswer } from './client.js'
import { fail, untested } from './outcome.js'

/** @import { HopbenchError } from '../../errors.js' */
/** @import { CheckResult } from '../../types.js' */
/** @import { Chain, TopicProbe } from './types.js' */

/** How long after a probe its server may still die of it: when it is queried in doubt, and else. */
const PATIENCE_MS = { inDoubt: 200, else: 2 }

/**
 * @param {Chain} chain not started yet
 * @param {TopicProbe[]} probes
 * @param {Set<string>} [deadly] names of probes that this server is known to die of; takes what is learnt
 * @returns {Promise<CheckResult[]>} a result for each probe, in their order
 * @throws {HopbenchError} when it cannot be started at all
 */
export async function runProbes (chain, probes, deadly = new Set()) {
  /** @type {CheckResult[]} */
  const results = []
  await chain.start()
  let up = true
  try {
    for (const [i, probe] of probes.entries()) {
      if (!up) {
        results.push({ probe: probe.name, ...untested('the server could not be started again'), died: false })
        continue
      }
      results.push(await tryProbe(chain, probe))
      if (!results[i].died) continue
      up = await startsAnew(chain)
      if (up && !deadly.has(probe.name)) up = await makeSure(chain, probes, results, deadly)
    }
    return results
  } finally {
    await chain.stop()
  }
}

/**
 * A death can come late, and would then be put down to the probe after the one that caused it: the last probe is run
 * once more, and where the server lives, the one before it too.
 *
 * @param {Chain} chain just started
 * @param {TopicProbe[]} probes
 * @param {CheckResult[]} results the last one died; corrected in place
 * @param {Set<string>} deadly
 * @returns {Promise<boolean>} whether it is up again
 */
async function makeSure (chain, probes, results, deadly) {
  const last = results.length - 1
  const again = await tryProbe(chain, probes[last], PATIENCE_MS.inDoubt)
  let up = await startsAnew(chain)
  if (again.died) {
    deadly.add(probes[last].name)
    return up
  }
  if (last === 0 || !up) return up
  const before = await tryProbe(chain, probes[last - 1], PATIENCE_MS.inDoubt)
  if (before.died) {
    deadly.add(probes[last - 1].name)
    results.splice(last - 1, 2, before, again)
  }
  up = await startsAnew(chain)
  return up
}

/**
 * @param {Chain} chain
 * @param {TopicProbe} probe
 * @param {number} [patienceMs]
 */
async function tryProbe (chain, probe, patienceMs = PATIENCE_MS.else) {
  const finding = await findingOf(chain, probe)
  const death = await chain.death(patienceMs)
  if (death === null) return { probe: probe.name, ...finding, died: false }
  return { probe: probe.name, ...fail(`${finding.outcome === 'fail' ? `${finding.saw}; ` : ''}${death}`), died: true }
}

/**
 * @param {Chain} chain
 * @param {TopicProbe} probe
 */
async function findingOf (chain, probe) {
  try {
    return await probe.run(chain.context())
  } catch (error) {
    if (error instanceof NoAnswer) return fail(error.message)
    throw error
  }
}

/** @param {Chain} chain */
async function startsAnew (chain) {
  try {
    await chain.start()
    return true
  } catch {
    return false
  }
}
