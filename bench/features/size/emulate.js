/** Emulates offerings: one instance under its limits, at its share of the rate while the spare instances are lost. */
import { join } from 'node:path'
import { offeringName } from './prices/offering-choice.js'
import { isOf, limitInFlight, listCandidates, toEmulatedShare, toInstanceRate } from './prices/emulated-rows.js'
import { HopbenchError } from '../../errors.js'
import { DEFAULT } from '../../load/find-engine.js'
import { printSizingWhy } from './why-words.js'
import { judgeTrial } from './capacity/capacity.js'
import { getCores } from './prices/offerings.js'
import { PERIOD_SECONDS } from './capacity/bursts.js'
import { openSizingRig } from './rig.js'

/** @import { Arm, AtLimit, Emulated, Latency, LimitStats, PriceRow, SizingWhy } from '../../types.js' */
/** @import { SizeOptions, SizingRig } from './types.js' */

/** Length of a window, in seconds: that of a trial of the search, so that estimate and emulation count the same. */
const SECONDS = { full: 3, quick: 1.5 }
/** Time in all windows from which an emulation counts, in seconds. */
const COUNTING_SECONDS = 60
/** Windows of an emulation: 60 s, or 30 s with --quick. */
const WINDOWS = COUNTING_SECONDS / SECONDS.full
/** Seconds at the instance's rate before the first window. Right after the full load of the warm-up, 250 requests a
 * second on 0.14 cores had a p99 of 173 ms in the first 5 s and of 2 to 6 ms in the next 45 s, because the runtime
 * recompiled for the lower load. */
const SETTLE_SECONDS = { full: 5, quick: 2 }
/** Windows that miss the goal and in which the load generator was late, too, and that are made again. Beside a compiler
 * an instance had a p99 of 159 ms at a third of its capacity, and the generator sent 40 ms late. */
const MAX_REPEATED = 6
/** Windows in a closed loop that lower the limit of requests in flight at most. Their engine records each response
 * once: wrk adds requests that it would have sent during a long one. Its p99 was 1,046 ms with 198 requests in flight,
 * and that of autocannon 67 ms with 157. */
const MAX_LIMITS = 4
/** Reasons that an error message lists. */
const REASONS_SHOWN = 3

/**
 * Finds the next offering to emulate.
 *
 * @param {PriceRow[]} table the cheapest first
 * @param {{ rate: number, cores: number }} limits rate: of all instances; cores: of the served side
 * @param {Pick<Emulated, 'offering' | 'topology'>[]} [emulated] before
 * @returns {PriceRow | null} null: the others were emulated, or have more cores than this machine
 * @throws {HopbenchError} nothing-to-emulate, no-limits
 */
export function findNext (table, { rate, cores }, emulated = []) {
  const rows = listCandidates(table)
  const row = rows.find(row => !emulated.some(found => isOf(found, row)) && Number(getCores(row.offering)) <= cores)
  if (row) return row
  if (emulated.length > 0) return null
  const [first] = rows
  if (!first) {
    const reasons = new Set(table.map(({ offering, why }) => `${offeringName(offering)}: ${printSizingWhy(why)}`))
    throw new HopbenchError('nothing-to-emulate', { rate, why: [...reasons].slice(0, REASONS_SHOWN).join('; ') })
  }
  throw new HopbenchError('no-limits', {
    why: `${offeringName(first.offering)} has ${getCores(first.offering)} cores, and this machine has ${cores} for ` +
      'the served side',
    remedy: 'Leave out --emulate, or run it on a machine with more cores.'
  })
}

/**
 * Measures one instance of an offering under its limits, in windows of at least a minute together. The goal holds in an
 * instance that meets it in 95 % of the windows, or in a larger share if the sizing has a larger confidence.
 *
 * @param {Arm} arm with the topology of the row, or with the same one that ends TLS in addition
 * @param {SizeOptions & { row: PriceRow, rate: number, spare: number }} options rate: of all instances; spare:
 * instances that may be lost
 * @param {typeof openSizingRig} [open] a scripted rig, for tests
 * @returns {Promise<Emulated | null>} null: interrupted
 * @throws {HopbenchError} no-limits, plan-too-small; cannot-size if no process ran under the limits
 */
