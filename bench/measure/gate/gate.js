/** Compares 200 responses of an arm with the expected one before any load, because arms whose responses differ are not
 * comparable. */
import { HopbenchError } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'
import { isType } from '../../shared/http/media-types.js'
import { run } from '../../machine/process.js'
import { checkerCommand } from '../../load/sampler.js'

/** @import { Network } from '../../machine/types.js' */
/** @import { CheckedResponse } from '../../load/types.js' */
/** @import { Expected, Load, Target } from '../../types.js' */

export const GATE_REQUESTS = 200
/** Bytes of all responses at the gate, about two seconds of hashing. Large files are requested less often. */
const GATE_BYTES = 200 * 1024 * 1024
const MIN_REQUESTS = 8
const GATE_SECONDS = 60 // 200 responses of an app that takes 0.3 s for each.
/** Most error responses of an arm at the gate. Errors under load are counted, and make trials invalid. */
const ERROR_SHARE = 0.05
/** Fewest cache hits at the gate of an arm with a cache. The first four requests are sent together to an empty cache,
 * and a cache may store a response some time after it has sent it. Under load nearly all must hit (verdict.js). */
const HIT_SHARE = 0.9

/**
 * @typedef {object} Findings
 * @property {{ answer: CheckedResponse, times: number }[]} answers different responses, the most frequent ones first
 * @property {string[]} failures messages of requests without a response
 * @property {string | null} body base64 of the last body; null: not kept
 * @property {boolean} [isTls] of a first response over http: whether the target speaks TLS
 * @property {(number | null)[]} [bytesByRequest] median on the wire, headers included, by request of the load
 */

/** Returns how many requests the gate sends for a body of this size. @param {number} bytes */
export const gateRequests = bytes => Math.min(GATE_REQUESTS, Math.max(MIN_REQUESTS, Math.floor(GATE_BYTES / bytes)))

/**
 * Requests a target from inside its network.
 * @param {object} options
 * @param {Pick<Target, 'url' | 'address' | 'socketPath' | 'caFile' | 'http2'>} options.target
 * @param {Pick<Load, 'path' | 'headers'> & Partial<Load>} options.load
 * @param {Pick<Network, 'enter'>} options.network
 * @param {number} [options.times]
 * @param {boolean} [options.keepBody]
 * @param {number} [options.mostBytes] of a body
 * @param {string[]} [options.headerNames] headers of responses that are returned, in lower case
 * @param {number} [options.firstSeconds] limit of a first response, of which a missing one is explained
 * @param {number} [options.seconds] limit of all responses, if it is less than that of the gate
 * @returns {Promise<Findings>}
 * @throws {HopbenchError} gate-refused
 */
export async function fetchResponses ({ target, load, network, times = GATE_REQUESTS, keepBody = false, ...options }) {
  const { seconds = GATE_SECONDS, ...others } = options
  const limitSeconds = Math.min(seconds, GATE_SECONDS)
  const { argv, env, input } = checkerCommand(target, load, { times, keepBody, ...others })
  const result = await run([...network.enter, ...argv], { env, input, timeoutSeconds: limitSeconds })
  // Responses that trickle are a fault of the target.
  if (result.timedOut) return { answers: [], failures: [`no complete responses within ${limitSeconds} s`], body: null }
  return parseFindings(target.url, 'client', result)
}

/**
 * Returns what a client of the gate has printed.
 * @param {string} name of the target
 * @param {string} client
 * @param {{ stdout: string, stderr: string }} result
 * @returns {any}
 * @throws {HopbenchError} gate-refused
 */
export const parseFindings = (name, client, { stdout, stderr }) => attempt(() => JSON.parse(stdout), () => {
  throw new HopbenchError('gate-refused', { name, why: `the ${client} that checks it failed`, output: stderr })
})

/**
 * Compares responses with the expected one (pure).
 * @param {Findings} findings
 * @param {Expected} expected
 * @param {object} arm
 * @param {boolean} arm.cached all responses but the first ones must be hits of the proxy's cache
 * @param {boolean} [arm.compresses] responses must have an encoding
 * @returns {string | null} why the arm is refused
 */
export function judgeAnswers ({ answers, failures }, expected, { cached, compresses = false }) {
  const total = sumTimes(answers) + failures.length
  const plain = answers.filter(({ answer }) => answer.status === expected.status)
  const errors = total - sumTimes(plain)
  if (errors > total * ERROR_SHARE) {
    const wrong = answers.find(({ answer }) => answer.status !== expected.status)
    const example = wrong ? `status ${wrong.answer.status}` : failures[0]
    return `${errors} of ${total} responses were errors (${example})`
  }
  for (const { answer, times } of plain) {
    const difference = findDifference(answer, expected, compresses)
    if (difference) return `${difference} in ${times} of ${total} responses`
  }
  const hits = sumTimes(plain.filter(({ answer }) => ['HIT', 'UPDATING'].includes(answer.cache ?? '')))
  if (cached && hits < HIT_SHARE * sumTimes(plain)) return `only ${hits} of ${total} responses came from the cache`
  return null
}

/** @param {Findings['answers']} answers */
const sumTimes = answers => answers.reduce((sum, { times }) => sum + times, 0)

/**
 * @param {CheckedResponse} answer
 * @param {Expected} expected
 * @param {boolean} compresses
 */
function findDifference (answer, expected, compresses) {
  const isEncoded = answer.contentEncoding !== null && (expected.encodings ?? []).includes(answer.contentEncoding)
  const sha256 = isEncoded ? answer.plainSha256 : answer.sha256
  if (isEncoded && sha256 === null) return `the body is not ${answer.contentEncoding}, its Content-Encoding,`
  if (expected.sha256 !== null && sha256 !== expected.sha256) {
    return `the body differs from the expected one (${answer.bytes} bytes, ${expected.bytes} expected)`
  }
  if (expected.exactBytes && answer.bytes !== expected.bytes) {
    return `the body has ${answer.bytes} bytes, not ${expected.bytes},`
  }
  if (expected.contentType !== null && !isType(answer.contentType, expected.contentType)) {
    return `the Content-Type is ${answer.contentType}, not ${expected.contentType},`
  }
  const received = answer.wholeBytes ?? answer.bytes
  if (answer.contentLength !== null && Number(answer.contentLength) !== received) {
    return `the Content-Length is ${answer.contentLength}, but the body has ${received} bytes,`
  }
  if (!isEncoded && answer.contentEncoding !== expected.contentEncoding) {
    return `the Content-Encoding is ${answer.contentEncoding ?? 'none'}, not ${expected.contentEncoding ?? 'none'},`
  }
  if (!compresses || isEncoded) return null
  const accepted = (expected.encodings ?? []).join(' or ') || 'nothing'
  return `nothing was compressed, although ${accepted} is accepted,`
}
