/** Loads a deployed instance in windows of an open loop, within the permitted requests and time. Only clients count,
 * because hopbench runs nothing at the other end. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError, getErrorMessage } from '../../../errors.js'
import { judgeSample } from '../../../judge/verdict.js'
import { findEngine } from '../../../load/find-engine.js'
import { toPeer } from '../../../load/generators/peer.js'
import { makeFolder } from '../../../machine/files/make-folder.js'
import { fetchResponses } from '../../../measure/gate/gate.js'
import { measureUndisturbed } from '../../../measure/undisturbed.js'
import { measureWindow } from '../../../measure/measure-window.js'
import { NO_NETWORK, toStagedUrl } from '../../../measure/url-arm.js'
import { isDisturbance } from '../../../shared/disturbance.js'
import { countRequests, isErrorStatus } from '../../../shared/trial.js'
import { REQUESTS_TO_CHECK, limitOfWindow } from './windows.js'
import { connect } from 'node:net'
import { median } from '../../../judge/stats/quantile.js'

/** @import { FoundEngine } from '../../../load/types.js' */
/** @import { CoreSplit } from '../../../machine/types.js' */
/** @import { StagedArm, WindowOptions } from '../../../measure/types.js' */
/** @import { Findings } from '../../../measure/gate/gate.js' */
/** @import { Arm, Sample } from '../../../types.js' */
/** @import { Caps } from './study.js' */

/** Responses that are compared, in two parts a second apart, because a body may contain the time. */
const COMPARED = 4
const APART_MS = 1100
/** Time that the last responses of a window may take, in seconds (bench/engines/paced.js). */
const PATIENCE_SECONDS = 5

/**
 * Measures the round trip and compares a few responses.
 *
 * @param {Arm} arm of a URL
 * @param {object} options
 * @param {string} options.address to which all connections go
 * @param {string} options.temp
 * @param {CoreSplit} options.cores
 * @param {Caps} options.caps
 * @param {() => number} options.now seconds
 * @param {() => boolean} options.interrupted
 * @returns {Promise<UrlRig>}
 * @throws {HopbenchError} gate-refused, url-unreachable
 */
export async function openUrlRig (arm, { address, temp, ...options }) {
  makeFolder(temp)
  const staged = toStagedUrl(arm, temp, address)
  const engine = await findEngine('paced')
  const startedAt = options.now()
  const fetchSome = () => fetchResponses({
    target: staged.target, load: arm.load, network: NO_NETWORK, times: COMPARED, keepBody: true
  })
  const earlier = await fetchSome()
  const url = String(arm.topology.url)
  const roundTrip = await measureRoundTrip(toPeer(new URL(url), address), url)
  await sleep(APART_MS)
  const body = findBody(arm, [earlier, await fetchSome()])
  const compared = { ...staged, target: { ...staged.target, expectBody: body && keepBody(body, temp) } }
  return new UrlRig(arm, { ...options, staged: compared, engine, roundTrip, startedAt })
}

/**
 * Returns the body of all responses (pure).
 *
 * @param {Arm} arm
 * @param {Pick<Findings, 'answers' | 'failures' | 'body'>[]} findings
 * @returns {{ base64: string, sha256: string, bytes: number } | null} null: bodies vary, or are not to be compared
 * @throws {HopbenchError} gate-refused
 */
export function findBody ({ name, load }, findings) {
  const answers = findings.flatMap(found => found.answers).map(({ answer }) => answer)
  const [failure] = findings.flatMap(({ failures }) => failures)
  const wrong = answers.find(({ status }) => isErrorStatus(status))
  const why = failure ?? (wrong ? `it has status ${wrong.status}` : null)
  if (why !== null) throw new HopbenchError('gate-refused', { name, why })
  const [{ sha256, bytes }] = answers
  const isSame = answers.every(answer => answer.sha256 === sha256)
  const { body } = findings[0]
  if (!isSame || body === null || load.compare || load.ignoreBody !== undefined) return null
  return { base64: body, sha256, bytes }
}

/**
 * Writes the expected body for the generator.
 *
 * @param {NonNullable<ReturnType<typeof findBody>>} body
 * @param {string} dir
 */
function keepBody ({ base64, sha256, bytes }, dir) {
  const file = join(dir, 'expected.body')
  writeFileSync(file, Buffer.from(base64, 'base64'))
  return { file, sha256, bytes }
}

export class UrlRig {
  #arm
  #parts
  #windows = 0
  #sent = REQUESTS_TO_CHECK

