/** Holds the one topology that is up at a time in an IsolatedRig. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { refuseNothingLeft } from './rig.js'
import { openStage } from '../stage.js'

/** @import { FoundEngine } from '../../load/types.js' */
/** @import { Arm, FileDifferences, GateRefusal, Plan } from '../../types.js' */
/** @import { RigOptions, Stage, StagedArm } from '../types.js' */

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
    this.options.note(`starting ${of}`)
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
    refuseNothingLeft(this.plan, this.refused)
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
