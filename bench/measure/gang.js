/** Gang slices: all processes of an arm, generator, proxy and server, are frozen at once and resume where they were.
 * The arms of a block take turns of a twentieth of a second, so that the noise of a shared machine, most of which lasts
 * longer, meets all of them alike (docs/method.md). After J. K. Ousterhout, "Scheduling Techniques for Concurrent
 * Systems", ICDCS 1982: the processes of one task run together or not at all. */
import { setTimeout as sleep } from 'node:timers/promises'
import { hangingSlice, HangWatch } from './hanging.js'
import { Meters } from './meters.js'
import { linkBytes } from './net.js'
import { readCounts, unitsOf } from './readings.js'
import { between, poolOf, sampleBetween } from './sample.js'
import { memoryMiB } from '../machine/probe.js'
import { randomFrom, shuffle } from '../shared/random.js'
import { SLICE_SECONDS } from '../plan/targets.js'
import { DIED, EMPTY } from '../shared/trial.js'
import { watchTrial } from './watch-trial.js'

/** @import { Reason, Rig, Sample, Unit } from '../types.js' @import { LoadedArm, Reading } from './shapes.js' */

/** Shorter ones show less of the noise and cost more of their switch: caches grow cold (docs/method.md). */
const QUANTUM_SECONDS = 0.05
/** Skipped before the first reading of a start, or after a block that broke off: caches are cold. */
const SKIP_SECONDS = 0.03
/** Workers may be started anew: who belongs to an arm is looked up again after this many blocks. */
const BLOCKS_BETWEEN_LOOKS = 10

/** @param {Map<string, LoadedArm>} arms up, warm, their generators frozen
 * @param {{ unit: Unit, seed: number, quantumSeconds?: number, watch?: typeof watchTrial }} options seed: of the order
 * of turns; quantumSeconds: of one turn; watch: over the clocks
 * @returns {Required<Pick<Rig, 'round'>> & Pick<Rig, 'lost'> & { close: () => void }} lost: arms of which a process has
 * ended; close: thaws what is served */
export function createGang (arms, { unit, seed, quantumSeconds = QUANTUM_SECONDS, watch = watchTrial }) {
  /** @type {Map<string, Player>} */
  const players = new Map([...arms].map(([name, arm]) => [name, new Player(arm, unit)]))
  /** @type {Set<string>} */
  const lost = new Set()
  let lookedAt = -Infinity
  for (const player of players.values()) player.stop()
  // A block begins where the one before it ended: clocks that part between the two are in its numbers.
  let watched = watch()
  return {
    lost: () => lost,
    close () {
      watched.end()
      players.forEach(player => player.close())
    },
    async round (names, block, { seconds = SLICE_SECONDS } = {}) {
      const startedAt = new Date().toISOString()
      const playing = names.map(name => /** @type {Player} */ (players.get(name)))
      if (block - lookedAt >= BLOCKS_BETWEEN_LOOKS) {
        await Promise.all(playing.map(player => player.look()))
        lookedAt = block
      }
      await Promise.all(playing.map(player => player.begin()))
      const turns = Math.max(1, Math.round(seconds / quantumSeconds))
      for (let turn = 0; turn < turns; turn++) {
        const quantum = { seconds: seconds / turns, first: turn === 0, last: turn === turns - 1 }
        for (const player of orderOfTurn(playing, { seed, block, turn })) await player.play(quantum)
      }
      const disturbed = watched.end()
      watched = watch()
      const cuts = await Promise.all(playing.map(player => player.result(disturbed)))
      return names.map((arm, i) => {
        if (cuts[i].invalid?.code === DIED) lost.add(arm)
        return { ...EMPTY, arm, block, startedAt, ...cuts[i] }
      })
    }
  }
}

/** Every second turn is the one before it backwards: what drifts is alike in both arms of a pair.
 * @template T @param {T[]} arms @param {{ seed: number, block: number, turn: number }} when @returns {T[]} */
export function orderOfTurn (arms, { seed, block, turn }) {
  const order = shuffle(arms, randomFrom(seed, 'turn', block, turn >> 1))
  return turn % 2 === 0 ? order : order.reverse()
}

const now = () => performance.now() / 1000

/** One arm from block to block. Its clock stands still while it is frozen. */
class Player {
  /** @type {Meters | null} */
  #meters = null
  /** @type {Error | null} what broke off this block */
  #error = null
  /** Seconds in which it ran in this block, and in which it stood still between its first and its last reading. */
  #ran = 0
  #stood = 0
  #frozenAt = 0
  /** @type {Reading | null} */
  #first = null
  /** @type {Reading | null} */
  #last = null
  /** @type {Pick<Reading, 'cpu' | 'load'> | null} */
  #used = null
  /** Counts before anything was under way: with requests in flight at both edges, a block proves too little. */
  #base = /** @type {Reading | null} */ (null)

  /** @param {Pick<LoadedArm, 'staged' | 'generator'>} arm @param {Unit} unit */
  constructor (arm, unit) {
    this.arm = arm
    this.unit = unit
    this.clients = new HangWatch(arm.staged)
  }

  async look () {
    this.#meters?.close()
    this.#meters = new Meters(this.arm.staged.running)
    this.#last = null
    await this.arm.generator.look().catch(() => {})
  }

