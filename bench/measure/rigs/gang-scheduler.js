/**
 * Measures gang slices: all processes of an arm (generator, proxy and server) are paused and resumed together. The arms
 * of a block take turns of a tenth of a second or more, because most noise of a shared machine lasts longer and so
 * affects all arms alike (docs/method.md). After J. K. Ousterhout, "Scheduling Techniques for Concurrent Systems",
 * ICDCS 1982.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { getErrorMessage } from '../../errors.js'
import { now } from '../../machine/clocks.js'
import { ArmSampler } from './arm-sampler.js'
import { watchTrial } from '../watch-trial.js'
import { computeTurnSeconds, SLICE_SECONDS } from '../../plan/targets.js'
import { randomFrom, shuffle } from '../../shared/random.js'
import { DIED, EMPTY } from '../../shared/trial.js'

/** @import { Reason, Sample, Unit } from '../../types.js' */
/** @import { Measured } from './arm-sampler.js' */
/** @import { LoadedArm, Reading, Scheduler } from '../types.js' */

/** @typedef {Pick<Reading, 'cpu' | 'load'>} CpuTimes */

/** Warm-up before the first reading of a block, in seconds, because caches are cold after a pause. Skipped if the block
 * reuses the previous block's last reading. */
const SKIP_SECONDS = 0.03

/** @implements {Scheduler} */
export class GangScheduler {
  /** Arms of which a process has ended. @type {Set<string>} */
  lost = new Set()

  /**
   * @param {Map<string, LoadedArm>} arms up and warm, with paused generators
   * @param {object} options
   * @param {Unit} options.unit
   * @param {number} options.seed determines the order of the arms in each turn
   * @param {number} [options.turnSeconds] default: the shortest
   * @param {typeof watchTrial} [options.watch] watches the clocks for suspensions and steps
   */
  constructor (arms, { unit, seed, turnSeconds = computeTurnSeconds(null, 'split'), watch = watchTrial }) {
    this.members = new Map([...arms].map(([name, arm]) => [name, new GangMember(arm, unit)]))
    this.seed = seed
    this.turnSeconds = turnSeconds
    this.watch = watch
    // Pauses the served processes. The generators are already paused.
    for (const { staged } of arms.values()) staged.running.pause()
    // A block reuses the last reading of the block before it, so the clocks are watched between blocks too.
    this.watched = watch()
  }

  /** Resumes all served processes. The generators stay paused. */
  close () {
    this.watched.end()
    this.members.forEach(member => member.close())
  }

  /**
   * Measures one block of these arms without the lost ones, and yields all its samples at once.
   * @param {string[]} names
   * @param {number} block
   * @param {number} [seconds] running time of each arm in the block
   */
  async * trials (names, block, seconds) {
    const able = names.filter(name => !this.lost.has(name))
    if (able.length > 0) yield await this.measureBlock(able, block, seconds)
  }

  /**
   * Makes one trial of each of these arms, in turns.
   * @param {string[]} names
   * @param {number} block
   * @param {number} [seconds] running time of each arm in the block
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
 * Returns the arms in the order of one turn: random, from the seed. Each odd turn reverses the order of the turn before
 * it, so that linear drift cancels.
 * @template T
 * @param {T[]} arms
 * @param {{ seed: number, block: number, turn: number }} position turn: from 0 in each block
 * @returns {T[]}
 */
function toTurnOrder (arms, { seed, block, turn }) {
  // A pair of turns has one random order.
  const order = shuffle(arms, randomFrom(seed, 'turn', block, turn >> 1))
  return turn % 2 === 0 ? order : order.reverse()
}

/** An arm under a GangScheduler. A block of the arm consists of several turns, between which the arm is paused. The
 * paused time is subtracted from the time between the first and the last reading of the block. */
class GangMember {
  /** Why this block has no sample. @type {string | null} */
  #error = null
  /** Running time of the arm in this block, in seconds. */
  #ranSeconds = 0
  /** Time in which the arm was paused between the first and the last reading of this block, in seconds. */
  #pausedSeconds = 0
  /** Time of the last pause, by `now()`. */
  #pausedAt = 0
  /** First reading of this block, or the last one of the block before. @type {Reading | null} */
  #first = null
  /** Last reading of this block. @type {Reading | null} */
  #last = null
  /** CPU times at the end of the block before. @type {CpuTimes} */
  #used = { cpu: { proxy: new Map(), server: new Map() } }
  /** Counts before the first turn of the start, with nothing in flight. @type {Reading | null} */
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
    // After a look-up of the processes the CPU meters are new, so the earlier reading cannot be reused.
    if (await this.sampler.findProcesses(block)) this.#last = null
    // Reuses the last reading of the block before, so that the errors at the boundary cancel. Requests arrive in bursts
    // of one per connection, so each reading can be off by a burst.
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

