/** Judges contrasts and trials (pure). Limits are in bench/shared/thresholds.js. */
import {
  CACHE_HIT_RATIO_MIN, FRESH_CONNECTIONS_MIN, IDLE_SHARE_LIMIT, LAG_LIMIT_MOST_MS, LAG_LIMIT_MS, LAG_LIMIT_SHARE,
  MARGIN, POOLED_CONNECTIONS_MAX
} from '../shared/thresholds.js'
import { excludesOne, placeOf, withinMargin } from './margin.js'
import { powerFactor } from '../plan/sample-size.js'
import { computeAppShare, getServedPrefixes } from '../plan/file-prefixes.js'
import { isCached, mustHit } from '../plan/predicates.js'
import { countRequests, showsErrors } from '../shared/trial.js'

/** @import { Arm, ArmResult, Bound, Contrast, ContrastWhy, Interval, RatioInterval } from '../types.js' */
/** @import { Reason, Sample, Verdict } from '../types.js' */

/**
 * Returns the verdict of a ratio by the place of its interval: within the margin, or beyond a threshold.
 *
 * @param {{ low: number | null, high: number | null }} interval null: unknown
 * @param {object} rule
 * @param {number} rule.margin largest difference that counts as none, as a share
 * @param {number} [rule.beyond] difference that the interval must exceed for `faster` and `slower`, as a share. A
 *   contrast is decided by a difference of any size, and a change only by one beyond the margin.
 * @param {'lower' | 'higher'} [rule.worse] direction in which the compared figure is worse: of rates `lower`
 * @returns {Exclude<Verdict, 'invalid'>}
 */
export function toVerdict (interval, { margin, beyond = 0, worse = 'lower' }) {
  if (placeOf(interval, withinMargin(margin)) === 'within') return 'no-difference'
  const place = placeOf(interval, withinMargin(beyond))
  if (place === 'within' || place === 'across') return 'inconclusive'
  return (place === 'below') === (worse === 'lower') ? 'slower' : 'faster'
}

/**
 * A ratio arm / baseline of which a rate is a lower bound. `at-least`: the arm's rate is one, so the ratio is too;
 * `at-most`: the baseline's rate is one, so the ratio is an upper bound; `nothing`: both rates are, so the ratio has no
 * bound. limit: why a rate is a lower bound; both: the load generator limited one, and the other was not saturated.
 *
 * @typedef {{ side: 'at-least' | 'at-most' | 'nothing', arm: string, limit: 'load' | 'saturation' | 'both' }}
 *   RatioBound arm:
 *   the arm whose rate is a lower bound, the compared one if both are
 */

/**
 * Judges the interval of a contrast.
 *
 * @param {RatioInterval} contrast
 * @param {{ noiseFloor?: RatioInterval | null, bound?: RatioBound | null }} [options] noiseFloor: ratio of an arm to
 *   its twin; bound: result of findBound()
 * @returns {{ verdict: Exclude<Verdict, 'invalid'>, why: ContrastWhy | null, moreBlocksHelp: boolean }} why: reason of
 *   an inconclusive verdict; moreBlocksHelp: whether a narrower interval can lead to a verdict
 */
export function judgeInterval (contrast, { noiseFloor = null, bound = null } = {}) {
  const verdict = toVerdict(widenUnboundedEnd(contrast, bound?.side ?? null), { margin: MARGIN })
  if (verdict === 'inconclusive') {
    const why = bound ? explainBound(bound) : { code: /** @type {const} */ ('interval-too-wide'), params: {} }
    return inconclusive(why, canBeShown(contrast.ratio, bound?.side ?? null))
  }
  const floor = noiseFloor && computeLogFloor(noiseFloor)
  if (floor && Math.abs(Math.log(contrast.ratio)) < floor) {
    return inconclusive({ code: 'below-noise-floor', params: { floor: Math.exp(floor) - 1 } }, false)
  }
  return { verdict, why: null, moreBlocksHelp: false }
}

/**
 * Returns whether a narrower interval can show a difference: a lower bound can exclude 1 only if the estimate is above
 * 1, and an upper bound only below 1.
 *
 * @param {number} ratio
 * @param {RatioBound['side'] | null} side null: the ratio is an estimate
 */
function canBeShown (ratio, side) {
  if (side === 'nothing') return false
  return side === null || (side === 'at-least' ? ratio > 1 : ratio < 1)
}

