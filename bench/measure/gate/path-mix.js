/** The gate of an arm with requests for many files. It compares each file. */
import { fetchResponses, GATE_REQUESTS, judgeAnswers } from './gate.js'
import { findFileReference } from './reference.js'

/** @import { Passed, StagedArm } from '../shapes.js' */

const MAX_REQUESTS = 1000 // The sampler compares the remaining paths of a larger mix under load.

/**
 * @param {StagedArm} staged
 * @param {string} root of the files that are served
 * @returns {Promise<Passed | string>} a string: why the arm is refused
 */
export async function passMixGate ({ arm, network, running }, root) {
  const paths = [...new Set(arm.load.paths)]
  const times = Math.min(MAX_REQUESTS, Math.max(GATE_REQUESTS, paths.length))
  const { answers, failures, bytesPerResponse } = await fetchResponses({
    target: running.target,
    load: { ...arm.load, paths },
    network,
    times
  })
  if (failures.length > 0) return `${failures.length} of ${times} requests got no response (${failures[0]})`
  /** @type {Record<string, string>} */
  const expectByPath = {}
  for (const path of paths.slice(0, times)) {
    const reference = await findFileReference({ ...arm, load: { ...arm.load, path } }, root)
    if (typeof reference === 'string') return reference
    const ofPath = answers.filter(({ answer }) => answer.path === path)
    // Small and packed files are rightly left uncompressed, and a cache needs one request to be filled.
    const options = { cached: false, compresses: false }
    const why = judgeAnswers({ answers: ofPath, failures: [], body: null }, reference.expected, options)
    if (why) return `${path}: ${why}`
    if (reference.expected.sha256) expectByPath[path] = reference.expected.sha256
  }
  return { target: { expectByPath }, bytesPerResponse: bytesPerResponse ?? null }
}
