/** The gate of an arm with requests for many files: every one of them is compared with the file itself. */
import { ask, GATE_REQUESTS, judgeAnswers } from './gate.js'
import { fileReference } from './reference.js'

/** @import { StagedArm } from '../stage.js' */

const MOST_REQUESTS = 1000 // A mix of more paths than this is requested in part; the sampler goes on under load.

/** @param {StagedArm} staged its target gets what the sampler compares @param {string} root
 * @returns {Promise<string | null>} why the arm is refused */
export async function passMixGate (staged, root) {
  const { arm, network, running } = staged
  const paths = [...new Set(arm.load.paths)]
  const times = Math.min(MOST_REQUESTS, Math.max(GATE_REQUESTS, paths.length))
  const { answers, failures, bytesPerResponse } = await ask({
    target: running.target,
    load: { ...arm.load, paths },
    network,
    times
  })
  if (failures.length > 0) return `${failures.length} of ${times} requests had no answer (${failures[0]})`
  staged.bytesPerResponse = bytesPerResponse ?? null
  staged.target.expectByPath = {}
  for (const path of paths.slice(0, times)) {
    const reference = await fileReference({ ...arm, load: { ...arm.load, path } }, root)
    if (typeof reference === 'string') return reference
    const mine = answers.filter(({ answer }) => answer.path === path)
    // What is small or packed already is rightly left alone, and a cache needs a request to be filled.
    const why = judgeAnswers({ answers: mine, failures: [], body: null }, reference.expected, {
      cached: false,
      compresses: false
    })
    if (why) return `${path}: ${why}`
    if (reference.expected.sha256) staged.target.expectByPath[path] = reference.expected.sha256
  }
  return null
}
