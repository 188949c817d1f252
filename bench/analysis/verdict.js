/** Verdicts: of a contrast, of a trial, of who was the bottleneck (pure). The thresholds stand in shared/thresholds.js.
 * @import { Arm, Bound, ByRole, Interval, Reason, Sample, Verdict } from '../types.js' */
import {
  CACHE_HIT_RATIO_MIN, FRESH_CONNECTIONS_MIN, IDLE_SHARE_LIMIT, LAG_LIMIT_MOST_MS, LAG_LIMIT_MS, LAG_LIMIT_SHARE,
  LOAD_BOUND_SHARE, MARGIN, POOLED_CONNECTIONS_MAX, SERVED_BUSY_SHARE, SERVED_WAITING_SHARE
} from '../shared/thresholds.js'
import { excludesOne, placeOf, withinMargin } from './margin.js'
import { powerFactor } from '../plan/sample-size.js'
import { cacheIsOn } from '../plan/topology-options.js'
import { percent } from '../shared/format.js'
import { errorsOf, showsErrors } from '../shared/trial.js'

/** What the interval of a contrast says. A contrast with an arm that was bound by the load generator is known from one
 * side only: the other end of its interval is open. @param {Interval & { ratio: number }} contrast
 * @param {object} [options]
 * @param {(Interval & { ratio: number }) | null} [options.noiseFloor] ratio of an arm to its twin
 * @param {'at-least' | 'at-most' | 'nothing' | null} [options.known] as knownFrom() gave it
 * @param {number} [options.margin] δ
 * @returns {{ verdict: Exclude<Verdict, 'invalid'>, why: string | null, moreBlocksHelp: boolean }} */
export function verdictOf (contrast, { noiseFloor = null, known = null, margin = MARGIN } = {}) {
  if (known === 'nothing') return inconclusive('the load generator was the bottleneck in both arms', false)
  const interval = openEnd(contrast, known)
  const within = placeOf(interval, withinMargin(margin)) === 'within'
  if (!within && !excludesOne(interval)) {
    if (known) return inconclusive(hidden(known), known === 'at-least' ? contrast.ratio > 1 : contrast.ratio < 1)
    return inconclusive('the interval includes both no difference and a relevant one', true)
  }
  const floor = noiseFloor && floorSize(noiseFloor)
  if (floor && Math.abs(Math.log(contrast.ratio)) < floor) {
    return inconclusive(`the difference is below the noise floor (A/A) of ${percent(Math.exp(floor) - 1)}`,
      false)
  }
  const apart = interval.low > 1 ? 'faster' : 'slower'
  return { verdict: within ? 'no-difference' : apart, why: null, moreBlocksHelp: false }
}

/** @param {string} why @param {boolean} moreBlocksHelp
 * @returns {{ verdict: 'inconclusive', why: string, moreBlocksHelp: boolean }} */
const inconclusive = (why, moreBlocksHelp) => ({ verdict: 'inconclusive', why, moreBlocksHelp })

/** @param {'at-least' | 'at-most'} known */
const hidden = known => known === 'at-least'
  ? 'the load generator was the bottleneck in the arm, which may be faster than this shows'
  : 'the load generator was the bottleneck in the baseline, which may be faster than this shows'

/** The logarithm of the largest difference between twins that the noise floor allows, when it says that they do differ;
 * null when its interval holds 1. @param {Interval} noiseFloor */
const floorSize = noiseFloor => excludesOne(noiseFloor)
  ? Math.max(...[noiseFloor.low, noiseFloor.high].map(end => Math.abs(Math.log(end))))
  : null

/** From which side the ratio of two arms is known. @param {Bound} arm @param {Bound} baseline
 * @returns {'at-least' | 'at-most' | 'nothing' | null} null: from both */
export function knownFrom (arm, baseline) {
  // What the generator or the wire could not carry, nobody has seen.
  const [hidden, hiddenBaseline] = [arm, baseline].map(bound => bound === 'load' || bound === 'network')
  if (hidden) return hiddenBaseline ? 'nothing' : 'at-least'
  return hiddenBaseline ? 'at-most' : null
}

/** An interval without the end that the load generator hides. @param {Interval} interval
 * @param {'at-least' | 'at-most' | 'nothing' | null} known @returns {Interval} */
export const openEnd = ({ low, high }, known) => ({
  low: known === 'at-most' || known === 'nothing' ? 0 : low,
  high: known === 'at-least' || known === 'nothing' ? Infinity : high
})

