/** The rig in which all arms are up at once, and each is paused while another one is measured. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { bringUp, compareCounts } from './all-up.js'
import { GangScheduler } from './gang-scheduler.js'
import { SliceScheduler } from './slice-scheduler.js'
import { getFixturePaths, writeFixtures } from '../topology/fixtures/fixtures.js'

/** @import { CrowdedArm, GateRefusal, Plan, Reason, Rig } from '../types.js' */
/** @import { LoadedArm, RigOptions, Scheduler } from './shapes.js' */

/** Most processes of an arm that a gang can pause. 500 take about 5 ms to pause and as long to resume, a fifth of a
 * turn; 4,000 take a whole turn, and a control group's freezer is no faster (docs/method.md). */
export const MAX_PROCESSES = 500

/** @implements {Rig} */
export class AllUpRig {
  engine = ''
  /** @type {Rig['switchedFor']} */
  switchedFor = null
  /** @type {Rig['instead']} */
  instead = null
  /** @type {CrowdedArm | null} */
  crowded = null
  /** @type {Map<string, GateRefusal>} */
  refused = new Map()
  slowerUsers = null
  /** @type {Map<string, Reason>} arms whose counts disagreed, in starts that have ended */
  #problems = new Map()
  /** @type {Set<string>} in starts that have ended */
  #lost = new Set()
  /** @type {Record<string, string>} */
  tools = {}
  #starts = 0
  /** @type {number | null} */
  #firstBlockOfStart = null
  /** @type {Awaited<ReturnType<typeof bringUp>> | null} */
  #up = null
  /** @type {Scheduler | null} */
  #scheduler = null

  /**
   * Starts all arms and their load.
   * @param {Plan} plan
   * @param {RigOptions} options
   * @param {{ isGang: boolean }} kind isGang: pauses all processes of an arm, and not only its generator
   */
  static async open (plan, options, { isGang }) {
    const rig = new AllUpRig(plan, options, isGang)
    await rig.#start(plan.arms.map(({ name }) => name))
    return rig
  }

  /**
   * @param {Plan} plan
   * @param {RigOptions} options
   * @param {boolean} isGang
   */
  constructor (plan, options, isGang) {
    const root = plan.root ?? writeFixtures(join(options.temp, 'files'), getFixturePaths(plan.arms))
    this.plan = { ...plan, root }
    this.options = options
    this.isGang = isGang
  }

  /** @type {Rig['trials']} */
  async * trials (names, block) {
    const { startBlocks, windowSeconds } = this.plan
    this.#firstBlockOfStart ??= block
    if (startBlocks && block - this.#firstBlockOfStart >= startBlocks && this.#findAble(names).length > 0) {
      await this.#restart(names)
      this.#firstBlockOfStart = block
    }
    const start = this.#starts - 1
    for await (const samples of this.#scheduler?.trials(this.#findAble(names), block, windowSeconds) ?? []) {
      yield startBlocks ? samples.map(sample => ({ ...sample, start })) : samples
    }
  }

  lost () {
    return new Set([...this.refused.keys(), ...this.#lost, ...this.#scheduler?.lost ?? []])
  }

  async finish () {
    await this.#endLoad()
    return this.#problems
  }

  async close () {
    this.#scheduler?.close()
    await this.#up?.close()
  }

  /** @param {string[]} names */
  #findAble (names) {
    const lost = this.lost()
    return names.filter(name => !lost.has(name))
  }

  /** @param {string[]} names of the arms that are started */
  async #start (names) {
    const plan = { ...this.plan, arms: this.plan.arms.filter(({ name }) => names.includes(name)) }
    const isFirst = this.#starts === 0
    const temp = join(this.options.temp, `s${this.#starts++}`)
    mkdirSync(temp)
    const up = await bringUp(plan, {
      ...this.options,
      temp,
      certificates: join(this.options.temp, 'tls'),
      ...!isFirst && { engine: this.engine, mayswitch: false }
    })
    this.#up = up
    for (const [name, why] of up.stage.refused) this.refused.set(name, why)
    const { arms, engine, switchedFor, instead } = up.load
    this.tools = { ...this.tools, ...up.stage.tools, [engine.name]: engine.version }
    if (isFirst) {
      Object.assign(this, { engine: engine.name, switchedFor, instead })
      // All starts have the same scheduler, because blocks of both kinds are not one sample.
      this.crowded = this.isGang ? findCrowded(arms) : null
    }
    this.#scheduler = this.isGang && !this.crowded ? new GangScheduler(arms, plan) : new SliceScheduler(arms, plan)
  }

  /** Replaces all processes. @param {string[]} names of the arms that are started again */
  async #restart (names) {
    await this.#endLoad()
    await this.#up?.close()
    await this.#start(this.#findAble(names))
  }

  /** Ends the load of the current start and compares its counts while all arms run. */
  async #endLoad () {
    this.#scheduler?.close()
    for (const name of this.#scheduler?.lost ?? []) this.#lost.add(name)
    const found = await compareCounts(this.#up?.load.arms ?? new Map(), this.lost())
    this.#problems = new Map([...found, ...this.#problems])
  }
}

/** Returns the first arm with too many processes for a gang. @param {Map<string, LoadedArm>} arms */
export function findCrowded (arms) {
  for (const [arm, { staged: { running } }] of arms) {
    const { proxy, server } = running.pids()
    const processes = proxy.length + server.length
    if (processes > MAX_PROCESSES) return { arm, processes }
  }
  return null
}
