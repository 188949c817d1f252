/**
 * Every threshold of the project, where it comes from, and the rules that use it (pure).
 * Thresholds of the statistics themselves stand beside their formulas in stats/.
 *
 * @import { Arm, Bound, ByRole, Interval, Reason, Sample, Verdict } from './types.js'
 */

// ---------------------------------------------------------------- verdicts

/** δ: differences below 3 % decide nothing in practice and do not survive a move to another machine (docs/statistics.md). */
export const MARGIN = 0.03
/** Probability of a wrong interval in the whole family of listed contrasts: the usual 5 %. */
export const FAMILY_ERROR = 0.05
/** A published ratio counts as met within this factor: other hardware, other versions (docs/statistics.md). */
export const CLAIM_TOLERANCE = 1.1

// ---------------------------------------------------------------- validity of a trial

/** Errors per answer above which a trial does not count: one in a thousand, the p99.9 of an operator. */
export const ERROR_SHARE_LIMIT = 0.001
/** Share of the served side's CPU time that idle arms may take: one whose programs are awake takes it from the one measured. */
export const IDLE_SHARE_LIMIT = 0.03
/** An arm of this many trials, more than INVALID_SHARE_LIMIT of them invalid, does not count at all. */
export const JUDGED_FROM_TRIALS = 6
export const INVALID_SHARE_LIMIT = 0.5

/**
 * How late a request may leave at the 99th percentile, in ms: nothing lasts below a few milliseconds on a machine with other
 * work. Of a long latency a share does not matter, but no more than LAG_LIMIT_MOST_MS: a generator that cannot read
 * its answers makes latencies of its own, and would excuse itself by them.
 */
export const LAG_LIMIT_MS = 5
export const LAG_LIMIT_SHARE = 0.1
export const LAG_LIMIT_MOST_MS = 10

/**
 * A trial is disturbed when the machine was suspended in it for longer than this, in seconds. The boot clock is told in hundredths,
 * and beyond that the two clocks differ by nothing but the time of a suspension.
 */
export const SUSPENDED_SECONDS = 0.1
/** A suite that did not run for so long was stopped, or its machine was: no load delays it by more than some tenths of a second. */
export const STILL_SECONDS = 1
/**
 * nginx, Apache, wrk and others tell the time by the wall clock: set by less than this, it changes the shortest slice (0.2 s) by less
 * than MARGIN. Linux steers the wall clock and the monotonic one alike; another system may let them part by so much a second
 * (500 ppm, adjtime(2)).
 */
export const STEPPED_SECONDS = 0.005
export const SLEW_SHARE = 0.0005

// ---------------------------------------------------------------- proof that an arm is what it claims

/** A new connection for every request opens one; answers in flight at the edges of a slice blur it. */
export const FRESH_CONNECTIONS_MIN = 0.9
/** Pooled connections are opened once and replaced now and then. */
export const POOLED_CONNECTIONS_MAX = 0.05
/** A cache answers all but the one request that fills an expired entry. */
export const CACHE_HIT_RATIO_MIN = 0.99

// ---------------------------------------------------------------- who was the bottleneck

/** A generator that uses this share of its cores sends what it can, not what the topology can take. */
export const LOAD_BOUND_SHARE = 0.9
/** A link that is used to this share carries no more: the rest is what TCP needs to see that it is full. */
export const LINK_BOUND_SHARE = 0.9
/** A served side that uses this share of what it may use is the bottleneck; the kernel's own share goes uncounted. */
export const SERVED_BUSY_SHARE = 0.8
/** A served side that uses less than this waits for requests. */
export const SERVED_WAITING_SHARE = 0.5

/**
 * What the interval of a contrast says. A contrast with an arm that was bound by the load generator
 * is known from one side only: the other end of its interval is open.
 * @param {Interval & { ratio: number }} contrast
 * @param {object} [options]
 * @param {(Interval & { ratio: number }) | null} [options.noiseFloor] ratio of an arm to its twin
 * @param {'at-least' | 'at-most' | 'nothing' | null} [options.known] as knownFrom() gave it
 * @param {number} [options.margin] δ
 * @returns {{ verdict: Exclude<Verdict, 'invalid'>, why: string | null, moreBlocksHelp: boolean }}
 */
