/** The rig in which all arms are up at once. While one arm is measured, the load of the others is paused, and in a gang
 * their served processes too. If the plan has several starts, the rig replaces all processes at each start. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { bringUp, compareCounts } from './all-up.js'
import { GangScheduler } from './gang-scheduler.js'
import { SliceScheduler } from './slice-scheduler.js'
import { isAwake, MAX_BLOCKS, toCost } from './waking.js'
import { orderOfStart } from '../../plan/plan.js'
import { getFixturePaths, writeFixtures } from '../../topology/fixtures/fixtures.js'

/** @import { GateRefusal, Plan, Reason, Rig, Sample } from '../../types.js' */
/** @import { LoadedArm, RigOptions, Scheduler } from '../types.js' */

/** Most processes of an arm that a GangScheduler can pause. 500 processes take about 5 ms to pause and as long to
 * resume, a fifth of a turn. 4,000 processes take a whole turn, and a control group's freezer is no faster
 * (docs/method.md). */
const MAX_PROCESSES = 500

/** @implements {Rig} */
export class AllUpRig {
  engine = ''
  /** @type {Rig['switchedFor']} */
  switchedFor = null
  /** @type {Rig['instead']} */
  instead = null
  /** @type {Rig['crowded']} */
  crowded = null
  /** @type {Map<string, GateRefusal>} */
  refused = new Map()
  slowerUsers = null
  /** Whether the processes of the current start stay. */
  keepsStart = false
  /** Arms whose counts disagreed, in starts that have ended. @type {Map<string, Reason>} */
  #problems = new Map()
  /** Arms of which a process ended by itself, in starts that have ended. @type {Set<string>} */
  #lost = new Set()
  /** @type {Rig['fileDifferences']} */
  fileDifferences = []
  /** @type {Record<string, string>} */
  tools = {}
  /** Number of starts so far, the current one included. */
  #starts = 0
  /** First block of the current start. @type {number | null} */
  #firstBlockOfStart = null
  /** Arms of the current start with their load. @type {Awaited<ReturnType<typeof bringUp>> | null} */
  #up = null
  /** Scheduler of the current start. @type {Scheduler | null} */
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
   * @param {boolean} isGang whether all processes of an arm are paused, and not only its generator
   */
  constructor (plan, options, isGang) {
    const root = plan.root ?? writeFixtures(join(options.temp, 'files'), getFixturePaths(plan.arms))
    this.plan = { ...plan, root }
    this.options = options
    this.isGang = isGang
  }