/** Reasons of contrasts that a bound leaves open. @type {string[]} */
const BOUND_CODES = [
  'generator-bound-both', 'bounds-both', 'generator-bound-arm', 'generator-bound-baseline', 'not-saturated'
]

/**
 * Returns whether further blocks can change an inconclusive contrast. Blocks of an arm that did not reach the steady
 * state lead to no verdict, and no block moves a bound to the other side of 1.
 *
 * @param {Pick<Contrast, 'why' | 'oneSided' | 'ratio'>} contrast
 */
export function canBlocksDecide ({ why, oneSided, ratio }) {
  const code = why?.code ?? ''
  if (code === 'not-steady') return false
  return !BOUND_CODES.includes(code) || canBeShown(ratio, oneSided ?? 'nothing')
}

/** @type {(why: ContrastWhy, moreBlocksHelp: boolean) => ReturnType<typeof judgeInterval>} */
const inconclusive = (why, moreBlocksHelp) => ({ verdict: 'inconclusive', why, moreBlocksHelp })

/**
 * Returns the reason of a contrast that its bound leaves open.
 *
 * @param {RatioBound} bound
 * @returns {ContrastWhy}
 */
export function explainBound ({ side, arm, limit }) {
  if (side === 'nothing') return { code: limit === 'both' ? 'bounds-both' : 'generator-bound-both', params: {} }
  if (limit === 'saturation') return { code: 'not-saturated', params: { arm } }
  return { code: side === 'at-least' ? 'generator-bound-arm' : 'generator-bound-baseline', params: {} }
}

/**
 * Returns the largest difference between twins within the interval of the noise floor, as an absolute log-ratio.
 * Smaller differences of a contrast can be noise.
 *
 * @param {Interval} noiseFloor
 * @returns {number | null} null: twins do not differ significantly
 */
const computeLogFloor = noiseFloor => excludesOne(noiseFloor)
  ? Math.max(...[noiseFloor.low, noiseFloor.high].map(end => Math.abs(Math.log(end))))
  : null

/**
 * Finds which rates of a ratio arm / baseline are lower bounds: those that the load generator or the link limited, and
 * that of an arm that was not saturated while the other one was, because it can serve more than it did.
 *
 * @param {Interval} interval of the ratio
 * @param {Pick<ArmResult, 'name' | 'bound'>} arm
 * @param {Pick<ArmResult, 'name' | 'bound'>} baseline
 * @returns {RatioBound | null} null: the ratio is an estimate, both arms can serve more, or the interval has no end
 *   where the bound is
 */
export function findBound ({ low, high }, arm, baseline) {
  const side = getBoundedSide(isLimitedByLoad(arm.bound), isLimitedByLoad(baseline.bound))
  if (side && [arm.bound, baseline.bound].includes('none')) return { side: 'nothing', arm: arm.name, limit: 'both' }
  if (side) return { side, arm: side === 'at-most' ? baseline.name : arm.name, limit: 'load' }
  // With equal rates, one of two arms can be just below the limit of saturation and the other just above it.
  if (placeOf({ low, high }, withinMargin(MARGIN)) === 'within') return null
  if (isSaturated(arm.bound) && baseline.bound === 'none' && Number.isFinite(high)) {
    return { side: 'at-most', arm: baseline.name, limit: 'saturation' }
  }
  return arm.bound === 'none' && isSaturated(baseline.bound) && low > 0
    ? { side: 'at-least', arm: arm.name, limit: 'saturation' }
    : null
}

/** @param {Bound} bound */
const isSaturated = bound => bound === 'server' || bound === 'proxy'

/**
 * Returns whether the load generator or the link limited a rate.
 *
 * @param {Bound} bound
 */
export const isLimitedByLoad = bound => bound === 'load' || bound === 'network'

/**
 * Returns the side on which a ratio arm / baseline is bounded.
 *
 * @param {boolean} isArmBound the arm's rate is a lower bound
 * @param {boolean} isBaselineBound the baseline's is
 * @returns {RatioBound['side'] | null} null: neither is
 */
export function getBoundedSide (isArmBound, isBaselineBound) {
  if (isArmBound) return isBaselineBound ? 'nothing' : 'at-least'
  return isBaselineBound ? 'at-most' : null
}

/**
 * Widens an interval to 0 or Infinity at each end that is no bound, because a rate is a lower bound.
 *
 * @param {Interval} interval
 * @param {RatioBound['side'] | null} side null: the ratio is an estimate
 * @returns {Interval}
 */
