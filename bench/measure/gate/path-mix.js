/** The gate of an arm that sends several requests. It compares the responses to each of them. */
import { listPackages } from '../../machine/files/app-packages.js'
import { LOOK_HEADERS, findFault } from '../../shared/first-response.js'
import { pathWithoutSecrets } from '../../shared/secrets.js'
import { compresses } from '../../plan/predicates.js'
import { findMix, nameRequest } from '../../plan/request-mix.js'
import { acceptedEncodings } from '../../topology/fixtures/fixtures.js'
import { fetchResponses, GATE_REQUESTS, judgeAnswers } from './gate.js'
import { findFileReference, getAcceptEncoding, makesOwnContent } from './reference.js'

/** @import { CheckedResponse } from '../../load/types.js' */
/** @import { Arm, Expected, GateRefusal, Load, MixedRequest } from '../../types.js' */
/** @import { Findings } from './gate.js' */
/** @import { Passed, StagedArm } from '../types.js' */

/** How often each request is sent to an app of one's own: enough to see whether its response varies. */
const REFERENCE_REQUESTS = 3

/**
 * @param {StagedArm} staged
 * @param {string} root of the files that are served
 * @returns {Promise<Passed | GateRefusal['params'] | string>} a string: why the arm is refused
 */
export async function passMixGate (staged, root) {
  const { arm, network, running } = staged
  const requests = findMix(arm.load)?.requests ?? []
  const references = await findReferences(staged, requests, root)
  if (!Array.isArray(references)) return references
  const times = Math.max(GATE_REQUESTS, requests.length)
  const { answers, failures, bytesByRequest = [] } = await fetchResponses({
    target: running.target,
    load: toLoad(arm.load, requests),
    network,
    times
  })
  if (failures.length > 0) return `${failures.length} of ${times} requests got no response (${failures[0]})`
  const each = requests.map((_, index) => answers.filter(({ answer }) => answer.request === index))
  for (const [index, request] of requests.entries()) {
    // Small and packed files are rightly left uncompressed, and a cache needs one request to be filled.
    const options = { cached: false, compresses: false }
    const why = judgeAnswers({ answers: each[index], failures: [], body: null }, references[index], options)
    if (why) return `${pathWithoutSecrets(nameRequest(request))}: ${why}`
  }
  const uncompressed = findUncompressed(arm, answers)
  if (uncompressed !== null) return uncompressed
  return {
    target: {
      expectMix: references.map(({ status, sha256 }, index) => ({ status, sha256, bytes: findBytes(each[index]) }))
    },
    bytesPerResponse: findMeanBytes(arm.load, bytesByRequest),
    ...await makesOwnContent(arm) && {
      answers: new Map(references.map((reference, index) => [nameRequest(requests[index]), reference]))
    }
  }
}

/**
 * Returns why an option of compression has no effect: no response is compressed. Small and packed files are not. A
 * configuration of a user has no such option, and compresses the types that it names.
 * @param {Arm} arm
 * @param {Findings['answers']} answers
 * @returns {string | null}
 */
export function findUncompressed ({ load, topology: { proxy, server } }, answers) {
  const hop = [proxy, server].find(compresses)
  if (!hop || proxy?.config || load.scenario) return null
  if (answers.some(({ answer }) => answer.contentEncoding !== null)) return null
  return `no response is compressed, so the option of ${hop.name} for compression has no effect`
}

/**
 * Returns the mean of a mix, in which requests are as frequent as in its sequence.
 * @param {Load} load
 * @param {(number | null)[]} bytesByRequest
 * @returns {number | null} null: a request of the sequence is unknown
 */
function findMeanBytes (load, bytesByRequest) {
  const sequence = findMix(load)?.sequence ?? []
  const sizes = sequence.flatMap(index => bytesByRequest[index] ?? [])
  return sizes.length < sequence.length || sizes.length === 0
    ? null
    : sizes.reduce((sum, bytes) => sum + bytes, 0) / sizes.length
}

/**
 * Returns the load with these requests.
 * @param {Load} load
 * @param {MixedRequest[]} requests
 * @returns {Load}
 */
const toLoad = ({ paths, sequence, ...load }, requests) => ({ ...load, requests })

/**
 * Returns the bytes of a body on the wire, which engines compare under load. If each response is compressed anew, its
 * length may depend on the timing of its parts, so a compressed body is compared only if it has a Content-Length.
 * @param {Findings['answers']} answers to one request
 * @returns {number | null} null: they may vary
 */
function findBytes (answers) {
  const sizes = new Set(answers.map(({ answer }) => answer.wholeBytes ?? answer.bytes))
  const isFixed = answers.every(({ answer }) => answer.contentEncoding === null || answer.contentLength !== null)
  return isFixed && sizes.size === 1 ? [...sizes][0] : null
}

/**
 * Finds what the responses to each request are compared with.
 * @param {StagedArm} staged
 * @param {MixedRequest[]} requests
 * @param {string} root
 * @returns {Promise<Expected[] | GateRefusal['params'] | string>} by request; a string: why there is nothing to compare
 *   with
 */
async function findReferences (staged, requests, root) {
  if (await makesOwnContent(staged.arm)) return fetchReferences(staged, requests)
  /** @type {Expected[]} */
  const references = []
  for (const request of requests) {
    const load = { ...staged.arm.load, path: request.path, headers: getHeaders(staged.arm.load, request) }
    const reference = await findFileReference({ ...staged.arm, load }, root)
    if (typeof reference === 'string') return reference
    references.push(reference.expected)
  }
  return references
}

/**
 * Sends every request to the server itself, without the proxy.
 * @param {StagedArm} staged
 * @param {MixedRequest[]} requests
 * @returns {ReturnType<typeof findReferences>}
 */
async function fetchReferences ({ arm: { load }, network, running }, requests) {
  const { answers, failures } = await fetchResponses({
    target: running.originTarget,
    load: toLoad(load, requests),
    network,
    times: REFERENCE_REQUESTS * requests.length,
    headerNames: LOOK_HEADERS
  })
  /** @type {Expected[]} */
  const references = []
  for (const [index, request] of requests.entries()) {
    const toOne = answers.filter(({ answer }) => answer.request === index).map(({ answer }) => answer)
    const fault = findFault({
      request: pathWithoutSecrets(nameRequest(request)),
      answer: toOne.find(({ status }) => status < 200 || status > 299) ?? toOne[0],
      failure: failures[0],
      isPrivate: network.enter.length > 0,
      isMix: true,
      packages: listPackages()
    })
    if (fault) return fault.params
    references.push(toReference(toOne, { ...load, headers: getHeaders(load, request) }))
  }
  return references
}

/**
 * @param {Load} load
 * @param {MixedRequest} request
 */
const getHeaders = (load, request) => ({ ...request.headers, ...load.headers })

/**
 * Returns what the responses to a request have in common. Bodies are compared decoded, because a proxy may compress
 * bodies that the server does not, or the reverse.
 * @param {CheckedResponse[]} answers different responses of the server itself
 * @param {Load} load
 * @returns {Expected}
 */
export function toReference (answers, load) {
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
    ...load.compare?.includes('length') && { exactBytes: true },
    encodings: load.ignoreBody === undefined ? acceptedEncodings(getAcceptEncoding(load)) : []
  }
}