  /** While all stand still. */
  async begin () {
    // It stands where its last reading left it: that is the first one of this block, too, and what one says too much
    // the other says too little. Requests come in bursts of as many as there are connections.
    this.#first = this.#error ? null : this.#last
    this.#error = this.#last = null
    this.#ran = this.#stood = 0
    if (this.#first) return
    await this.#guarded(async () => {
      this.arm.staged.running.noted()
      await this.arm.generator.errors()
      await this.clients.begin()
      this.#base ??= await this.#atRest()
      this.#used = await this.#usedSoFar()
    })
  }

  /** One turn. What goes wrong in it is its result. @param {{ seconds: number, first: boolean, last: boolean }} turn */
  async play ({ seconds, first, last }) {
    if (this.#error) return
    const { staged: { running }, generator } = this.arm
    await this.#guarded(async () => {
      running.thaw()
      await generator.thaw()
      const thawedAt = now()
      const anew = first && !this.#first
      if (!anew) this.#stood += thawedAt - this.#frozenAt
      if (anew) {
        await sleep(SKIP_SECONDS * 1000)
        this.#first = await this.#counts()
      }
      const from = anew ? now() : thawedAt
      await sleep(Math.max(0, (from + seconds - now()) * 1000))
      if (last) this.#last = await this.#counts()
      this.#frozenAt = now()
      this.#ran += this.#frozenAt - thawedAt
    })
    // Whatever went wrong, the next one has the machine for itself.
    await generator.freeze().catch(error => { this.#error ??= /** @type {Error} */ (error) })
    this.stop()
  }

  /** What is served stands still; its generator does already. */
  stop () {
    this.arm.staged.running.freeze()
  }

  close () {
    this.arm.staged.running.thaw()
    this.#meters?.close()
  }

  /** @param {Reason | null} disturbed @returns {Promise<Partial<Sample> & Pick<Sample, 'invalid'>>} */
  async result (disturbed) {
    const { staged: { running }, generator } = this.arm
    const died = running.failure() ?? await generator.failure()
    if (died) return { invalid: { code: DIED, text: died.message } }
    if (disturbed) {
      this.#last = null
      return { invalid: disturbed }
    }
    if (this.#error) return { invalid: { code: 'no-reading', text: this.#error.message } }
    const [first, last] = [this.#first, this.#last]
    if (!first || !last) return { invalid: { code: 'no-reading', text: 'its counts were not read' } }
    return this.#sample(...await this.#readings(first, last))
  }

  /** @param {Reading} first @param {Reading} last */
  async #sample (first, last) {
    const { arm: { staged, generator }, unit } = this
    const { non2xx, origin, front } = between(first, last)
    const served = this.#meters?.served ?? { proxy: [], server: [] }
    const reported = await generator.errors()
    const sample = {
      ...sampleBetween(first, last, {
        unit,
        running: staged.running,
        network: staged.network,
        errors: { ...reported, non2xx: non2xx + (reported.non2xx ?? 0) },
        atRest: [this.#base ?? first, last],
        pool: poolOf(staged.arm, this.#base ?? first),
        idleSeconds: 0
      }),
      memoryMiB: { proxy: memoryMiB(served.proxy), server: memoryMiB(served.server) },
      bytesPerResponse: staged.bytesPerResponse
    }
    const { requests = 0, seconds = NaN } = front ?? {}
    return {
      ...sample,
      invalid: workersLost(origin?.lost ?? 0) ??
      await this.clients.after({ requests, seconds }) ?? hangingSlice({ ...sample, requests })
    }
  }

  /** CPU time is read while the arm stands still, of all the time in which it ran; counts within it.
   * @param {Reading} first @param {Reading} last @returns {Promise<[Reading, Reading]>} */
  async #readings (first, last) {
    const before = /** @type {Pick<Reading, 'cpu' | 'load'>} */ (this.#used)
    const after = await this.#usedSoFar()
    this.#used = after
    const at = (/** @type {Pick<Reading, 'cpu' | 'load'>} */ { cpu, load }, /** @type {number} */ atSeconds) =>
      ({ cpu, atSeconds, load: load && { ...load, atSeconds } })
    const front = last.front && { ...last.front, atSeconds: last.front.atSeconds - this.#stood }
    return [{ ...first, ...at(before, 0) }, { ...last, front, ...at(after, this.#ran) }]
  }

  async #atRest () {
    const { running } = this.arm.staged
    running.thaw()
    try {
      return await readCounts(running)
    } finally {
      running.freeze()
    }
  }

  async #usedSoFar () {
    const meters = /** @type {Meters} */ (this.#meters)
    return { cpu: meters.read(), load: await this.arm.generator.cpu() }
  }

  /** Of both ends of the chain, under load. @returns {Promise<Reading>} */
  async #counts () {
    const { unit, arm: { staged } } = this
    const { running, network } = staged
    const meters = /** @type {Meters} */ (this.#meters)
    const [front, behind] = await Promise.all([running.front(), running.proxied ? running.origin() : null])
    const origin = running.proxied ? behind : /** @type {Reading['origin']} */ (front)
    meters.follow(origin?.lost ?? 0)
    return {
      front,
      origin,
      noted: running.noted(),
      cpu: { proxy: new Map(), server: new Map() },
      linkBytes: linkBytes(network, meters.served),
      units: unitsOf(staged, front, unit)
    }
  }

  /** @param {() => Promise<void>} work */
  async #guarded (work) {
    try {
      await work()
    } catch (error) {
      this.#error ??= /** @type {Error} */ (error)
    }
  }
}

/** @param {number} lost @returns {Reason | null} */
const workersLost = lost => lost > 0
  ? { code: 'worker-died', text: `${lost === 1 ? 'a worker' : `${lost} workers`} of the server died` }
  : null