export const widenUnboundedEnd = ({ low, high }, side) => ({
  low: side === 'at-most' || side === 'nothing' ? 0 : low,
  high: side === 'at-least' || side === 'nothing' ? Infinity : high
})

/**
 * Returns the part of a contrast's interval that its verdict is based on.
 *
 * @param {Contrast} contrast valid; an end that is null in a stored record is unknown
 * @returns {Interval} 0 and Infinity at ends that are unknown or no bound
 */
export const getKnownInterval = contrast => widenUnboundedEnd(
  { low: contrast.low ?? 0, high: contrast.high ?? Infinity }, isHeldBack(contrast) ? 'nothing' : contrast.oneSided)

/**
 * Returns whether the ratio is unknown: the load generator or the link was the bottleneck of both arms, or of one
 * beside an arm that was not saturated.
 *
 * @param {Pick<Contrast, 'why'>} contrast
 */
export const isHeldBack = ({ why }) => ['generator-bound-both', 'bounds-both'].includes(why?.code ?? '')

/**
 * Estimates the factor by which the number of blocks has to grow for a verdict at 80 % power, if the true ratio equals
 * the estimate. The half-width shrinks with the square root of the number of blocks.
 *
 * @param {RatioInterval} contrast inconclusive, with an interval
 * @param {number} level confidence level of the interval
 * @returns {number} at least 1
 */
export function computeBlockFactor ({ ratio, low, high }, level) {
  const half = (Math.log(high) - Math.log(low)) / 2 * powerFactor(level)
  const distance = Math.abs(Math.log(ratio))
  // A verdict follows once the interval excludes 1 (half-width below `distance`) or lies within the margin (half-width
  // below the rest of the margin). The larger of these half-widths is reached first.
  const neededHalf = Math.max(distance, Math.log(1 + MARGIN) - distance)
  return Math.max(1, (half / neededHalf) ** 2)
}

/**
 * Finds the reason for which a trial is invalid. A reason that was found during the trial has priority.
 *
 * @param {Sample} sample
 * @param {Arm} arm
 * @param {{ errorsAreResults?: boolean, servedCores?: number }} [run] errorsAreResults: the experiment is about errors
 *   and cache misses; servedCores: number of cores of the served side
 * @returns {Reason | null} null: the trial is valid
 */
export function judgeSample (sample, arm, { errorsAreResults = false, servedCores = 1 } = {}) {
  const hasCache = isCached(arm.topology)
  const reason = sample.invalid ?? rejectUnserved(sample) ?? rejectLateGenerator(sample) ??
    rejectBusyIdleArms(sample, servedCores) ?? rejectSocketType(sample, arm) ?? rejectReusedConnections(sample, arm) ??
    rejectPassedFiles(sample, arm)
  // A scenario may open connections on purpose.
  if (reason || sample.play) return reason
  // Behind a cache, too few requests reach the server for a proof by connections.
  if (errorsAreResults) return hasCache ? null : rejectUpstreamConnections(sample, arm)
  const hits = mustHit(arm.topology) ? rejectCacheMisses(sample) : null
  return rejectErrors(sample) ?? (hasCache ? hits : rejectUpstreamConnections(sample, arm))
}

/**
 * Rejects a trial without a response.
 *
 * @param {Sample} sample
 * @returns {Reason | null}
 */
function rejectUnserved ({ requests, seconds, rps }) {
  if (requests > 0 && seconds > 0 && Number.isFinite(rps) && rps > 0) return null
  return { code: 'nothing-served', params: {} }
}

/**
 * Rejects a trial whose generator sent requests late, because the latencies then include the generator's own queue.
 *
 * @param {Pick<Sample, 'lagMs' | 'latencyMs'>} sample
 * @returns {Reason | null}
 */
function rejectLateGenerator ({ lagMs, latencyMs }) {
  const limit = Math.max(LAG_LIMIT_MS, Math.min(LAG_LIMIT_MOST_MS, LAG_LIMIT_SHARE * (latencyMs?.p99 ?? 0)))
  if (!lagMs || lagMs.p99 <= limit) return null
  return { code: 'behind-schedule', params: { p99Ms: lagMs.p99, limitMs: limit } }
}

/**
 * Rejects a trial with too many errors, or clients without a connection.
 *
 * @param {Sample} sample
 * @returns {Reason | null}
 */
function rejectErrors (sample) {
  if (!showsErrors(sample)) return null
  const { errors, unserved } = sample
  return { code: 'errors', params: { errors, ...unserved && { unserved }, requests: countRequests(sample) } }
}

