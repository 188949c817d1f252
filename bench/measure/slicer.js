/** Cuts slices out of arms that are up: thaw the generator, skip, read, wait, read, freeze, drain. */
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorMessage, HopbenchError } from '../errors.js'
import { hangingSlice, HangWatch } from './hanging.js'
import { Meters } from './meters.js'
import { readCounts, readUnderLoad } from './readings.js'
import { between, poolOf, sampleBetween } from './sample.js'
import { memoryMiB, untilAtRest } from '../machine/probe.js'
import { SLICE_SECONDS } from '../plan/targets.js'
import { watchTrial } from './watch-trial.js'
import { DIED, EMPTY } from '../shared/trial.js'

/** @import { Rig, Sample, Unit } from '../types.js'
 * @import { LoadedArm, Reading } from './shapes.js' @import { SlicedErrors } from '../load/shapes.js' */

const SKIP_MS = 60 // Skipped after a thaw: the answers that piled up in the sockets, and an expired cache entry.
/** After its slice a Node process compiles and collects for a while: its neighbour must not pay for it. Below the share
 * of a core that makes a slice invalid; a machine that is never so quiet is not waited for. */
const QUIET = { share: 0.02, stepMs: 20, limitMs: 400 }
const WORKER_DIED = 'worker-died' // Code of a slice in which a worker died, and its manager lives to start another one.
/** Workers may be started anew: who belongs to an arm is looked up again after this many blocks. */
const BLOCKS_BETWEEN_LOOKS = 10

/** others: those of the idle arms.
 * @typedef {{ arm: LoadedArm, meters: Meters, others: Meters[], unit: Unit, clients: HangWatch }} Cutting */

/** @param {Map<string, LoadedArm>} arms @param {Unit} [unit] what is counted
 * @param {typeof watchTrial} [watch] over the clocks
 * @returns {Pick<Rig, 'trial' | 'lost'> & { close: () => void }} lost: arms of which a process has ended */
export function createSlicer (arms, unit = 'requests', watch = watchTrial) {
  /** @type {Map<string, Meters>} */
  const meters = new Map()
  const clients = new Map([...arms].map(([name, { staged }]) => [name, new HangWatch(staged)]))
  /** @type {Set<string>} */
  const lost = new Set()
  let lookedAt = -Infinity

  const look = async () => {
    for (const meter of meters.values()) meter.close()
    for (const [name, arm] of arms) {
      meters.set(name, new Meters(arm.staged.running))
      await arm.generator.look()
    }
  }

  return {
    lost: () => lost,
    close: () => meters.forEach(meter => meter.close()),
    async trial (name, block, { seconds = SLICE_SECONDS } = {}) {
      if (block - lookedAt >= BLOCKS_BETWEEN_LOOKS) {
        await look()
        lookedAt = block
      }
      const startedAt = new Date().toISOString()
      const sample = await cut({
        arm: /** @type {LoadedArm} */ (arms.get(name)),
        meters: /** @type {Meters} */ (meters.get(name)),
        others: [...meters].filter(([other]) => other !== name).map(([, meter]) => meter),
        unit,
        clients: /** @type {HangWatch} */ (clients.get(name))
      }, seconds, watch)
      if (sample.invalid?.code === DIED) lost.add(name)
      return { ...EMPTY, arm: name, block, startedAt, ...sample }
    }
  }
}

/** @typedef {Omit<Sample, 'arm' | 'block' | 'startedAt'>} Slice */
/** @typedef {Partial<Slice> & Pick<Sample, 'invalid'>} Cut a slice, or only why there is none */

/** One slice of one arm. What goes wrong in it is its result, not an exception. @param {Cutting} cutting
 * @param {number} sliceSeconds @param {typeof watchTrial} watch @returns {Promise<Cut>} */
async function cut (cutting, sliceSeconds, watch) {
  const { arm: { staged: { running }, generator } } = cutting
  /** @type {ReturnType<typeof watchTrial> | null} */
  let watched = null
  try {
    return await measured(cutting, sliceSeconds, () => (watched = watch()))
  } catch (error) {
    // A generator on a machine that is gone cannot be frozen, nor asked.
    const gone = await generator.freeze().catch(error => /** @type {Error} */ (error))
    const died = running.failure() ?? (gone instanceof HopbenchError ? gone : await generator.failure())
    const disturbed = /** @type {ReturnType<typeof watchTrial> | null} */ (watched)?.end()
    if (died) return { invalid: { code: DIED, text: died.message } }
    // Who wakes up finds time limits passed.
    return { invalid: disturbed ?? { code: 'no-reading', text: getErrorMessage(error) } }
  }
}

/** @param {Cutting} cutting @param {number} sliceSeconds @param {typeof watchTrial} watch @returns {Promise<Cut>}
 * @throws {Error} when something cannot be read, or has ended */
async function measured (cutting, sliceSeconds, watch) {
  const { arm: { staged: { running }, generator }, meters, others, clients } = cutting
  running.noted()
  await generator.errors()
  await clients.begin()
  await untilAtRest(() => idle(others), QUIET)
  const idleBefore = idle(others)
  const before = await readCounts(running)
  meters.follow(before.origin?.lost ?? 0)
  const watched = watch()
  await generator.thaw()
  await sleep(SKIP_MS)
  const first = await readUnderLoad(cutting)
  await sleep(Math.max(0, (first.atSeconds + sliceSeconds) * 1000 - performance.now()))
  const last = await readUnderLoad(cutting)
  await generator.freeze()
  // Until the served side has answered what the frozen generator had sent.
  await untilAtRest(() => meters.servedSeconds())
  const after = await readCounts(running)
  const failure = running.failure() ?? await generator.failure()
  if (failure) throw failure
  const slicedErrors = await generator.errors()
  const disturbed = watched.end()
  if (disturbed) return { invalid: disturbed }
  const noted = [first, last, after].flatMap(reading => reading.noted)
  const slice = sliceOf(cutting, { first, last, atRest: [before, { ...after, noted }] }, {
    ...slicedErrors,
    idleSeconds: idle(others) - idleBefore
  })
  const { requests = 0, seconds = NaN } = between(first, last).front ?? {}
  const hanging = await clients.after({ requests, seconds }) ?? hangingSlice({ ...slice, requests })
  return { ...slice, invalid: slice.invalid ?? hanging }
}

/** @param {Cutting} cutting
 * @param {{ first: Reading, last: Reading, atRest: [Reading, Reading] }} readings
 * @param {SlicedErrors & { idleSeconds: number }} seen @returns {Slice} */
function sliceOf ({ arm: { staged }, meters: { served }, unit }, { first, last, atRest }, seen) {
  const { idleSeconds, ...slicedErrors } = seen
  const { non2xx, origin } = between(...atRest)
  const sample = sampleBetween(first, last, {
    unit,
    running: staged.running,
    network: staged.network,
    errors: { ...slicedErrors, non2xx: non2xx + (slicedErrors.non2xx ?? 0) },
    atRest,
    pool: poolOf(staged.arm, atRest[0]),
    idleSeconds
  })
  return {
    ...sample,
    memoryMiB: { proxy: memoryMiB(served.proxy), server: memoryMiB(served.server) },
    bytesPerResponse: staged.bytesPerResponse,
    invalid: origin && origin.lost > 0
      ? { code: WORKER_DIED, text: `${origin.lost === 1 ? 'a worker' : `${origin.lost} workers`} of the server died` }
      : null
  }
}

/** @param {Meters[]} others */
const idle = others => others.reduce((sum, meter) => sum + meter.servedSeconds(), 0)