/** How many times as many blocks make a contrast conclusive at 80 % power (POWER), were its estimate right: the
 * half-width shrinks with the square root of the blocks.
 * @param {Interval & { ratio: number }} contrast inconclusive, with an interval
 * @param {number} level of the interval: 0.95 @param {number} [margin] δ @returns {number} at least 1 */
export function blocksToSettle ({ ratio, low, high }, level, margin = MARGIN) {
  const half = (Math.log(high) - Math.log(low)) / 2 * powerFactor(level)
  const distance = Math.abs(Math.log(ratio))
  // Settled when 1 lies outside, or when all of it lies inside the margin: whichever comes first.
  const needed = Math.max(distance, Math.log(1 + margin) - distance)
  return Math.max(1, (half / needed) ** 2)
}

/** How much of its cores the served side has: on shared ones, what the generator leaves.
 * @param {{ load: number[], served: number[] }} cores @param {number} used cores that the generator used */
export function coresLeft ({ load, served }, used) {
  const shared = load.filter(core => served.includes(core)).length
  return shared === 0 ? served.length : served.length - used * shared / load.length
}

/** Where the time went. @param {ByRole} cpuSeconds used in the measured time, by role
 * @param {{ load: number[], served: number[], generators?: number }} cores may overlap: then both sides share them;
 * generators: on so many machines of their own, each with a process; left out: one
 * @param {number} seconds measured time
 * @param {{ proxy?: number, server?: number, paced?: boolean, users?: boolean, unseen?: boolean }}
 * [processes] unseen: what is served was up already; paced: requests leave on a
 * schedule, users: when a user wants to, and waiting for them is no fault of the generator's; how many cores each can
 * use at most: nginx workers, Node processes; left out: not known
 * @returns {{ bound: Bound, waits: boolean }} 'none': nobody was busy; waits: the served side waited for requests, and
 * the generator did not send more though it had the time */
export function bottleneckOf (cpuSeconds, cores, seconds, processes = {}) {
  if (!(seconds > 0)) return { bound: 'none', waits: false }
  const load = cpuSeconds.load / seconds
  // Every generator here is one thread, and more cores than one do not help it; but for users, who are spread over
  // all of them.
  const threads = Math.max(processes.users ? cores.load.length : 1, cores.generators ?? 1)
  if (load >= LOAD_BOUND_SHARE * threads && !processes.paced) return { bound: 'load', waits: false }
  const free = Math.max(coresLeft(cores, load), Number.EPSILON)
  const used = { proxy: cpuSeconds.proxy / seconds, server: cpuSeconds.server / seconds }
  const share = (/** @type {'proxy' | 'server'} */ role) => used[role] / Math.min(processes[role] ?? Infinity, free)
  const busiest = share('server') >= share('proxy') ? 'server' : 'proxy'
  const busy = Math.max(share(busiest), (used.proxy + used.server) / free)
  if (busy >= SERVED_BUSY_SHARE) return { bound: busiest, waits: false }
  // A program that may be one process and fills one core does not wait, however many cores there are.
  const alone = /** @type {const} */ (['proxy', 'server']).some(role =>
    processes[role] === undefined && used[role] >= SERVED_BUSY_SHARE
  )
  const { paced, users, unseen } = processes
  return { bound: 'none', waits: busy < SERVED_WAITING_SHARE && !alone && !paced && !users && !unseen }
}

/** Why a trial is invalid. What the protocol itself found wrong comes first. @param {Sample} sample
 * @param {Arm} arm
 * @param {{ errorsAreResults?: boolean, servedCores?: number }} [run] errorsAreResults: errors, and a cache that
 * misses, are what the experiment is about; servedCores: how many the served side may use
 * @returns {Reason | null} null: it is valid */
export function judgeSample (sample, arm, { errorsAreResults = false, servedCores = 1 } = {}) {
  const always = sample.invalid ?? served(sample) ?? behind(sample) ?? idle(sample, servedCores) ??
    socket(sample, arm) ?? fresh(sample, arm)
  if (always) return always
  if (errorsAreResults) return cacheIsOn(arm.topology) ? null : connections(sample, arm)
  return errors(sample) ?? (cacheIsOn(arm.topology) ? cache(sample) : connections(sample, arm))
}

/** @param {Sample} sample @returns {Reason | null} */
function served ({ requests, seconds, rps }) {
  if (requests > 0 && seconds > 0 && Number.isFinite(rps) && rps > 0) return null
  return { code: 'nothing-served', text: 'no request was served' }
}

