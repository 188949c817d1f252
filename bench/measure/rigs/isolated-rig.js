/** The rig of the isolated protocols: it starts a topology in a fresh network for each trial, or for all steps of an
 * arm in a block, and loads it for one window with a generator that ends by itself. The clients count, because a proxy
 * at the limit of its connections rejects the requests for its own counters. */
import { join } from 'node:path'
import { getErrorMessage } from '../../errors.js'
import { rejectImpossible } from '../../load/capabilities.js'
import { localEngines } from '../../load/find-engine.js'
import { measureWindow } from '../measure-window.js'
import { atPace, findPace } from '../pace.js'
import { findLowestPeak } from '../peak.js'
import { ensureWarm } from '../warm-up.js'
import { computeWarmUp } from '../../plan/targets.js'
import { getFixturePaths, writeFixtures } from '../../topology/fixtures/fixtures.js'
import { DIED, EMPTY, showsErrors } from '../../shared/trial.js'
import { mkdirSync } from 'node:fs'
import { endsRun, rejectNothingLeft } from './rig.js'
import { openStage } from '../stage.js'

/** @import { Engines, FoundEngine } from '../../load/types.js' */
/** @import { Arm, FileDifferences, GateRefusal, Plan, ProtocolAbout, Reason, Rig, Sample } from '../../types.js' */
/** @import { SlowerUsers } from '../../types.js' */
/** @import { RigOptions, Stage, StagedArm, WindowOptions } from '../types.js' */

/**
 * @typedef {object} Held
 * @property {string} of name of the arm, without its step
 * @property {number} block
 * @property {Stage} stage
 * @property {StagedArm} staged
 * @property {number | null} failedAt connections at its first errors
 */

export class HeldStages {
  /** @type {Map<string, GateRefusal>} by the gate */
  refused = new Map()
  /** @type {Record<string, string>} version by program */
  tools = {}
  /** @type {FileDifferences[]} of all arms so far */
  fileDifferences = []
  /** @type {Held | null} */
  #held = null
  #opened = 0

  /**
   * @param {Plan} plan
   * @param {RigOptions} options
   * @param {{ root: string, isHeldForSteps: boolean }} kind isHeldForSteps: all steps of an arm use the same processes
   */
  constructor (plan, options, { root, isHeldForSteps }) {
    this.plan = plan
    this.options = options
    this.root = root
    this.isHeldForSteps = isHeldForSteps
  }

  async end () {
    const { stage } = this.#held ?? {}
    this.#held = null
    await stage?.close()
  }