  /** Reads the counts while the generator is paused. Resumes the served processes meanwhile, because they report the
   * counts. */
  async #readBase () {
    this.#running.resume()
    try {
      return await this.sampler.readAtRest()
    } finally {
      this.#running.pause()
    }
  }

  /** Runs the arm for one turn and makes the readings that are due in the first and the last turn of a block.
   * @param {{ seconds: number, isFirst: boolean, isLast: boolean }} turn */
  async run ({ seconds, isFirst, isLast }) {
    if (this.#error !== null) return
    const { generator } = this.sampler.arm
    await this.#keepError(async () => {
      this.#running.resume()
      await generator.resume()
      const resumedAt = now()
      let turnStartedAt = resumedAt
      if (isFirst && !this.#first) {
        await sleep(SKIP_SECONDS * 1000)
        this.#first = await this.sampler.readBothEnds()
        turnStartedAt = now()
      } else {
        this.#pausedSeconds += resumedAt - this.#pausedAt
      }
      await sleep(Math.max(0, (turnStartedAt + seconds - now()) * 1000))
      if (isLast) this.#last = await this.sampler.readBothEnds()
      this.#pausedAt = now()
      this.#ranSeconds += this.#pausedAt - resumedAt
    })
    // Pauses the arm even after an error, so that the next arm runs alone.
    await this.#keepError(() => generator.pause())
    this.#running.pause()
  }

  /** Resumes the served processes and closes the CPU meters. */
  close () {
    this.#running.resume()
    this.sampler.close()
  }

  /**
   * Makes the sample of a block that has ended.
   * @param {Reason | null} disturbed why all trials of the block are invalid
   * @returns {Promise<Measured>} with the reason instead if the trial is invalid
   */
  async result (disturbed) {
    const died = await this.sampler.findDeath()
    if (died) return { invalid: died }
    if (disturbed) {
      // The next block starts with a reading of its own.
      this.#last = null
      return { invalid: disturbed }
    }
    const [first, last] = [this.#first, this.#last]
    if (this.#error !== null || !first || !last) {
      return { invalid: { code: 'no-reading', params: { message: this.#error } } }
    }
    // The CPU times at the end of a block are those with which the next block begins.
    const before = this.#used
    this.#used = await this.sampler.readCpu()
    const times = { pausedSeconds: this.#pausedSeconds, ranSeconds: this.#ranSeconds }
    return this.sampler.sample({
      measured: excludePauses([first, last], { before, after: this.#used }, times),
      whole: [first, last],
      // Covers all blocks of the start, so that the requests in flight at the last reading have little weight.
      atRest: [this.#base ?? first, last],
      // An app of your own closes connections that were idle for some seconds, as while other arms started.
      reopens: this.sampler.arm.staged.arm.topology.server?.command !== undefined
    })
  }

  /** Runs a step of a block. Keeps the first error of the block, which makes the trial invalid.
   * @param {() => Promise<void>} work */
  async #keepError (work) {
    try {
      await work()
    } catch (error) {
      this.#error ??= getErrorMessage(error)
    }
  }
}

/**
 * Subtracts the paused time from the counts' time. Sets `atSeconds` of the CPU times to the running time, so that
 * subtract() of sample.js scales CPU time from running time to the counts' time. CPU times are read while the arm is
 * paused, so they cover all of its running time. The counts cover the time from the first to the last reading.
 * @param {[first: Reading, last: Reading]} readings of one block
 * @param {{ before: CpuTimes, after: CpuTimes }} cpuTimes at the ends of the block
 * @param {{ pausedSeconds: number, ranSeconds: number }} times of the arm in the block
 * @returns {[Reading, Reading]} with CPU times
 */
function excludePauses ([first, last], { before, after }, { pausedSeconds, ranSeconds }) {
  const toCpuTimes = (/** @type {CpuTimes} */ { cpu, load }, /** @type {number} */ atSeconds) =>
    ({ cpu, atSeconds, load: load && { ...load, atSeconds } })
  const front = last.front && { ...last.front, atSeconds: last.front.atSeconds - pausedSeconds }
  return [{ ...first, ...toCpuTimes(before, 0) }, { ...last, front, ...toCpuTimes(after, ranSeconds) }]
}