  /**
   * @param {Arm} arm
   * @param {{ staged: StagedArm, engine: FoundEngine, cores: CoreSplit, caps: Caps, startedAt: number, roundTrip: {
   * p50Ms: number, maxMs: number }, now: () => number, interrupted: () => boolean, measure?: typeof measureWindow
   * }} parts measure: replaced in tests
   */
  constructor (arm, parts) {
    this.#arm = arm
    this.#parts = parts
    this.roundTrip = parts.roundTrip
    this.tools = { [parts.engine.name]: parts.engine.version }
  }

  /** Requests so far. */
  sent = () => this.#sent

  /** Seconds so far. */
  elapsed = () => this.#parts.now() - this.#parts.startedAt

  /**
   * Returns whether a window can exceed neither the permitted requests nor the permitted time.
   *
   * @param {{ rate: number, seconds: number }} order
   */
  fits = ({ rate, seconds }) => this.#findExceeded(limitOfWindow(rate, seconds), seconds) === null

  /**
   * Measures a judged window.
   *
   * @param {{ rate: number, seconds: number, seed: number }} order
   * @returns {Promise<Sample>}
   * @throws {HopbenchError} load-cap
   */
  paced = async ({ rate, seconds, seed }) => {
    const { engine, cores, staged } = this.#parts
    const arm = { ...this.#arm, load: { ...this.#arm.load, engine: engine.name, rate, seed } }
    const order = { arm, block: 0, staged, engine, cores, seconds, tag: `${engine.name}-${this.#windows++}` }
    const sample = await measureUndisturbed(order, order => this.#measure(order, limitOfWindow(rate, seconds)))
    return { ...sample, invalid: sample.invalid ?? judgeSample(sample, arm) }
  }

  /**
   * @param {WindowOptions} order
   * @param {number} limit of its requests
   */
  async #measure (order, limit) {
    const { interrupted, measure = measureWindow } = this.#parts
    const isInterrupted = interrupted()
    const why = isInterrupted ? 'it was interrupted' : this.#findExceeded(limit, order.seconds)
    if (why !== null) throw new HopbenchError('load-cap', { name: this.#arm.name, why, isInterrupted })
    // Counts the limit first, because a generator without a report may have sent all of it.
    this.#sent += limit
    const arm = { ...order.arm, load: { ...order.arm.load, mostRequests: limit } }
    const sample = await measure({ ...order, arm })
    if (!isDisturbance(sample.invalid)) this.#sent += countSent(sample) - limit
    return sample
  }

  /**
   * @param {number} requests
   * @param {number} seconds
   * @returns {string | null} what a window may exceed
   */
  #findExceeded (requests, seconds) {
    const { caps } = this.#parts
    if (this.#sent + requests > caps.mostRequests) return `a further window may exceed ${caps.mostRequests} requests`
    const isLate = this.elapsed() + seconds + PATIENCE_SECONDS > caps.seconds
    return isLate ? `a further window may exceed ${caps.seconds} s` : null
  }
}

/** Counts the requests that a window has sent, late responses twice. @param {Sample} sample */
const countSent = ({ errors: { non2xx, timeouts, resets }, ...sample }) =>
  countRequests(sample) + non2xx + timeouts + resets

/** Handshakes one after the other: few enough for any host, enough for a median that varies by 5 % (0.38 to 0.40 ms on
 * the loopback in repeated measurements). */
const HANDSHAKES = 21
/** Limit of a handshake. The kernel repeats a lost packet after one and after three seconds. */
const PATIENCE_MS = 5000

/**
 * @param {{ host: string, port: number }} peer host: IP address, because a look-up is not a part of the round trip
 * @param {string} url for messages
 * @returns {Promise<{ p50Ms: number, maxMs: number }>}
 * @throws {HopbenchError} url-unreachable
 */
export async function measureRoundTrip (peer, url) {
  const times = []
  try {
    for (let i = 0; i < HANDSHAKES; i++) times.push(await timeHandshake(peer))
  } catch (error) {
    throw new HopbenchError('url-unreachable', { url, why: getErrorMessage(error) }, { cause: error })
  }
  return { p50Ms: median(times), maxMs: Math.max(...times) }
}

/**
 * @param {{ host: string, port: number }} peer
 * @returns {Promise<number>} ms
 */
const timeHandshake = peer => new Promise((resolve, reject) => {
  const startedAt = performance.now()
  const socket = connect({ ...peer, timeout: PATIENCE_MS }, () => {
    resolve(performance.now() - startedAt)
    socket.destroy()
  })
  socket.on('timeout', () => socket.destroy(new Error(`no connection within ${PATIENCE_MS / 1000} s`)))
  socket.on('error', reject)
})