export function verdictOf (contrast, { noiseFloor = null, known = null, margin = MARGIN } = {}) {
  if (known === 'nothing') return inconclusive('the load generator was the bottleneck of both arms', false)
  const { low, high } = openEnd(contrast, known)
  const within = low >= 1 / (1 + margin) && high <= 1 + margin
  if (!within && !(low > 1 || high < 1)) {
    if (known) return inconclusive(hidden(known), known === 'at-least' ? contrast.ratio > 1 : contrast.ratio < 1)
    return inconclusive('the interval holds both no difference and one that matters', true)
  }
  const floor = noiseFloor && floorSize(noiseFloor)
  if (floor && Math.abs(Math.log(contrast.ratio)) < floor) {
    return inconclusive(`an arm and its own twin differ by up to ${percent(Math.exp(floor) - 1)}, and this is less`, false)
  }
  return { verdict: within ? 'no-difference' : low > 1 ? 'faster' : 'slower', why: null, moreBlocksHelp: false }
}

/**
 * @param {string} why
 * @param {boolean} moreBlocksHelp
 * @returns {{ verdict: 'inconclusive', why: string, moreBlocksHelp: boolean }}
 */
const inconclusive = (why, moreBlocksHelp) => ({ verdict: 'inconclusive', why, moreBlocksHelp })

/** @param {'at-least' | 'at-most'} known */
const hidden = known => known === 'at-least'
  ? 'the load generator was the bottleneck of the arm, which may be faster than this shows'
  : 'the load generator was the bottleneck of the baseline, which may be faster than this shows'

/**
 * The logarithm of the largest difference between twins that the noise floor allows, when it says
 * that they do differ; null when its interval holds 1.
 * @param {Interval} noiseFloor
 */
function floorSize ({ low, high }) {
  if (!(low > 1 || high < 1)) return null
  return Math.max(Math.abs(Math.log(low)), Math.abs(Math.log(high)))
}

/**
 * From which side the ratio of two arms is known.
 * @param {Bound} arm
 * @param {Bound} baseline
 * @returns {'at-least' | 'at-most' | 'nothing' | null} null: from both
 */
export function knownFrom (arm, baseline) {
  // What the generator or the wire could not carry, nobody has seen.
  const [hidden, hiddenBaseline] = [arm, baseline].map(bound => bound === 'load' || bound === 'network')
  if (hidden) return hiddenBaseline ? 'nothing' : 'at-least'
  return hiddenBaseline ? 'at-most' : null
}

/**
 * An interval without the end that the load generator hides.
 * @param {Interval} interval
 * @param {'at-least' | 'at-most' | 'nothing' | null} known
 * @returns {Interval}
 */
export const openEnd = ({ low, high }, known) => ({
  low: known === 'at-most' || known === 'nothing' ? 0 : low,
  high: known === 'at-least' || known === 'nothing' ? Infinity : high
})

/**
 * How many times as many blocks would settle a contrast, were its estimate right: the half-width
 * shrinks with the square root of the blocks.
 * @param {Interval & { ratio: number }} contrast inconclusive, with an interval
 * @param {number} [margin] δ
 * @returns {number} above 1
 */
export function blocksToSettle ({ ratio, low, high }, margin = MARGIN) {
  const half = (Math.log(high) - Math.log(low)) / 2
  const distance = Math.abs(Math.log(ratio))
  // Settled when 1 lies outside, or when all of it lies inside the margin: whichever comes first.
  const needed = Math.max(distance, Math.log(1 + margin) - distance)
  return Math.max(1, (half / needed) ** 2)
}

/**
 * Where the time went.
 * @param {ByRole} cpuSeconds used in the measured time, by role
 * @param {{ load: number[], served: number[], generators?: number }} cores may overlap: then both sides share them; generators: on so many
 *   machines of their own, each with a process; left out: one
 * @param {number} seconds measured time
 * @param {{ proxy?: number, server?: number, paced?: boolean, users?: boolean }} [processes] paced: requests leave on a schedule, users: when somebody wants to, and waiting for them is no fault of the generator's; how many cores each can use at most:
 *   nginx workers, Node processes; left out: not known
 * @returns {Bound} 'none': the served side was neither busy nor waiting
 */
