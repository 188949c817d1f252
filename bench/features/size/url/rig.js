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
 * @returns {Promise<ReturnType<typeof toUrlRig>>}
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
  return toUrlRig(arm, { ...options, staged: compared, engine, roundTrip, startedAt })
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

/**
 * Returns a rig that loads a started arm.
 *
 * @param {Arm} arm
 * @param {{ staged: StagedArm, engine: FoundEngine, cores: CoreSplit, caps: Caps, startedAt: number, roundTrip: {
 * p50Ms: number, maxMs: number }, now: () => number, interrupted: () => boolean, measure?: typeof measureWindow
 * }} parts measure: replaced in tests
 */
export function toUrlRig (arm, parts) {
  const { staged, engine, cores, caps, measure = measureWindow } = parts
  let windows = 0
  let sent = REQUESTS_TO_CHECK
  const elapsed = () => parts.now() - parts.startedAt
  /** Returns what a window may exceed; null: nothing. @type {(requests: number, seconds: number) => string | null} */
  const findExceeded = (requests, seconds) => {
    if (sent + requests > caps.mostRequests) return `a further window may exceed ${caps.mostRequests} requests`
    const isLate = elapsed() + seconds + PATIENCE_SECONDS > caps.seconds
    return isLate ? `a further window may exceed ${caps.seconds} s` : null
  }
  /** limit: of the requests of a window. @type {(order: WindowOptions, limit: number) => Promise<Sample>} */
  const measureLimited = async (order, limit) => {
    const isInterrupted = parts.interrupted()
    const why = isInterrupted ? 'it was interrupted' : findExceeded(limit, order.seconds)
    if (why !== null) throw new HopbenchError('load-cap', { name: arm.name, why, isInterrupted })
    // Counts the limit first, because a generator without a report may have sent all of it.
    sent += limit
    const limited = { ...order.arm, load: { ...order.arm.load, mostRequests: limit } }
    const sample = await measure({ ...order, arm: limited })
    if (!isDisturbance(sample.invalid)) sent += countSent(sample) - limit
    return sample
  }
  return {
    roundTrip: parts.roundTrip,
    tools: { [engine.name]: engine.version },
    /** Requests so far. */
    sent: () => sent,
    /** Seconds so far. */
    elapsed,
    /**
     * Returns whether a window can exceed neither the permitted requests nor the permitted time.
     *
     * @param {{ rate: number, seconds: number }} order
     */
    fits: ({ rate, seconds }) => findExceeded(limitOfWindow(rate, seconds), seconds) === null,
    /**
     * Measures a judged window.
     *
     * @param {{ rate: number, seconds: number, seed: number }} order
     * @returns {Promise<Sample>}
     * @throws {HopbenchError} load-cap
     */
    async paced ({ rate, seconds, seed }) {
      const loaded = { ...arm, load: { ...arm.load, engine: engine.name, rate, seed } }
      const order = { arm: loaded, block: 0, staged, engine, cores, seconds, tag: `${engine.name}-${windows++}` }
      const sample = await measureUndisturbed(order, order => measureLimited(order, limitOfWindow(rate, seconds)))
      return { ...sample, invalid: judgeSample(sample, loaded) }
    }
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