  /**
   * Starts an arm, unless it is up for another step of the same block.
   * @param {Arm} arm
   * @param {number} block
   * @returns {Promise<Held | null>} null: the gate has refused it
   */
  async begin (arm, block) {
    const of = arm.ladder?.of ?? arm.name
    if (this.isHeldForSteps && this.#held?.of === of && this.#held.block === block) return this.#held
    await this.end()
    this.options.printProgress(`starting ${of}`)
    const stage = await this.#open(arm, of)
    Object.assign(this.tools, stage.tools)
    if (!this.fileDifferences.some(({ arm: name }) => name === arm.name)) {
      this.fileDifferences.push(...stage.fileDifferences)
    }
    const staged = stage.arms.get(arm.name)
    if (staged) {
      this.#held = { of, block, stage, staged, failedAt: null }
      return this.#held
    }
    this.refused.set(arm.name, /** @type {GateRefusal} */ (stage.refused.get(arm.name)))
    await stage.close()
    rejectNothingLeft(this.plan, this.refused)
    return null
  }

  /** @param {Pick<FoundEngine, 'name' | 'version'>} engine */
  addTool ({ name, version }) {
    this.tools[name] = version
  }

  /** @param {Pick<Held, 'failedAt'>} change of what is up */
  update (change) {
    if (this.#held) this.#held = { ...this.#held, ...change }
  }

  /**
   * @param {Arm} arm
   * @param {string} of
   */
  #open (arm, of) {
    const { temp: root, cores } = this.options
    const temp = join(root, String(this.#opened++))
    mkdirSync(temp)
    // All steps of a ladder use the same proxy, which therefore needs room for the connections of the highest.
    const steps = this.plan.arms.filter(({ ladder }) => ladder?.of === of)
    const connections = Math.max(...[arm, ...steps].map(({ load }) => load.connections))
    return openStage([{ ...arm, load: { ...arm.load, connections } }], {
      ...this.options,
      temp,
      certificates: join(root, 'tls'),
      cores: cores.split ? cores.served : null,
      root: this.root
    })
  }
}

/** @implements {Rig} */
export class IsolatedRig {
  switchedFor = null
  crowded = null
  /** @type {Set<string>} arms of which a process has ended */
  #died = new Set()
  #engine
  #measureTrial
  /** @type {SlowerUsers | null} */
  slowerUsers = null
  #hasPace = false
  /** @type {Promise<number> | undefined} */
  #peak

  /**
   * @param {Plan} plan
   * @param {RigOptions} options
   * @param {Partial<ProtocolAbout>} protocol
   */
  static async open (plan, options, protocol) {
    const { engine: wanted, engines = localEngines, mayswitch } = options
    const engine = await engines.findOrNext(wanted, { insist: !mayswitch })
    for (const arm of plan.arms) rejectImpossible(engine.plugin, arm, protocol)
    return new IsolatedRig(plan, { ...options, engines }, protocol, { engine })
  }

  /**
   * @param {Plan} plan
   * @param {RigOptions & { engines: Engines }} options
   * @param {Partial<ProtocolAbout>} protocol
   * @param {object} parts
   * @param {FoundEngine & { instead: Rig['instead'] }} parts.engine
   * @param {(order: WindowOptions) => Promise<Sample>} [parts.measure] makes a trial
   */
  constructor (plan, options, protocol, { engine: { instead, ...engine }, measure = measureWindow }) {
    const root = plan.root ?? writeFixtures(join(options.temp, 'files'), getFixturePaths(plan.arms))
    this.plan = plan
    this.options = options
    this.protocol = protocol
    this.#engine = engine
    this.#measureTrial = measure
    // The steps of an arm are measured on the same processes.
    this.stages = new HeldStages(plan, options, { root, isHeldForSteps: Boolean(protocol.steps) })
    this.stages.addTool(engine)
    this.refused = this.stages.refused
    this.tools = this.stages.tools
    this.fileDifferences = this.stages.fileDifferences
    this.engine = engine.name
    this.instead = instead
  }

  /** @type {Rig['trials']} */
  async * trials (names, block) {
    for (const name of names) if (!this.lost().has(name)) yield [await this.#trial(name, block)]
  }

  lost () {
    return new Set([...this.refused.keys(), ...this.#died])
  }

  /** @returns {Promise<Map<string, Reason>>} empty, because each trial compares its own counts */
  async finish () {
    return new Map()
  }

  async close () {
    await this.stages.end()
  }

  /**
   * @param {string} name
   * @param {number} block
   * @returns {Promise<Sample>}
   */
  async #trial (name, block) {
    const arm = /** @type {Arm} */ (this.plan.arms.find(arm => arm.name === name))
    const startedAt = new Date().toISOString()
    const toEmpty = (/** @type {Reason} */ invalid) => ({ ...EMPTY, arm: name, block, startedAt, invalid })
    try {
      await this.#findPace()
      const peak = arm.load.share === undefined ? null : await this.#findPeak()
      const held = await this.stages.begin(arm, block)
      if (!held) return toEmpty(/** @type {Reason} */ (this.stages.refused.get(name)))
      if (held.failedAt !== null) {
        return toEmpty({ code: 'beyond-first-errors', params: { connections: held.failedAt } })
      }
      const loaded = this.#withRate(peak, arm, block)
      const unsteady = this.protocol.warm && !arm.load.cold ? await this.#warmUp(loaded, held) : null
      const sample = await this.#measure(loaded, held, { block, startedAt })
      return unsteady ? { ...sample, unsteady } : sample
    } catch (error) {
      if (endsRun(error)) throw error
      return toEmpty({ code: 'not-measured', params: { message: getErrorMessage(error) } })
    } finally {
      if (!this.protocol.steps) await this.stages.end()
    }
  }

  async #findPace () {
    if (this.#hasPace) return
    const { cores, printProgress } = this.options
    this.slowerUsers = await findPace(this.plan.arms, this.stages, { engine: this.#engine, cores, printProgress })
    this.#hasPace = true
  }

  #findPeak () {
    this.#peak ??= findLowestPeak(this.plan, this.stages, this.options)
    return this.#peak
  }

  /**
   * @param {Arm} arm
   * @param {Held} held
   * @param {{ block: number, startedAt: string }} trial
   */
  async #measure (arm, held, trial) {
    const { series, steps } = this.protocol
    const { cores, printProgress } = this.options
    printProgress(`measuring ${arm.name}`)
    const sample = await this.#measureTrial({
      ...trial,
      arm,
      staged: held.staged,
      engine: this.#engine,
      cores,
      kind: { series },
      seconds: this.plan.windowSeconds ?? 1,
      unit: this.plan.unit
    })
    const died = sample.invalid?.code === DIED
    if (died) this.#died.add(arm.name)
    // Each share of the peak has a schedule of its own, so errors at one share do not rule out the next one.
    if (died || (showsErrors(sample) && steps !== 'shares')) this.stages.update({ failedAt: arm.load.connections })
    return sample
  }

  /**
   * @param {Arm} arm
   * @param {Held} held
   */
  #warmUp (arm, { staged, of }) {
    const { cores, engines, printProgress, interrupted } = this.options
    printProgress(`warming up ${of}`)
    const { limitSeconds } = this.plan.warmUp ?? computeWarmUp(this.plan)
    return ensureWarm(arm, { staged, cores, engines, printProgress, interrupted, limitSeconds, smoke: this.plan.smoke })
  }

  /**
   * Returns an arm with its rate and the seed of its schedule, or with the pace of its users.
   * @param {number | null} peak the lowest of all; null: the arm has no share of it
   * @param {Arm} arm
   * @param {number} block
   */
  #withRate (peak, arm, block) {
    const rate = peak === null ? arm.load.rate : Math.max(1, (arm.load.share ?? 1) * peak)
    if (rate === undefined || this.protocol.steps !== 'shares') return atPace(arm, this.slowerUsers)
    return { ...arm, load: { ...arm.load, rate, seed: (this.plan.seed + block) % 2 ** 32 } }
  }
}
