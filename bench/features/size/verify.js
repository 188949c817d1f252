/** Verifies offerings: one instance under its limits, at its share of the rate while the spare instances are lost. */
import { join } from 'node:path'
import { offeringName } from './prices/offering-choice.js'
import { limitInFlight, listCandidates, toInstanceRate } from './prices/emulated-rows.js'
import { HopbenchError } from '../../errors.js'
import { DEFAULT } from '../../load/find-engine.js'
import { printSizingWhy } from './why-words.js'
import { judgeTrial } from './capacity/capacity.js'
import { getCores } from './prices/offerings.js'
import { PERIOD_SECONDS } from './capacity/bursts.js'
import { openSizingRig } from './rig.js'

/** @import { Arm, AtLimit, LimitStats, PriceRow, Emulated } from '../../types.js' */
/** @import { SizeOptions, SizingRig } from './types.js' */

/** Length of a window. */
const SECONDS = { full: 10, quick: 4 }
/** Seconds at the instance's rate before the first window. Right after the full load of the warm-up, 250 requests a
 * second on 0.14 cores had a p99 of 173 ms in the first 5 s and of 2 to 6 ms in the next 45 s, because the runtime
 * recompiled for the lower load. */
const SETTLE_SECONDS = { full: 5, quick: 2 }
const MAX_WINDOWS = 3
/** Windows that miss the goal and in which the load generator was late, too, and that are made again. Beside a compiler
 * an instance had a p99 of 159 ms at a third of its capacity, and the generator sent 40 ms late. */
const MAX_REPEATED = 3
/** Windows in a closed loop that lower the limit of requests in flight at most. Their engine records each response
 * once: wrk adds requests that it would have sent during a long one. Its p99 was 1,046 ms with 198 requests in flight,
 * and that of autocannon 67 ms with 157. */
const MAX_LIMITS = 4
/** Reasons that an error message lists. */
const REASONS_SHOWN = 3

/**
 * Finds the next offering to verify.
 *
 * @param {PriceRow[]} table the cheapest first
 * @param {{ rate: number, cores: number }} limits rate: of all instances; cores: of the served side
 * @param {Pick<Emulated, 'offering' | 'topology'>[]} [verified] before
 * @returns {PriceRow | null} null: the others were verified, or have more cores than this machine
 * @throws {HopbenchError} nothing-to-verify, no-limits
 */
export function findNext (table, { rate, cores }, verified = []) {
  const [first, ...others] = listCandidates(table)
  const isNew = (/** @type {PriceRow} */ { offering, topology }) =>
    !verified.some(found => found.offering === offeringName(offering) && found.topology === topology)
  const row = [first, ...others].find(row => row && isNew(row) && Number(getCores(row.offering)) <= cores)
  if (row) return row
  if (verified.length > 0) return null
  if (!first) {
    const reasons = new Set(table.map(({ offering, why }) => `${offeringName(offering)}: ${printSizingWhy(why)}`))
    throw new HopbenchError('nothing-to-verify', { rate, why: [...reasons].slice(0, REASONS_SHOWN).join('; ') })
  }
  throw new HopbenchError('no-limits', {
    why: `${offeringName(first.offering)} has ${getCores(first.offering)} cores, and this machine has ${cores} for ` +
      'the served side',
    remedy: 'Leave out --verify, or run it on a machine with more cores.'
  })
}

/**
 * Measures one instance of an offering under its limits, in two or three windows.
 *
 * @param {Arm} arm with the topology of the row, or with the same one that ends TLS in addition
 * @param {SizeOptions & { row: PriceRow, rate: number, spare: number }} options rate: of all instances; spare:
 * instances that may be lost
 * @param {typeof openSizingRig} [open] a scripted rig, for tests
 * @returns {Promise<Emulated>}
 * @throws {HopbenchError} no-limits, plan-too-small; cannot-size if no process ran under the limits
 */
