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
 * @param {SizeOptions & { row: PriceRow, rate: number }} options rate: wanted in all @returns {Promise<Verification>}
 * @throws {HopbenchError} no-limits, plan-too-small; cannot-size when nothing proves that it ran under them */
export async function verify (arm, options) {
  const { row: { plan, instances }, rate, quick, seed, note, temp, p99Ms } = options
  const share = rate / (instances ?? 1)
  const name = nameOf(plan)
  const seconds = SECONDS[quick ? 'quick' : 'full']
  const settle = SETTLE_SECONDS[quick ? 'quick' : 'full']
  note(`${arm.name} under the limits of ${name}: starting`)
  const rig = await openSizingRig(arm, {
    ...options,
    temp: join(temp, 'limited'),
    limits: { plan: name, cpu: cpuOf(plan), memoryMiB: plan.memoryMiB, periodMs: plan.burst?.periodMs }
  })
  try {
    note(`${arm.name} under the limits of ${name}: ${Math.round(share)} requests a second for ${seconds} s`)
    await warmUp(rig, cpuOf(plan) ?? 1, quick)
    await rig.paced({ rate: share, seconds: settle, seed })
    const before = /** @type {LimitStats} */ (rig.limitStats())
    const { holds, why, sample } = outcomeOf(await rig.paced({ rate: share, seconds, seed }), { rate: share, p99Ms })
    const after = /** @type {LimitStats} */ (rig.limitStats())
    // The kernel counts periods in which something of the group has run: none would mean that nothing was in it.
    if (after.periods === before.periods) {
      throw new HopbenchError('cannot-size', { name: arm.name, why: `nothing of it ran under the limits of ${name}` })
    }
    return {
      plan: name,
      topology: arm.word,
      rate: share,
      seconds,
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
  } finally {
    await rig.close()
  }
}
