/** The gate of an arm with requests for many paths. It compares the response of each path. */
import { pathWithoutSecrets } from '../../shared/secrets.js'
import { acceptedEncodings } from '../../topology/fixtures/expected.js'
import { fetchResponses, GATE_REQUESTS, judgeAnswers } from './gate.js'
import { findFileReference, getAcceptEncoding, makesOwnContent } from './reference.js'

/** @import { CheckedResponse } from '../../load/shapes.js' */
/** @import { Expected, Load } from '../../types.js' */
/** @import { Passed, StagedArm } from '../shapes.js' */

const MAX_REQUESTS = 1000 // The sampler compares the remaining paths of a larger mix under load.
/** Requests of each path to an app of one's own: enough to see whether its response varies. */
const REFERENCE_REQUESTS = 3

/**
 * @param {StagedArm} staged
 * @param {string} root of the files that are served
 * @returns {Promise<Passed | string>} a string: why the arm is refused
 */
export async function passMixGate (staged, root) {
  const { arm, network, running } = staged
  const paths = [...new Set(arm.load.paths)].slice(0, MAX_REQUESTS)
  const references = await findReferences(staged, paths, root)
  if (typeof references === 'string') return references
  const times = Math.max(GATE_REQUESTS, paths.length)
  const { answers, failures, bytesPerResponse } = await fetchResponses({
    target: running.target,
    load: { ...arm.load, paths },
    network,
    times
  })
  if (failures.length > 0) return `${failures.length} of ${times} requests got no response (${failures[0]})`
  for (const [path, reference] of references) {
    const ofPath = answers.filter(({ answer }) => answer.path === path)
    // Small and packed files are rightly left uncompressed, and a cache needs one request to be filled.
    const options = { cached: false, compresses: false }
    const why = judgeAnswers({ answers: ofPath, failures: [], body: null }, reference, options)
    if (why) return `${pathWithoutSecrets(path)}: ${why}`
  }
  const stable = [...references].flatMap(([path, { sha256 }]) => sha256 === null ? [] : [[path, sha256]])
  return {
    target: { expectByPath: Object.fromEntries(stable) },
    bytesPerResponse: bytesPerResponse ?? null,
    ...await makesOwnContent(arm) && { answers: references }
  }
}

/**
 * Finds what the response of each path is compared with.
 * @param {StagedArm} staged
 * @param {string[]} paths
 * @param {string} root
 * @returns {Promise<Map<string, Expected> | string>} by path; a string: why there is nothing to compare with
 */
async function findReferences (staged, paths, root) {
  if (await makesOwnContent(staged.arm)) return fetchReferences(staged, paths)
  /** @type {Map<string, Expected>} */
  const references = new Map()
  for (const path of paths) {
    const reference = await findFileReference({ ...staged.arm, load: { ...staged.arm.load, path } }, root)
    if (typeof reference === 'string') return reference
    references.set(path, reference.expected)
  }
  return references
}

/**
 * Requests every path of the server itself, without the proxy.
 * @param {StagedArm} staged
 * @param {string[]} paths
 * @returns {ReturnType<typeof findReferences>}
 */
async function fetchReferences ({ arm: { load }, network, running }, paths) {
  const { answers, failures } = await fetchResponses({
    target: running.originTarget, load: { ...load, paths }, network, times: REFERENCE_REQUESTS * paths.length
  })
  /** @type {Map<string, Expected>} */
  const references = new Map()
  for (const path of paths) {
    const ofPath = answers.filter(({ answer }) => answer.path === path)
    const reference = toReference(ofPath.map(({ answer }) => answer), load)
    if (reference === null) return `its own server does not respond to ${pathWithoutSecrets(path)} (${failures[0]})`
    if (typeof reference === 'string') return `its own server responds to ${pathWithoutSecrets(path)} ${reference}`
    references.set(path, reference)
  }
  return references
}

/**
 * Returns what the responses of a path have in common. Bodies are compared decoded, because a proxy may compress what
 * the server does not, or the reverse.
 * @param {CheckedResponse[]} answers different responses of the server itself
 * @param {Load} load
 * @returns {Expected | string | null} a string: why it cannot be measured; null: there was no response
 */
function toReference (answers, load) {
  if (answers.length === 0) return null
  const refused = answers.find(({ status }) => status < 200 || status > 299)
  if (refused) return `with status ${refused.status}${refused.location ? ` and leads to ${refused.location}` : ''}`
  const [{ status, bytes, contentType }] = answers
  // The pattern --ignore-body was not applied to decoded bodies.
  const hashes = answers.map(({ sha256, plainSha256 }) => load.ignoreBody === undefined ? plainSha256 ?? null : sha256)
  const isStable = new Set(hashes).size === 1 && !load.compare
  return {
    status,
    bytes,
    contentType,
    contentEncoding: null,
    sha256: isStable ? hashes[0] : null,
    encodings: load.ignoreBody === undefined ? acceptedEncodings(getAcceptEncoding(load)) : []
  }
}