export async function emulate (arm, options, open = openSizingRig) {
  const { row, quick, seed, printProgress, temp, p99Ms, interrupted, confidence } = options
  const { offering, topology } = row
  const mode = quick ? 'quick' : 'full'
  const rate = toInstanceRate(row, options)
  const seconds = SECONDS[mode]
  const name = offeringName(offering)
  const progress = (/** @type {string} */ text) => printProgress(`${arm.name} under the limits of ${name}: ${text}`)
  progress('starting')
  const rig = await open(arm, {
    ...options,
    temp: join(temp, 'limited'),
    limits: { name, cpu: getCores(offering), memoryMiB: offering.memoryMiB, periodMs: offering.burst?.periodMs }
  })
  try {
    await rig.warm()
    await rig.paced({ rate, seconds: SETTLE_SECONDS[mode], seed })
    const before = readLimits(rig)
    // Number of windows that may miss the goal. The small addend keeps a whole number despite rounding errors.
    const allowed = Math.floor(WINDOWS * (1 - toEmulatedShare(confidence)) + 1e-9)
    const windows = await measureWindows(rig, { rate, seconds, seed, p99Ms, allowed }, {
      name: arm.name, printProgress: progress, interrupted
    })
    const limits = subtractLimits(readLimits(rig), before)
    const held = windows.filter(({ why }) => why === null)
    const missed = windows.filter(({ why }) => why !== null)
    const isHeld = missed.length <= allowed
    if (isHeld && windows.length < WINDOWS) return null
    const pauseMs = computePause(row)
    const isTested = isHeld && pauseMs < p99Ms
    const atLimit = isTested
      ? await measureLimit(rig, arm, { row, p99Ms, pauseMs, seconds: SETTLE_SECONDS[mode], printProgress })
      : null
    const heapLimitMiB = await rig.heapLimitMiB?.() ?? null
    const totalSeconds = windows.length * seconds
    return {
      offering: name,
      topology,
      ...arm.spec !== topology && { endsTls: true },
      rate,
      seconds: totalSeconds,
      // An instance that misses the goal too often is refuted before the end.
      ...isHeld && totalSeconds < COUNTING_SECONDS && { tooShort: true },
      holds: isHeld,
      why: isHeld ? null : missed[missed.length - 1].why,
      latencyMs: pickMiddle(windows),
      limits,
      windows: { held: held.length, of: windows.length, seconds },
      memory: {
        firstMiB: windows[0].memoryMiB,
        lastMiB: windows[windows.length - 1].memoryMiB,
        limitMiB: offering.memoryMiB,
        heapLimitMiB
      },
      ...atLimit && { ...toVerdict(atLimit), atLimit },
      ...isHeld && !isTested && { pauseMs }
    }
  } finally {
    await rig.close()
  }
}