  /**
   * Measures one block. Replaces all processes first if the current start has had its number of blocks.
   * @type {Rig['trials']}
   */
  async * trials (names, block) {
    const { startBlocks, windowSeconds } = this.plan
    const isFirst = this.#firstBlockOfStart === null
    this.#firstBlockOfStart ??= block
    const isNext = startBlocks && !this.keepsStart && block - this.#firstBlockOfStart >= startBlocks &&
      this.#findAble(names).length > 0
    if (isNext) {
      await this.#restart(names)
      this.#firstBlockOfStart = block
    }
    const start = this.#starts - 1
    const toStored = (/** @type {Sample[]} */ samples) => samples.map(sample =>
      ({ ...sample, ...startBlocks && { start }, ...this.#findUnsteady(sample.arm) }))
    const ended = isFirst || isNext ? await this.#wake(names, block) : []
    if (ended.length > 0) yield toStored(ended)
    for await (const samples of this.#scheduler?.trials(this.#findAble(names), block, windowSeconds) ?? []) {
      yield toStored(samples)
    }
  }

  /** Returns the arms without further trials: refused by the gate, or with a process that ended by itself. */
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

  /** Returns the arms that are not lost. @param {string[]} names */
  #findAble (names) {
    const lost = this.lost()
    return names.filter(name => !lost.has(name))
  }

  /**
   * Returns what a sample records of a warm-up that ended at its limit.
   * @param {string} name
   * @returns {Pick<Sample, 'unsteady'>}
   */
  #findUnsteady (name) {
    const unsteady = this.#up?.load.arms.get(name)?.unsteady
    return unsteady ? { unsteady } : {}
  }

  /** Starts arms, their load and a scheduler. @param {string[]} names of the arms */
  async #start (names) {
    const plan = { ...this.plan, arms: this.plan.arms.filter(({ name }) => names.includes(name)) }
    const isFirst = this.#starts === 0
    const order = orderOfStart(plan, this.#starts)
    const temp = join(this.options.temp, `s${this.#starts++}`)
    mkdirSync(temp)
    const up = await bringUp(plan, {
      ...this.options,
      temp,
      order,
      certificates: join(this.options.temp, 'tls'),
      // Later starts keep the engine of the first one.
      ...!isFirst && { engine: this.engine, mayswitch: false }
    })
    this.#up = up
    for (const [name, why] of up.stage.refused) this.refused.set(name, why)
    const { arms, engine, switchedFor, instead } = up.load
    this.fileDifferences = up.stage.fileDifferences
    this.tools = { ...this.tools, ...up.stage.tools, [engine.name]: engine.version }
    if (isFirst) {
      Object.assign(this, { engine: engine.name, switchedFor, instead })
      // Decided once, so that all starts have the same scheduler and their blocks are comparable.
      this.crowded = this.isGang ? findCrowded(arms) : null
    }
    this.#scheduler = this.isGang && !this.crowded
      ? new GangScheduler(arms, { ...plan, turnSeconds: this.options.turnSeconds })
      : new SliceScheduler(arms, plan)
  }

  /**
   * Discards blocks of all arms until each is awake, because those that waited would be idle again.
   * @param {string[]} names
   * @param {number} block
   * @returns {Promise<Sample[]>} samples of arms of which a process has ended meanwhile
   */
  async #wake (names, block) {
    if (this.plan.smoke || names.length < 2) return []
    /** @type {Sample[]} */
    const ended = []
    /** @type {Map<string, number[]>} */
    const costs = new Map(names.map(name => [name, []]))
    const asleep = new Set(names)
    for (let i = 0; i < MAX_BLOCKS && asleep.size > 0 && !this.options.interrupted?.(); i++) {
      const able = this.#findAble(names)
      for await (const samples of this.#scheduler?.trials(able, block, this.plan.windowSeconds) ?? []) {
        ended.push(...samples.filter(({ arm }) => this.lost().has(arm)))
        for (const sample of samples) {
          const ofArm = [...costs.get(sample.arm) ?? [], toCost(sample)]
          costs.set(sample.arm, ofArm)
          if (isAwake(ofArm, this.#up?.load.arms.get(sample.arm)?.warmCost ?? 0)) asleep.delete(sample.arm)
        }
      }
      for (const name of this.lost()) asleep.delete(name)
    }
    if (!this.options.interrupted?.()) asleep.forEach(name => this.#markUnsteady(name, costs.get(name)?.length ?? 0))
    return ended
  }

  /**
   * Marks an arm whose cost still fell in the last block that is discarded.
   * @param {string} name
   * @param {number} blocks that were discarded
   */
  #markUnsteady (name, blocks) {
    const arm = this.#up?.load.arms.get(name)
    if (arm) arm.unsteady ??= { role: 'server', change: null, seconds: blocks * (this.plan.windowSeconds ?? 0) }
  }

  /** Replaces all processes. @param {string[]} names of the arms that are started again */
  async #restart (names) {
    await this.#endLoad()
    await this.#up?.close()
    await this.#start(this.#findAble(names))
  }

  /** Ends the load of the current start and compares the counts of both sides while all arms run. */
  async #endLoad () {
    this.#scheduler?.close()
    for (const name of this.#scheduler?.lost ?? []) this.#lost.add(name)
    const found = await compareCounts(this.#up?.load.arms ?? new Map(), this.lost())
    // The problem of the earliest start is kept.
    this.#problems = new Map([...found, ...this.#problems])
  }
}

/** Finds the first arm with more processes than a GangScheduler can pause. @param {Map<string, LoadedArm>} arms */
function findCrowded (arms) {
  for (const [arm, { staged: { running } }] of arms) {
    const { proxy, server } = running.pids()
    const processes = proxy.length + server.length
    if (processes > MAX_PROCESSES) return { arm, processes }
  }
  return null
}