/**
 * Rejects a trial in which the other arms, which should be idle, used too much CPU time of the served side.
 *
 * @param {Sample} sample
 * @param {number} servedCores
 * @returns {Reason | null}
 */
function rejectBusyIdleArms ({ cpuSeconds, seconds }, servedCores) {
  // `idle` is the CPU time that the processes of the other arms used.
  const share = cpuSeconds.idle / (seconds * servedCores)
  // Accepts NaN, because the CPU time is then unknown.
  if (!(share > IDLE_SHARE_LIMIT)) return null
  return { code: 'idle-arms-busy', params: { share, cores: servedCores, limit: IDLE_SHARE_LIMIT } }
}

/**
 * Rejects a trial whose server listened on another kind of socket than the transport requires.
 *
 * @param {Sample} sample
 * @param {Arm} arm
 * @returns {Reason | null}
 */
function rejectSocketType ({ proof: { socketType } }, { topology }) {
  const transport = topology.proxy?.transport
  if (!transport) return null
  const expected = transport.startsWith('uds') ? 'unix' : 'tcp'
  if (socketType === expected) return null
  return { code: 'wrong-socket', params: { socketType, transport } }
}

/**
 * Rejects a trial whose client reused connections although each request should have its own.
 *
 * @param {Sample} sample
 * @param {Arm} arm
 * @returns {Reason | null}
 */
function rejectReusedConnections ({ proof }, { load }) {
  const perRequest = proof.clientConnectionsPerRequest ?? null
  if (!load.fresh || perRequest === null || perRequest >= FRESH_CONNECTIONS_MIN) return null
  return { code: 'client-not-fresh', params: { perRequest } }
}

/**
 * Rejects a trial in which the app received requests for files that the proxy serves itself.
 *
 * @param {Sample} sample
 * @param {Arm} arm
 * @returns {Reason | null}
 */
function rejectPassedFiles ({ proof: { filesAtServer = 0 } }, { topology }) {
  if (filesAtServer === 0 || getServedPrefixes(topology).length === 0) return null
  return { code: 'files-passed-on', params: { requests: filesAtServer } }
}

/**
 * Rejects a trial whose number of connections from proxy to server contradicts the transport: few with a pool, and
 * about one for each request without a pool.
 *
 * @param {Sample} sample
 * @param {Arm} arm
 * @returns {Reason | null}
 */
function rejectUpstreamConnections ({ proof }, { topology, load }) {
  const { transport, options = {} } = topology.proxy ?? {}
  const share = computeAppShare(topology, load)
  // If the proxy serves all requests itself, there are no connections to the server.
  if (!transport || share === 0) return null
  const perRequest = proof.upstreamConnectionsPerRequest
  if (perRequest === null) {
    // Without a private network the connections of a command cannot be counted, which the run reports as a warning.
    if (topology.server?.command) return null
    return { code: 'no-proof', params: { uncounted: 'connections' } }
  }
  // With upstream_defaults, the version decides whether connections are pooled, so any number is valid. The report
  // prints the number.
  if (options.upstream_defaults === true) return null
  const isPooled = transport.endsWith('keepalive')
  // If the pool is smaller than the number of clients, a proxy opens new connections for the rest. auto: no limit.
  const pooledLimit = Number(options.pool) < load.connections ? FRESH_CONNECTIONS_MIN : POOLED_CONNECTIONS_MAX
  // The requests that reach a command are computed as a share of the proxy's, which is inaccurate for few requests.
  // Halves the limit.
  const isComputed = share < 1 && topology.server?.command !== undefined
  const freshLimit = isComputed ? FRESH_CONNECTIONS_MIN / 2 : FRESH_CONNECTIONS_MIN
  if (isPooled ? perRequest < pooledLimit : perRequest >= freshLimit) return null
  return isPooled
    ? { code: 'not-pooled', params: { perRequest, transport, limit: pooledLimit } }
    : { code: 'not-fresh', params: { perRequest, transport, limit: freshLimit } }
}

/**
 * Rejects a trial with cache misses, because the arm is to serve from its cache.
 *
 * @param {Sample} sample
 * @returns {Reason | null}
 */
function rejectCacheMisses ({ proof: { cacheHitRatio } }) {
  if (cacheHitRatio === null) return { code: 'no-proof', params: { uncounted: 'cache hits' } }
  if (cacheHitRatio > CACHE_HIT_RATIO_MIN) return null
  return { code: 'cache-missed', params: { hits: cacheHitRatio, limit: CACHE_HIT_RATIO_MIN } }
}