/** Returns the latency in the window with the median p99. @param {{ latencyMs: Latency | null }[]} windows */
function pickMiddle (windows) {
  const sorted = windows.flatMap(({ latencyMs }) => latencyMs ?? []).sort((a, b) => a.p99 - b.p99)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

/** @param {SizingRig} rig */
const readLimits = rig => /** @type {LimitStats} */ (rig.limitStats())

/**
 * Returns the counters of a time. Kills and the peak of the memory include the start and the warm-up.
 *
 * @param {LimitStats} after
 * @param {LimitStats} before
 * @returns {LimitStats}
 */
const subtractLimits = (after, before) => ({
  ...after,
  periods: after.periods - before.periods,
  throttledPeriods: after.throttledPeriods - before.throttledPeriods,
  throttledSeconds: after.throttledSeconds - before.throttledSeconds
})

/**
 * Returns the time in milliseconds for which an instance that used up its quota waits for the next period. A saturated
 * instance waits once in each period, for any number of requests in flight.
 *
 * @param {Pick<PriceRow, 'offering'>} row
 */
function computePause ({ offering }) {
  const periodMs = offering.burst?.periodMs ?? PERIOD_SECONDS * 1000
  return periodMs * (1 - Math.min(1, getCores(offering) ?? 1))
}

/**
 * Measures p99 with as many requests in flight as kits permit. Lowers the number while the goal is missed, in
 * proportion to the part of p99 beyond the pause of the quota, because a saturated instance responds in turn.
 *
 * @param {SizingRig} rig
 * @param {Arm} arm
 * @param {{ row: PriceRow, p99Ms: number, pauseMs: number, seconds: number, printProgress: (text: string) => void }}
 *   options
 * pauseMs: less than the goal
 * @returns {Promise<AtLimit | null>} null: the engine of the closed loop reports no p99, or its windows were invalid
 */
async function measureLimit (rig, arm, { row, p99Ms, pauseMs, seconds, printProgress }) {
  const limit = Math.min(arm.load.connections, limitInFlight(row, { goal: { p99Ms } }) ?? 0)
  /** @type {AtLimit | null} */
  let last = null
  for (let inFlight = limit, windows = 0; windows < MAX_LIMITS && inFlight >= 1; windows++) {
    printProgress(`${arm.name}: p99 with ${inFlight} requests in flight`)
    const sample = await rig.closed({ seconds, connections: inFlight, engine: DEFAULT })
    const { holds } = judgeTrial(sample, { rate: sample.rps, p99Ms })
    const p99 = sample.latencyMs?.p99
    if (sample.invalid || p99 === undefined) return last
    last = { limit, inFlight, p99Ms: p99, holds }
    if (holds) return last
    inFlight = Math.min(inFlight - 1, Math.floor(inFlight * (p99Ms - pauseMs) / (p99 - pauseMs)))
  }
  return last
}

/**
 * Returns the verdict on an instance that meets the goal at its rate: the goal must hold at a limit of requests in
 * flight, too.
 *
 * @param {AtLimit} atLimit
 * @returns {Pick<Emulated, 'holds' | 'why'>}
 */
const toVerdict = ({ holds, p99Ms }) => ({ holds, why: holds ? null : { code: 'too-slow', params: { p99Ms } } })

/**
 * Measures windows until all are made, more of them miss the goal than may, or the sizing is interrupted. A window that
 * misses it while the generator was late is made again.
 *
 * @param {SizingRig} rig
 * @param {{ rate: number, seconds: number, seed: number, p99Ms: number, allowed: number }} order allowed: windows that
 *   may miss the goal
 * @param {{ name: string } & Pick<SizeOptions, 'printProgress' | 'interrupted'>} options name: of the topology
 * @throws {HopbenchError} cannot-size, if no process ran under the limits
 */
async function measureWindows (rig, { rate, seconds, seed, p99Ms, allowed }, { name, printProgress, interrupted }) {
  /** @type {{ why: SizingWhy | null, latencyMs: Latency | null, memoryMiB: number }[]} */
  const windows = []
  const countMissed = () => windows.filter(({ why }) => why !== null).length
  for (let made = 0, repeated = 0; windows.length < WINDOWS && countMissed() <= allowed; made++) {
    if (windows.length > 0 && interrupted()) break
    printProgress(`${Math.round(rate)} requests a second, window ${windows.length + 1} of ${WINDOWS}`)
    const { periods } = readLimits(rig)
    const sample = await rig.paced({ rate, seconds, seed: (seed + made) % 2 ** 32 })
    // The kernel counts periods in which a process of the group ran, so 0 means that the group was empty.
    if (readLimits(rig).periods === periods) {
      throw new HopbenchError('cannot-size', { name, why: 'no process ran under the limits' })
    }
    const { why } = judgeTrial(sample, { rate, p99Ms })
    const isDisturbed = why?.code === 'too-slow' && why.params.reason !== undefined
    const { proxy, server } = sample.memoryMiB
    if (isDisturbed && repeated < MAX_REPEATED) repeated++
    else windows.push({ why, latencyMs: sample.latencyMs ?? null, memoryMiB: proxy + server })
  }
  return windows
}
