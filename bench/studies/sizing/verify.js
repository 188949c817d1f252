/** One instance of a plan, under its limits. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { cpuOf, nameOf } from './offerings.js'
import { openSizingRig } from './sizing-rig.js'
import { outcomeOf } from './size-topology.js'

/** @import { Arm, LimitStats, PriceRow, Verification } from '../../types.js' */
/** @import { SizeOptions, SizingRig } from './types.js' */

const SECONDS = { full: 10, quick: 4 }
/** At its rate, before it counts: after the full load of the warm-up 250 requests a second on 0.14 cores had a p99 of
 * 173 ms in the first 5 s and of 2 to 6 ms in the 45 s after them, since the runtime compiled for another load. */
const SETTLE_SECONDS = { full: 5, quick: 2 }
const MOST_WINDOWS = 3
/** CPU time after which Node has compiled what it runs again and again; a request costs half as much then
 * (docs/sizing.md). */
const WARM_CPU_SECONDS = { full: 3, quick: 0.5 }
/** That of the smallest plan, a sixteenth of a core, takes 48 s. After 15 s a plan of 0.14 cores was still compiling:
 * one answer in a hundred took 194 ms at half of what it could serve. */
const LONGEST_WARM_UP_SECONDS = 60
/** Of why there is nothing to verify: the table shows the others. */
const REASONS_TOLD = 3

/** Loads a rig until its code is compiled: with a share of a core that takes longer. @param {SizingRig} rig
 * @param {number} cpu cores that it may use @param {boolean} quick */
export const warmUp = (rig, cpu, quick) =>
  rig.closed({
    seconds: Math.min(LONGEST_WARM_UP_SECONDS,
      Math.ceil(WARM_CPU_SECONDS[quick ? 'quick' : 'full'] / Math.min(1, cpu)))
  })

/** @param {PriceRow} row */
const isPriced = ({ instances, monthly }) => instances !== null && monthly !== null

/** Whether the plan that is recommended can be verified. @param {PriceRow[]} table the cheapest first
 * @param {number} cores of this machine, for what is served */
export function canVerify (table, cores) {
  const row = table.find(isPriced)
  return row !== undefined && Number(cpuOf(row.plan)) <= cores
}

/** What is to be verified: the plan that is recommended. @param {PriceRow[]} table the cheapest first
 * @param {{ rate: number, cores: number }} here rate: wanted in all; cores: of this machine, for what is served
 * @returns {PriceRow} @throws {HopbenchError} nothing-to-verify, no-limits */
export function toVerify (table, { rate, cores }) {
  const row = table.find(isPriced)
  if (!row) {
    const reasons = new Set(table.map(({ plan, why }) => `${nameOf(plan)}: ${why}`))
    throw new HopbenchError('nothing-to-verify', { rate, why: [...reasons].slice(0, REASONS_TOLD).join('; ') })
  }
  const cpu = Number(cpuOf(row.plan))
  if (cpu > cores) {
    throw new HopbenchError('no-limits', {
      why: `${nameOf(row.plan)} has ${cpu} cores, and this machine has ${cores} for what is served`,
      remedy: 'Leave out --verify, or run it on a machine with more cores.'
    })
  }
  return row
}

/** Runs one instance of the recommended plan under its limits, at its share of the rate. @param {Arm} arm
 * @param {SizeOptions & { row: PriceRow, rate: number }} options rate: wanted in all
 * @param {typeof openSizingRig} [open] another rig, for tests @returns {Promise<Verification>}
 * @throws {HopbenchError} no-limits, plan-too-small; cannot-size when nothing proves that it ran under them */
export async function verify (arm, options, open = openSizingRig) {
  const { row: { plan, instances }, rate: wanted, quick, seed, note, temp, p99Ms } = options
  const rate = wanted / (instances ?? 1)
  const name = nameOf(plan)
  const [seconds, settle] = [SECONDS, SETTLE_SECONDS].map(by => by[quick ? 'quick' : 'full'])
  note(`${arm.name} under the limits of ${name}: starting`)
  const rig = await open(arm, {
    ...options,
    temp: join(temp, 'limited'),
    limits: { plan: name, cpu: cpuOf(plan), memoryMiB: plan.memoryMiB, periodMs: plan.burst?.periodMs }
  })
  try {
    await warmUp(rig, cpuOf(plan) ?? 1, quick)
    await rig.paced({ rate, seconds: settle, seed })
    /** @type {Awaited<ReturnType<typeof windowIn>>[]} */
    const windows = []
    while (!isDecided(windows)) {
      note(`${arm.name} under the limits of ${name}: ${Math.round(rate)} requests a second for ${seconds} s`)
      windows.push(await windowIn(rig, { rate, seconds, seed: (seed + windows.length) % 2 ** 32, p99Ms }))
      // The kernel counts periods in which something of the group has run: none would mean that nothing was in it.
      if (windows.at(-1)?.limits.periods === 0) {
        throw new HopbenchError('cannot-size', { name: arm.name, why: `nothing of it ran under the limits of ${name}` })
      }
    }
    const deciding = windows[windows.length - 1]
    const held = windows.filter(({ holds }) => holds).length
    return { plan: name, topology: arm.word, rate, seconds, ...deciding, windows: { held, of: windows.length } }
  } finally {
    await rig.close()
  }
}

/** By the middle of three windows, as half of them are to hold the goal: two alike are enough. One alone may have been
 * disturbed, or lucky. @param {{ holds: boolean }[]} windows */
const isDecided = windows => [true, false].some(held =>
  windows.filter(({ holds }) => holds === held).length > MOST_WINDOWS / 2)

/** @param {SizingRig} rig @param {{ rate: number, seconds: number, seed: number, p99Ms: number }} order */
async function windowIn (rig, { p99Ms, ...order }) {
  const before = /** @type {LimitStats} */ (rig.limitStats())
  const { holds, why, sample } = outcomeOf(await rig.paced(order), { rate: order.rate, p99Ms })
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
