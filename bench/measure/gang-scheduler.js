/** Gang slices: all processes of an arm (generator, proxy and server) are paused and resumed together. The arms of a
 * block take turns of 0.05 s, because most noise of a shared machine lasts longer and so affects all arms alike
 * (docs/method.md). After J. K. Ousterhout, "Scheduling Techniques for Concurrent Systems", ICDCS 1982. */
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorMessage } from '../errors.js'
import { ArmSampler } from './arm-sampler.js'
import { watchTrial } from './watch-trial.js'
import { SLICE_SECONDS } from '../plan/targets.js'
import { randomFrom, shuffle } from '../shared/random.js'
import { DIED, EMPTY } from '../shared/trial.js'

/** @import { Reason, Sample, Unit } from '../types.js' */
/** @import { Measured } from './arm-sampler.js' */
/** @import { LoadedArm, Reading, Scheduler } from './shapes.js' */

/** Length of a turn. Shorter turns share more of the noise, but caches are cold after each switch (docs/method.md). */
const TURN_SECONDS = 0.05
/** Skipped before the first reading of a start and after an invalid block, because caches are cold. */
const SKIP_SECONDS = 0.03

/** @implements {Scheduler} */
export class GangScheduler {
  /** @type {Set<string>} */
  lost = new Set()
  /** @type {Map<string, GangMember>} */

  /**
   * @param {Map<string, LoadedArm>} arms up and warm, with paused generators
   * @param {object} options
   * @param {Unit} options.unit
   * @param {number} options.seed of the order of turns
   * @param {number} [options.turnSeconds]
   * @param {typeof watchTrial} [options.watch] of the clocks
   */
  constructor (arms, { unit, seed, turnSeconds = TURN_SECONDS, watch = watchTrial }) {
    this.members = new Map([...arms].map(([name, arm]) => [name, new GangMember(arm, unit)]))
    this.seed = seed
    this.turnSeconds = turnSeconds
    this.watch = watch
    // The generators are already paused.
    for (const { staged } of arms.values()) staged.running.pause()
    // A block reuses the last reading of the block before it, so the clocks are watched between blocks too.
    this.watched = watch()
  }

  /** Resumes all served processes. */
  close () {
    this.watched.end()
    this.members.forEach(member => member.close())
  }

  /**
   * @param {string[]} names
   * @param {number} block
   * @param {number} [seconds] of each arm
   */
  async * trials (names, block, seconds) {
    const able = names.filter(name => !this.lost.has(name))
    if (able.length > 0) yield await this.measureBlock(able, block, seconds)
  }

  /**
   * Makes one trial of each of these arms, in turns.
   * @param {string[]} names
   * @param {number} block
   * @param {number} [seconds] of each arm
   * @returns {Promise<Sample[]>}
   */
  async measureBlock (names, block, seconds = SLICE_SECONDS) {
    const startedAt = new Date().toISOString()
    const members = names.map(name => /** @type {GangMember} */ (this.members.get(name)))
    await Promise.all(members.map(member => member.begin(block)))
    const turns = Math.max(1, Math.round(seconds / this.turnSeconds))
    for (let turn = 0; turn < turns; turn++) {
      const order = toTurnOrder(members, { seed: this.seed, block, turn })
      for (const member of order) {
        await member.run({ seconds: seconds / turns, isFirst: turn === 0, isLast: turn === turns - 1 })
      }
    }
    const disturbed = this.watched.end()
    this.watched = this.watch()
    const measured = await Promise.all(members.map(member => member.result(disturbed)))
    return names.map((arm, i) => {
      if (measured[i].invalid?.code === DIED) this.lost.add(arm)
      return { ...EMPTY, arm, block, startedAt, ...measured[i] }
    })
  }
}

/**
 * Returns the arms in the order of one turn. Each odd turn reverses the turn before it, so that linear drift cancels.
 * @template T
 * @param {T[]} arms
 * @param {{ seed: number, block: number, turn: number }} at
 * @returns {T[]}
 */
export function toTurnOrder (arms, { seed, block, turn }) {
  const order = shuffle(arms, randomFrom(seed, 'turn', block, turn >> 1))
  return turn % 2 === 0 ? order : order.reverse()
}

const now = () => performance.now() / 1000