export function boundOf (cpuSeconds, cores, seconds, processes = {}) {
  if (!(seconds > 0)) return 'none'
  const load = cpuSeconds.load / seconds
  // Every generator here is one thread, and more cores than one do not help it; but for users, who are spread over all of them.
  const threads = Math.max(processes.users ? cores.load.length : 1, cores.generators ?? 1)
  if (load >= LOAD_BOUND_SHARE * threads && !processes.paced) return 'load'
  const shared = cores.load.filter(core => cores.served.includes(core)).length
  // On shared cores the served side has what the generator leaves.
  const free = Math.max(cores.served.length - (shared === 0 ? 0 : load * shared / cores.load.length), Number.EPSILON)
  const used = { proxy: cpuSeconds.proxy / seconds, server: cpuSeconds.server / seconds }
  const share = (/** @type {'proxy' | 'server'} */ role) => used[role] / Math.min(processes[role] ?? Infinity, free)
  const busiest = share('server') >= share('proxy') ? 'server' : 'proxy'
  const busy = Math.max(share(busiest), (used.proxy + used.server) / free)
  if (busy >= SERVED_BUSY_SHARE) return busiest
  // A program that may be one process and fills one core does not wait, however many cores there are.
  const alone = /** @type {const} */ (['proxy', 'server']).some(role => processes[role] === undefined && used[role] >= SERVED_BUSY_SHARE)
  return busy < SERVED_WAITING_SHARE && !alone && !processes.paced && !processes.users ? 'load' : 'none'
}

/**
 * Why a trial does not count. What the protocol itself found wrong comes first.
 * @param {Sample} sample
 * @param {Arm} arm
 * @param {{ errorsAreResults?: boolean, servedCores?: number }} [run] errorsAreResults: errors, and a cache that misses, are
 *   what the experiment is about; servedCores: how many the served side may use
 * @returns {Reason | null} null: it counts
 */
export function judgeSample (sample, arm, { errorsAreResults = false, servedCores = 1 } = {}) {
  const always = sample.invalid ?? served(sample) ?? behind(sample) ?? idle(sample, servedCores) ?? socket(sample, arm) ?? fresh(sample, arm)
  if (always) return always
  if (errorsAreResults) return cacheIsOn(arm) ? null : connections(sample, arm)
  return errors(sample) ?? (cacheIsOn(arm) ? cache(sample) : connections(sample, arm))
}

/** @param {Sample} sample @returns {Reason | null} */
function served ({ requests, seconds, rps }) {
  if (requests > 0 && seconds > 0 && Number.isFinite(rps) && rps > 0) return null
  return { code: 'nothing-served', text: 'no request was served' }
}

/** A generator that cannot keep its schedule measures itself. @param {Pick<Sample, 'lagMs' | 'latencyMs'>} sample @returns {Reason | null} */
export function behind ({ lagMs, latencyMs }) {
  const limit = Math.max(LAG_LIMIT_MS, Math.min(LAG_LIMIT_MOST_MS, LAG_LIMIT_SHARE * (latencyMs?.p99 ?? 0)))
  if (!lagMs || lagMs.p99 <= limit) return null
  return { code: 'behind-schedule', text: `one in a hundred requests left ${lagMs.p99.toFixed(1)} ms late or later (limit ${limit.toFixed(1)} ms): the generator could not keep the rate` }
}

/**
 * Why the time of a trial cannot be relied on.
 * @param {object} passed what passed in it by each clock, in seconds
 * @param {number} passed.seconds by the monotonic clock
 * @param {number | null} passed.bootSeconds by the one that goes on while the machine is suspended; null: there is none
 * @param {number} passed.wallSeconds by the time of day
 * @param {number} passed.stillSeconds the longest time in which the suite itself did not run
 * @param {number} [passed.blurSeconds] by so much the readings of several clocks may be wrong, as they were not made at once
 * @returns {Reason | null} null: it can
 */
