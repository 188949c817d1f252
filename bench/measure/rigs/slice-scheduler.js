/** Slices: the generators of all arms but one are paused, and the served processes go on running. */
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorMessage, isHopbenchError } from '../../errors.js'
import { ArmSampler } from './arm-sampler.js'
import { watchTrial } from '../watch-trial.js'
import { untilAtRest } from '../../machine/probe.js'
import { SLICE_SECONDS } from '../../plan/targets.js'
import { DIED, EMPTY } from '../../shared/trial.js'

/** @import { Sample, Unit } from '../../types.js' */
/** @import { Measured } from './arm-sampler.js' */
/** @import { LoadedArm, Scheduler } from '../types.js' */

const SKIP_MS = 60 // Skipped after a pause: responses that piled up in the sockets, and an expired cache entry.
/** Limits how long a slice waits for the other arms, because a Node process compiles and collects garbage after its
 * own slice. The share is below the one that makes a slice invalid. A machine that stays busier is measured anyway. */
const QUIET = { share: 0.02, stepMs: 20, limitMs: 400 }

/** @implements {Scheduler} */
export class SliceScheduler {
  /** @type {Set<string>} */
  lost = new Set()

  /**
   * @param {Map<string, LoadedArm>} arms up and warm, with paused generators
   * @param {{ unit?: Unit, watch?: typeof watchTrial }} [options] watch: of the clocks
   */
  constructor (arms, { unit = 'requests', watch = watchTrial } = {}) {
    this.samplers = new Map([...arms].map(([name, arm]) => [name, new ArmSampler(arm, unit)]))
    this.watch = watch
  }

  close () {
    this.samplers.forEach(sampler => sampler.close())
  }

  /**
   * @param {string[]} names
   * @param {number} block
   * @param {number} [seconds] of each slice
   */
  async * trials (names, block, seconds) {
    for (const name of names) if (!this.lost.has(name)) yield [await this.measureSlice(name, block, seconds)]
  }

  /**
   * @param {string} name
   * @param {number} block
   * @param {number} [seconds]
   * @returns {Promise<Sample>}
   */
  async measureSlice (name, block, seconds = SLICE_SECONDS) {
    for (const sampler of this.samplers.values()) await sampler.findProcesses(block)
    const startedAt = new Date().toISOString()
    const measured = await this.#measure(/** @type {ArmSampler} */ (this.samplers.get(name)), seconds)
    if (measured.invalid?.code === DIED) this.lost.add(name)
    return { ...EMPTY, arm: name, block, startedAt, ...measured }
  }

  /**
   * @param {ArmSampler} sampler
   * @param {number} seconds
   * @returns {Promise<Measured>}
   */
  async #measure (sampler, seconds) {
    const { generator } = sampler.arm
    /** @type {ReturnType<typeof watchTrial> | null} */
    let watched = null
    try {
      const others = [...this.samplers.values()].filter(other => other !== sampler)
      const readIdle = () => others.reduce((sum, { meters }) => sum + meters.servedSeconds(), 0)
      await sampler.begin()
      await untilAtRest(readIdle, QUIET)
      const idleBefore = readIdle()
      const before = await sampler.readAtRest()
      watched = this.watch()
      const [first, last] = await runSlice(sampler, seconds)
      // Waits until the served side has answered what the generator had sent before its pause.
      await untilAtRest(() => sampler.meters.servedSeconds())
      const after = await sampler.readAtRest()
      const died = await sampler.findDeath()
      const disturbed = watched.end()
      if (died || disturbed) return { invalid: died ?? disturbed }
      const noted = [first, last, after].flatMap(reading => reading.noted)
      const atRest = /** @type {[typeof before, typeof after]} */ ([before, { ...after, noted }])
      return await sampler.sample({ measured: [first, last], whole: atRest, atRest }, readIdle() - idleBefore)
    } catch (error) {
      const unpaused = await generator.pause().catch(reason => reason)
      const died = await sampler.findDeath(isHopbenchError(unpaused) ? unpaused : null)
      const disturbed = watched?.end()
      // A suspended machine lets timeouts expire, so a disturbance takes precedence over the error.
      const unread = /** @type {const} */ ({ code: 'no-reading', params: { message: getErrorMessage(error) } })
      return { invalid: died ?? disturbed ?? unread }
    }
  }
}

/**
 * Runs the generator for one slice, and reads the front at both ends of the slice.
 * @param {ArmSampler} sampler
 * @param {number} seconds
 */
async function runSlice (sampler, seconds) {
  const { generator } = sampler.arm
  await generator.resume()
  await sleep(SKIP_MS)
  const first = await sampler.readFront()
  await sleep(Math.max(0, (first.atSeconds + seconds) * 1000 - performance.now()))
  const last = await sampler.readFront()
  await generator.pause()
  return [first, last]
}