/** A generator that cannot keep its schedule measures itself. @param {Pick<Sample, 'lagMs' | 'latencyMs'>} sample
 * @returns {Reason | null} */
export function behind ({ lagMs, latencyMs }) {
  const limit = Math.max(LAG_LIMIT_MS, Math.min(LAG_LIMIT_MOST_MS, LAG_LIMIT_SHARE * (latencyMs?.p99 ?? 0)))
  if (!lagMs || lagMs.p99 <= limit) return null
  return {
    code: 'behind-schedule',
    text:
      `the p99 of the send lag was ${lagMs.p99.toFixed(1)} ms (limit ${limit.toFixed(1)} ms): the generator could ` +
      'not keep the offered rate'
  }
}

/** @param {Sample} sample @returns {Reason | null} */
function errors (sample) {
  if (!showsErrors(sample)) return null
  const { errors, requests } = sample
  const { non2xx, timeouts, resets, mismatches } = errors
  const parts = [
    [non2xx, 'not 2xx'], [timeouts, 'timed out'], [resets, 'reset'], [mismatches, 'with another body']
  ].filter(([count]) => count).map(([count, what]) => `${count} ${what}`)
  return { code: 'errors', text: `${errorsOf(errors)} errors on ${requests} requests: ${parts.join(', ')}` }
}

/** @param {Sample} sample @param {number} servedCores @returns {Reason | null} */
function idle ({ cpuSeconds, seconds }, servedCores) {
  const share = cpuSeconds.idle / (seconds * servedCores)
  if (!(share > IDLE_SHARE_LIMIT)) return null
  return {
    code: 'idle-arms-busy',
    text:
      `the idle arms used ${percent(share)} of ${servedCores === 1 ? 'the core' : `the ${servedCores} cores`} ` +
      `(limit ${percent(IDLE_SHARE_LIMIT)})`
  }
}

/** @param {Sample} sample @param {Arm} arm @returns {Reason | null} */
function socket ({ proof: { socketType } }, { topology }) {
  const transport = topology.proxy?.transport
  if (!transport) return null
  const expected = transport.startsWith('uds') ? 'unix' : 'tcp'
  if (socketType === expected) return null
  return {
    code: 'wrong-socket',
    text:
      `the server listened on ${socketType === 'none' ? 'no socket' : `a ${socketType} socket`}, and ${transport} ` +
      `needs a ${expected} one`
  }
}

/** @param {Sample} sample @param {Arm} arm @returns {Reason | null} */
function fresh ({ proof: { clientConnectionsPerRequest: perRequest = null } }, { load }) {
  if (!load.fresh || perRequest === null || perRequest >= FRESH_CONNECTIONS_MIN) return null
  return {
    code: 'client-not-fresh',
    text: `the client opened ${perRequest.toFixed(3)} connections per request, and it was to open one for each`
  }
}

/** @param {Sample} sample @param {Arm} arm @returns {Reason | null} */
function connections ({ proof: { upstreamConnectionsPerRequest: perRequest } }, { topology, load }) {
  const { transport, options: { pool } = {} } = topology.proxy ?? {}
  if (!transport) return null
  // Of a command in a network that others use, too: the run says so (unproven).
  if (perRequest === null && topology.server?.command) return null
  if (perRequest === null) return { code: 'no-proof', text: 'the connections to the server were not counted' }
  const pooled = transport.endsWith('keepalive')
  // With more clients than it may keep connections, a proxy opens new ones for the rest.
  const most = Number(pool) < load.connections ? FRESH_CONNECTIONS_MIN : POOLED_CONNECTIONS_MAX
  if (pooled ? perRequest < most : perRequest >= FRESH_CONNECTIONS_MIN) return null
  return {
    code: pooled ? 'not-pooled' : 'not-fresh',
    text:
      `the proxy opened ${perRequest.toFixed(3)} connections per request, and ${transport} means ` +
      `${pooled ? `fewer than ${most}` : `at least ${FRESH_CONNECTIONS_MIN}`}`
  }
}

/** Connections prove nothing here: a handful of requests reaches the server. @param {Sample} sample
 * @returns {Reason | null} */
function cache ({ proof: { cacheHitRatio } }) {
  if (cacheHitRatio === null) return { code: 'no-proof', text: 'the cache\'s hits were not counted' }
  if (cacheHitRatio > CACHE_HIT_RATIO_MIN) return null
  return {
    code: 'cache-missed',
    text:
      `the cache answered ${percent(cacheHitRatio)} of the requests (more than ${percent(CACHE_HIT_RATIO_MIN)} is ` +
      'expected)'
  }
}