export async function verify (arm, options, open = openSizingRig) {
  const { row, quick, seed, printProgress, temp, p99Ms } = options
  const { offering, topology } = row
  const mode = quick ? 'quick' : 'full'
  const rate = toInstanceRate(row, options)
  const seconds = SECONDS[mode]
  const name = offeringName(offering)
  const cores = getCores(offering)
  printProgress(`${arm.name} under the limits of ${name}: starting`)
  const rig = await open(arm, {
    ...options,
    temp: join(temp, 'limited'),
    limits: { name, cpu: cores, memoryMiB: offering.memoryMiB, periodMs: offering.burst?.periodMs }
  })
  try {
    await rig.warm()
    await rig.paced({ rate, seconds: SETTLE_SECONDS[mode], seed })
    const windows = await measureWindows(rig, { rate, seconds, seed, p99Ms }, {
      name: arm.name,
      printProgress: text => printProgress(`${arm.name} under the limits of ${name}: ${text}`)
    })
    const held = windows.filter(({ holds }) => holds).length
    const deciding = windows[windows.length - 1]
    const pauseMs = computePause(row)
    const isTested = deciding.holds && pauseMs < p99Ms
    const atLimit = isTested
      ? await verifyLimit(rig, arm, { row, p99Ms, pauseMs, seconds: SETTLE_SECONDS[mode], printProgress })
      : null
    return {
      offering: name,
      topology,
      ...arm.spec !== topology && { endsTls: true },
      rate,
      seconds,
      ...deciding,
      windows: { held, of: windows.length },
      ...atLimit && { ...toVerdict(atLimit), atLimit },
      ...deciding.holds && !isTested && { pauseMs }
    }
  } finally {
    await rig.close()
  }
}

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
async function verifyLimit (rig, arm, { row, p99Ms, pauseMs, seconds, printProgress }) {
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

/** Returns whether two of at most three windows agree, because a single window may be an outlier.
 * @param {{ holds: boolean }[]} windows */
function isDecided (windows) {
  const held = windows.filter(({ holds }) => holds).length
  return Math.max(held, windows.length - held) > MAX_WINDOWS / 2
}

/**
 * Measures windows until two of them agree, apart from disturbed ones.
 *
 * @param {SizingRig} rig
 * @param {{ rate: number, seconds: number, seed: number, p99Ms: number }} order
 * @param {{ name: string, printProgress: (text: string) => void }} options name: of the topology
 * @throws {HopbenchError} cannot-size, if no process ran under the limits
 */
async function measureWindows (rig, { seed, ...order }, { name, printProgress }) {
  /** @type {Awaited<ReturnType<typeof measureWindow>>[]} */
  const windows = []
  for (let made = 0, repeated = 0; !isDecided(windows); made++) {
    printProgress(`${Math.round(order.rate)} requests a second for ${order.seconds} s`)
    const window = await measureWindow(rig, { ...order, seed: (seed + made) % 2 ** 32 })
    // The kernel counts periods in which a process of the group ran, so 0 means that the group was empty.
    if (window.limits.periods === 0) {
      throw new HopbenchError('cannot-size', { name, why: 'no process ran under the limits' })
    }
    if (isDisturbed(window) && repeated < MAX_REPEATED) repeated++
    else windows.push(window)
  }
  return windows
}

/**
 * Returns whether the goal was missed in a window in which the load generator was late.
 *
 * @param {Pick<Awaited<ReturnType<typeof measureWindow>>, 'why'>} window
 */
const isDisturbed = ({ why }) => why?.code === 'too-slow' && why.params.reason !== undefined

/**
 * @param {SizingRig} rig
 * @param {{ rate: number, seconds: number, seed: number, p99Ms: number }} order
 */
async function measureWindow (rig, { p99Ms, ...order }) {
  const before = /** @type {LimitStats} */ (rig.limitStats())
  const { holds, why, sample } = judgeTrial(await rig.paced(order), { rate: order.rate, p99Ms })
  const after = /** @type {LimitStats} */ (rig.limitStats())
  return {
    holds,
    why,
    latencyMs: sample.latencyMs ?? null,
    limits: {
      periods: after.periods - before.periods,
      throttledPeriods: after.throttledPeriods - before.throttledPeriods,
      throttledSeconds: after.throttledSeconds - before.throttledSeconds,
      oomKills: after.oomKills,
      memoryPeakMiB: after.memoryPeakMiB
    }
  }
}
