/** The one topology that is up, where each is started when its turn comes. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { refuseNothingLeft } from './rig.js'
import { openStage } from './stage.js'

/** @import { Arm, Plan, Reason } from '../types.js' @import { RigOptions, Stage, StagedArm } from './shapes.js' */

/** What is up. failedAt: connections of its first errors; isCompiled: it was loaded until its code was compiled.
 * @typedef {{ of: string, block: number, stage: Stage, staged: StagedArm, failedAt: number | null,
 * isCompiled: boolean }} Held */

export class HeldStages {
  /** @type {Map<string, Reason>} by the gate */
  refused = new Map()
  /** @type {Record<string, string>} version by program */
  tools = {}
  /** @type {Held | null} */
  #held = null
  #opened = 0

  /** @param {Plan} plan @param {RigOptions} options
   * @param {{ root: string, keeps: boolean }} how keeps: the steps of an arm are measured on the same processes */
  constructor (plan, options, how) {
    this.plan = plan
    this.options = options
    this.how = how
  }

  async end () {
    const { stage } = this.#held ?? {}
    this.#held = null
    await stage?.close()
  }

  /** @param {Arm} arm @param {number} block @returns {Promise<Held | null>} null: the gate has refused it */
  async begin (arm, block) {
    const of = arm.ladder?.of ?? arm.name
    if (this.how.keeps && this.#held?.of === of && this.#held.block === block) return this.#held
    await this.end()
    this.options.note(`starting ${of}`)
    const stage = await this.#open(arm, of)
    Object.assign(this.tools, stage.tools)
    const staged = stage.arms.get(arm.name)
    if (staged) return (this.#held = { of, block, stage, staged, failedAt: null, isCompiled: false })
    this.refused.set(arm.name, /** @type {Reason} */ (stage.refused.get(arm.name)))
    await stage.close()
    refuseNothingLeft(this.plan, this.refused)
    return null
  }

  /** @param {Arm} arm @param {string} of */
  #open (arm, of) {
    const { temp: root, cores } = this.options
    const temp = join(root, String(this.#opened++))
    mkdirSync(temp)
    // A ladder stays up for all its steps: its proxy must hold the connections of the highest.
    const steps = this.plan.arms.filter(({ ladder }) => ladder?.of === of)
    const connections = Math.max(...[arm, ...steps].map(({ load }) => load.connections))
    return openStage([{ ...arm, load: { ...arm.load, connections } }], {
      ...this.options,
      temp,
      certificates: join(root, 'tls'),
      cores: cores.split ? cores.served : null,
      root: this.how.root
    })
  }
}
