/** Before any load each arm answers 200 times, byte for byte as it should: arms that answer differently are not
 * comparable and do not run. */
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'
import { isType } from '../../topology/fixtures/types.js'
import { run } from '../../machine/process.js'
import { bodyOf } from '../../load/request-body.js'

/** @import { Network } from '../../machine/shapes.js' @import { Answer } from '../../load/shapes.js'
 * @import { Expected } from '../../types.js' @import { Load } from '../../types.js' */

const asker = fileURLToPath(new URL('../../load/generators/asker.js', import.meta.url))

export const GATE_REQUESTS = 200
/** Large files are requested less often, but for so much in all: a second or two of hashing. */
const GATE_BYTES = 200 * 1024 * 1024
const FEWEST_REQUESTS = 8
const GATE_SECONDS = 60
/** Up to this share of error answers the arm runs: errors are counted under load, and make its trials invalid. */
const ERRORS_LET_THROUGH = 0.05

/** Answers from the cache, of those of an arm with one. The first four are requested at once, before anything is in it,
 * and a cache may keep an answer some time after it has sent it. Under load nearly all must hit (verdict.js): here it
 * is to work at all. */
const CACHED_SHARE = 0.9

/** @typedef {{ answers: { answer: Answer, times: number }[], failures: string[], body: string | null,
 * bytesPerResponse?: number | null }} Findings `bytesPerResponse`: what one answer takes on the wire, headers counted
 */

/** How often the gate asks for a body of this size. @param {number} bytes */
export const gateRequests = bytes => Math.min(GATE_REQUESTS, Math.max(FEWEST_REQUESTS, Math.floor(GATE_BYTES / bytes)))

/** Asks a target from inside its network.
 * @param {{ target: { url: string, socketPath: string | null, caFile?: string | null, http2?: boolean },
 * load: Pick<Load, 'path' | 'headers'> & Partial<Load>, network: Pick<Network, 'enter'>, times?: number,
 * keepBody?: boolean }} order @returns {Promise<Findings>} */
export async function ask ({ target, load, network, times = GATE_REQUESTS, keepBody = false }) {
  const result = await run([...network.enter, process.execPath, asker], {
    env: {
      HOPBENCH_ASKER: JSON.stringify({
        ...target,
        path: load.path,
        paths: load.paths,
        headers: load.headers,
        method: load.method,
        hasBody: load.body !== undefined,
        ignoreBody: load.ignoreBody,
        times,
        keepBody
      })
    },
    input: bodyOf(load) ?? undefined,
    timeoutSeconds: GATE_SECONDS
  })
  // Answers that trickle are no fault of the program that asks.
  if (result.timedOut) return { answers: [], failures: [`no whole answers within ${GATE_SECONDS} s`], body: null }
  try {
    return JSON.parse(result.stdout)
  } catch {
    throw new HopbenchError('gate-refused', {
      name: target.url,
      why: 'the program that sends it requests has failed',
      output: result.stderr
    })
  }
}

/** Compares what came back with what it should be (pure). @param {Findings} findings @param {Expected} expected
 * @param {{ cached: boolean, compresses?: boolean }} arm `cached`: all answers but the first must come from the proxy's
 * cache; `compresses`: an answer without an encoding is not what the arm claims
 * @returns {string | null} why the arm is refused */
export function judgeAnswers ({ answers, failures }, expected, { cached, compresses = false }) {
  const total = answers.reduce((sum, { times }) => sum + times, 0) + failures.length
  const plain = answers.filter(({ answer }) => answer.status === expected.status)
  const errors = total - plain.reduce((sum, { times }) => sum + times, 0)
  if (errors > total * ERRORS_LET_THROUGH) return whyErrors(answers, failures, expected, errors, total)
  for (const { answer, times } of plain) {
    const difference = differenceOf(answer, expected, compresses)
    if (difference) return `${difference} in ${times} of ${total} answers`
  }
  if (cached) {
    const hits = plain.filter(({ answer }) => ['HIT', 'UPDATING'].includes(answer.cache ?? '')).reduce(
      (sum, { times }) => sum + times,
      0
    )
    if (hits <
      CACHED_SHARE *
        plain.reduce((sum, { times }) => sum + times, 0)) {
      return `only ${hits} of ${total} answers came from the cache`
    }
  }
  return null
}

/** @param {Answer} answer @param {Expected} expected @param {boolean} compresses */
function differenceOf (answer, expected, compresses) {
  const encoded = answer.contentEncoding !== null && (expected.encodings ?? []).includes(answer.contentEncoding)
  const sha256 = encoded ? answer.plainSha256 : answer.sha256
  if (encoded && sha256 === null) return `the body is no ${answer.contentEncoding}, as its Content-Encoding says,`
  if (expected.sha256 !== null && sha256 !== expected.sha256) {
    return `the body is another one (${answer.bytes} bytes, ${expected.bytes} expected)`
  }
  if (expected.exactBytes && answer.bytes !== expected.bytes) {
    return `the body has ${answer.bytes} bytes, not ${expected.bytes},`
  }
  if (expected.contentType !== null && !isType(answer.contentType, expected.contentType)) {
    return `the Content-Type is ${answer.contentType}, not ${expected.contentType},`
  }
  const came = answer.wholeBytes ?? answer.bytes
  if (answer.contentLength !== null && Number(answer.contentLength) !== came) {
    return `the Content-Length says ${answer.contentLength} and ${came} bytes came`
  }
  if (!encoded && answer.contentEncoding !== expected.contentEncoding) {
    return `the Content-Encoding is ${answer.contentEncoding ?? 'none'}, not ${expected.contentEncoding ?? 'none'},`
  }
  if (compresses && !encoded) return `nothing was compressed, although ${listing(expected.encodings)} is accepted,`
  return null
}

/** @param {string[]} [names] */
const listing = (names = []) => names.join(' or ') || 'nothing'

/** @param {Findings['answers']} answers @param {string[]} failures @param {Expected} expected @param {number} errors
 * @param {number} total */
function whyErrors (answers, failures, expected, errors, total) {
  const wrong = answers.find(({ answer }) => answer.status !== expected.status)
  const example = wrong ? `status ${wrong.answer.status}` : failures[0]
  return `${errors} of ${total} answers were errors (${example})`
}
