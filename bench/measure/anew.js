/** The rig of the protocols that start everything anew: for each trial the topology is started in a fresh network,
 * loaded for one window by a generator that ends by itself, and ended. The client counts, because what is measured may
 * refuse its own counters: a proxy at the limit of its connections has none left for them. */
import { join } from 'node:path'
import { getErrorMessage } from '../errors.js'
import { refuseImpossible } from '../load/capabilities.js'
import { localEngines } from '../load/find-engine.js'
import { HeldStages } from './held-stages.js'
import { measureWindow } from './measure-window.js'
import { atThePace, paceFinder } from './pace.js'
import { lowestPeak } from './peak.js'
import { untilCompiled } from './until-compiled.js'
import { pathsOf, writeFixtures } from '../topology/fixtures/fixtures.js'
import { DIED, EMPTY, showsErrors } from '../shared/trial.js'

/** @import { FoundEngine } from '../load/shapes.js'
 * @import { Arm, Plan, ProtocolAbout, Reason, Rig, Sample } from '../types.js' @import { Held } from './held-stages.js'
 * @import { RigOptions } from './shapes.js' */

/** @param {Plan} plan @param {RigOptions} options @param {Partial<ProtocolAbout>} about @returns {Promise<Rig>} */
export async function openAnew (plan, options, about) {
  const { engine: wanted, engines = localEngines, mayswitch } = options
  const { instead, ...engine } = await engines.findOrNext(wanted, { insist: !mayswitch })
  for (const arm of plan.arms) refuseImpossible(engine.plugin, arm, about)
  const root = plan.root ?? writeFixtures(join(options.temp, 'files'), pathsOf(plan.arms))
  const anew = new Anew(plan, { ...options, engines }, { about, engine, root })
  return {
    lost: () => new Set([...anew.held.refused.keys(), ...anew.lost]),
    refused: () => anew.held.refused,
    engine: engine.name,
    switchedFor: null,
    instead,
    slowerUsers: anew.pace.slower,
    tools: () => anew.held.tools,
    finish: async () => new Map(),
    close: () => anew.held.end(),
    trial: (name, block) => anew.trial(name, block)
  }
}

class Anew {
  /** @type {Set<string>} */
  lost = new Set()

  /** @param {Plan} plan @param {RigOptions & Required<Pick<RigOptions, 'engines'>>} options
   * @param {{ about: Partial<ProtocolAbout>, engine: FoundEngine, root: string }} made */
  constructor (plan, options, { about, engine, root }) {
    this.plan = plan
    this.options = options
    this.about = about
    this.engine = engine
    // Steps are measured on the same processes.
    this.held = new HeldStages(plan, options, { root, keeps: Boolean(about.steps) })
    this.held.tools[engine.name] = engine.version
    this.pace = paceFinder(plan.arms, this.held, { engine, cores: options.cores, note: options.note })
    this.peak = lowestPeak(plan, this.held, options)
  }

  /** @param {string} name @param {number} block @returns {Promise<Sample>} */
  async trial (name, block) {
    const arm = /** @type {Arm} */ (this.plan.arms.find(arm => arm.name === name))
    const startedAt = new Date().toISOString()
    const empty = (/** @type {Reason} */ invalid) => ({ ...EMPTY, arm: name, block, startedAt, invalid })
    try {
      const slower = await this.pace.find()
      const peak = arm.load.share === undefined ? null : await this.peak.find()
      const held = await this.held.begin(arm, block)
      if (!held) return empty(/** @type {Reason} */ (this.held.refused.get(name)))
      if (held.failedAt !== null) {
        return empty({ code: 'beyond-first-errors', text: `not measured: errors came at ${held.failedAt} connections` })
      }
      const loaded = peak === null ? atThePace(arm, slower) : this.#atItsShare(arm, peak, block)
      if (peak !== null && !held.isCompiled) await this.#compile(loaded, held)
      return await this.#measured(loaded, held, { block, startedAt })
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'gate-refused') throw error
      return empty({ code: 'not-measured', text: getErrorMessage(error) })
    } finally {
      if (!this.about.steps) await this.held.end()
    }
  }

  /** @param {Arm} arm @param {Held} held @param {{ block: number, startedAt: string }} when */
  async #measured (arm, held, when) {
    const { plan, engine, about, options: { cores, note } } = this
    note(`measuring ${arm.name}`)
    const sample = await measureWindow({
      ...when,
      arm,
      staged: held.staged,
      engine,
      cores,
      kind: { warm: about.warm ?? false, series: about.series ?? false },
      seconds: plan.windowSeconds ?? 1,
      unit: plan.unit
    })
    const died = sample.invalid?.code === DIED
    if (died) this.lost.add(arm.name)
    // At a share of the peak errors say nothing about the next one: it has a schedule of its own.
    if (died || (showsErrors(sample) && about.steps !== 'shares')) held.failedAt = arm.load.connections
    return sample
  }

  /** @param {Arm} arm @param {Held} held */
  async #compile (arm, held) {
    const { plan, engine, options: { cores, engines, note } } = this
    note(`warming up ${held.of}`)
    await untilCompiled(arm, { plan, staged: held.staged, cores, engines, engine })
    held.isCompiled = true
  }

  /** An arm with its rate. @param {Arm} arm @param {number} peak that all arms' shares are of @param {number} block */
  #atItsShare (arm, peak, block) {
    const rate = Math.max(1, (arm.load.share ?? 1) * peak)
    return { ...arm, load: { ...arm.load, rate, seed: (this.plan.seed + block) % 2 ** 32 } }
  }
}