export function disturbanceOf ({ seconds, bootSeconds, wallSeconds, stillSeconds, blurSeconds = 0 }) {
  const asleep = bootSeconds === null ? 0 : bootSeconds - seconds
  if (asleep > SUSPENDED_SECONDS + blurSeconds) return { code: 'suspended', text: `the machine was suspended for ${asleep.toFixed(1)} s within it` }
  if (stillSeconds > STILL_SECONDS) return { code: 'suspended', text: `the suite stood still for ${stillSeconds.toFixed(1)} s within it: it was stopped, or its machine was` }
  const stepped = wallSeconds - seconds
  if (Math.abs(stepped) <= STEPPED_SECONDS + SLEW_SHARE * seconds + blurSeconds) return null
  // Without a boot clock nobody can tell the two apart, and the trial is lost with either.
  if (bootSeconds === null && stepped > SUSPENDED_SECONDS) {
    return { code: 'suspended', text: `the time of day went on by ${stepped.toFixed(1)} s more than the suite ran: the machine was suspended, or its clock was set` }
  }
  return { code: 'clock-stepped', text: `the clock was set ${stepped > 0 ? 'forward' : 'back'} by ${Math.abs(stepped).toFixed(Math.abs(stepped) < 1 ? 3 : 1)} s within it, and programs tell the time by it` }
}

/** Does such a trial say nothing about its arm, so that it is to be made again? @param {Reason | null} invalid */
export const isDisturbance = invalid => invalid !== null && ['suspended', 'clock-stepped'].includes(invalid.code)

/**
 * Are a trial's errors more than a stray one?
 * @param {Pick<Sample, 'errors' | 'requests'>} sample
 */
export const showsErrors = ({ errors, requests }) => errorsOf(errors) > ERROR_SHARE_LIMIT * requests

/** @param {Sample['errors']} errors */
const errorsOf = ({ non2xx, timeouts, resets, mismatches }) => non2xx + timeouts + resets + mismatches

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
  return { code: 'idle-arms-busy', text: `the idle arms used ${percent(share)} of ${servedCores === 1 ? 'the core' : `the ${servedCores} cores`} (limit ${percent(IDLE_SHARE_LIMIT)})` }
}

/** @param {Sample} sample @param {Arm} arm @returns {Reason | null} */
function socket ({ proof: { socketType } }, { topology }) {
  const transport = topology.proxy?.transport
  if (!transport) return null
  const expected = transport.startsWith('uds') ? 'unix' : 'tcp'
  if (socketType === expected) return null
  return { code: 'wrong-socket', text: `the server listened on ${socketType === 'none' ? 'no socket' : `a ${socketType} socket`}, and ${transport} needs a ${expected} one` }
}

/** @param {Sample} sample @param {Arm} arm @returns {Reason | null} */
function fresh ({ proof: { clientConnectionsPerRequest: perRequest = null } }, { load }) {
  if (!load.fresh || perRequest === null || perRequest >= FRESH_CONNECTIONS_MIN) return null
  return { code: 'client-not-fresh', text: `the client opened ${perRequest.toFixed(3)} connections per request, and it was to open one for each` }
}

/** @param {Sample} sample @param {Arm} arm @returns {Reason | null} */
function connections ({ proof: { upstreamConnectionsPerRequest: perRequest } }, { topology }) {
  const transport = topology.proxy?.transport
  if (!transport) return null
  if (perRequest === null) return { code: 'no-proof', text: 'the connections to the server were not counted' }
  const pooled = transport.endsWith('keepalive')
  if (pooled ? perRequest < POOLED_CONNECTIONS_MAX : perRequest >= FRESH_CONNECTIONS_MIN) return null
  return {
    code: pooled ? 'not-pooled' : 'not-fresh',
    text: `the proxy opened ${perRequest.toFixed(3)} connections per request, and ${transport} means ${pooled ? `fewer than ${POOLED_CONNECTIONS_MAX}` : `at least ${FRESH_CONNECTIONS_MIN}`}`
  }
}

/** Connections prove nothing here: a handful of requests reaches the server. @param {Sample} sample @returns {Reason | null} */
function cache ({ proof: { cacheHitRatio } }) {
  if (cacheHitRatio === null) return { code: 'no-proof', text: 'the cache\'s hits were not counted' }
  if (cacheHitRatio > CACHE_HIT_RATIO_MIN) return null
  return { code: 'cache-missed', text: `the cache answered ${percent(cacheHitRatio)} of the requests (more than ${percent(CACHE_HIT_RATIO_MIN)} is expected)` }
}

/** Is an answer to be kept by the proxy? @param {Pick<Arm, 'topology'>} arm */
export const cacheIsOn = ({ topology }) => ![undefined, false, 0, '0', '0s', 'off', ''].includes(topology.proxy?.options.cache)

/** @param {number} share */
const percent = share => `${(share * 100).toFixed(1)} %`