/** An arm of a gang. Paused time is subtracted from the time between its readings. */
class GangMember {
  /** @type {string | null} why this block has no sample */
  #error = null
  /** Seconds of this block in which the arm ran, and in which it was paused between its first and last reading. */
  #ranSeconds = 0
  #pausedSeconds = 0
  #pausedAt = 0
  /** @type {Reading | null} */
  #first = null
  /** @type {Reading | null} */
  #last = null
  /** @type {Pick<Reading, 'cpu' | 'load'>} at the end of the block before */
  #used = { cpu: { proxy: new Map(), server: new Map() } }
  /** @type {Reading | null} before the first turn, with nothing in flight */
  #base = null

  /**
   * @param {LoadedArm} arm
   * @param {Unit} unit
   */
  constructor (arm, unit) {
    this.sampler = new ArmSampler(arm, unit)
  }

  get #running () {
    return this.sampler.arm.staged.running
  }

  /** Begins a block while all arms are paused. @param {number} block */
  async begin (block) {
    if (await this.sampler.findProcesses(block)) this.#last = null
    // Reuses the last reading of the block before, so that the errors at the boundary cancel: requests come in bursts
    // of as many as there are connections.
    this.#first = this.#error === null ? this.#last : null
    this.#error = this.#last = null
    this.#ranSeconds = this.#pausedSeconds = 0
    if (this.#first) return
    await this.#keepError(async () => {
      await this.sampler.begin()
      this.#base ??= await this.#readBase()
      this.#used = await this.sampler.readCpu()
    })
  }

  async #readBase () {
    this.#running.resume()
    try {
      return await this.sampler.readAtRest()
    } finally {
      this.#running.pause()
    }
  }

  /** Runs for one turn. @param {{ seconds: number, isFirst: boolean, isLast: boolean }} turn */
  async run ({ seconds, isFirst, isLast }) {
    if (this.#error !== null) return
    const { generator } = this.sampler.arm
    await this.#keepError(async () => {
      this.#running.resume()
      await generator.resume()
      const resumedAt = now()
      let from = resumedAt
      if (isFirst && !this.#first) {
        await sleep(SKIP_SECONDS * 1000)
        this.#first = await this.sampler.readBothEnds()
        from = now()
      } else {
        this.#pausedSeconds += resumedAt - this.#pausedAt
      }
      await sleep(Math.max(0, (from + seconds - now()) * 1000))
      if (isLast) this.#last = await this.sampler.readBothEnds()
      this.#pausedAt = now()
      this.#ranSeconds += this.#pausedAt - resumedAt
    })
    // Pauses the arm even after an error, so that the next arm runs alone.
    await this.#keepError(() => generator.pause())
    this.#running.pause()
  }

  close () {
    this.#running.resume()
    this.sampler.close()
  }

  /**
   * @param {Reason | null} disturbed
   * @returns {Promise<Measured>}
   */
  async result (disturbed) {
    const died = await this.sampler.findDeath()
    if (died) return { invalid: died }
    if (disturbed) {
      this.#last = null
      return { invalid: disturbed }
    }
    if (this.#error !== null) return { invalid: { code: 'no-reading', params: { message: this.#error } } }
    const [first, last] = [this.#first, this.#last]
    if (!first || !last) return { invalid: { code: 'no-reading', params: { message: null } } }
    return this.sampler.sample({
      measured: await this.#withoutPauses(first, last),
      whole: [first, last],
      atRest: [this.#base ?? first, last]
    })
  }

  /**
   * Adds CPU times, which are read while the arm is paused and cover all of its running time, to the counts, which
   * cover the time from the first to the last reading.
   * @param {Reading} first
   * @param {Reading} last
   * @returns {Promise<[Reading, Reading]>}
   */
  async #withoutPauses (first, last) {
    const before = this.#used
    const after = await this.sampler.readCpu()
    this.#used = after
    const at = (/** @type {Pick<Reading, 'cpu' | 'load'>} */ { cpu, load }, /** @type {number} */ atSeconds) =>
      ({ cpu, atSeconds, load: load && { ...load, atSeconds } })
    const front = last.front && { ...last.front, atSeconds: last.front.atSeconds - this.#pausedSeconds }
    return [{ ...first, ...at(before, 0) }, { ...last, front, ...at(after, this.#ranSeconds) }]
  }

  /** Keeps the first error of a block as its result. @param {() => Promise<void>} work */
  async #keepError (work) {
    try {
      await work()
    } catch (error) {
      this.#error ??= getErrorMessage(error)
    }
  }
}
