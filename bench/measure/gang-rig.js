/** The rig of gang slices: all arms up and frozen, replaced as a whole when a new start is due. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { bringUp, compareCounts, factsOf } from './all-up.js'
import { crowdedIn, turnsOf } from './turns.js'
import { pathsOf, writeFixtures } from '../topology/fixtures/fixtures.js'

/** @import { CrowdedArm, Plan, Reason, Rig } from '../types.js' @import { Up } from './all-up.js' */
/** @import { RigOptions } from './shapes.js' */

/** @param {Plan} plan @param {RigOptions} options @returns {Promise<Rig>} */
export async function openGangRig (plan, options) {
  const rig = new GangRig(plan, options)
  const first = await rig.start(plan.arms.map(({ name }) => name))
  const round = /** @type {Required<Pick<Rig, 'round'>>['round']} */ (names, block, how) =>
    /** @type {Required<Pick<Rig, 'round'>>} */ (rig.turns).round(names, block, how)
  return {
    ...factsOf(first),
    ...rig.crowded ? { crowded: rig.crowded } : { round },
    trial: (name, block, how) => rig.turns.trial(name, block, how),
    restart: names => rig.restart(names),
    lost: () => new Set([...rig.refused.keys(), ...rig.lost()]),
    refused: () => rig.refused,
    finish: async () => {
      await rig.finish()
      return rig.problems
    },
    close: () => rig.close()
  }
}

class GangRig {
  /** @type {Map<string, Reason>} by the gate, in any start */
  refused = new Map()
  /** @type {Map<string, Reason>} of all starts that have ended */
  problems = new Map()
  /** @type {Set<string>} in starts that have ended */
  #lost = new Set()
  #starts = 0
  /** @type {CrowdedArm | null} of its first start */
  crowded = null
  /** @type {Up | null} */
  #up = null

  /** @param {Plan} plan @param {RigOptions} options */
  constructor (plan, options) {
    this.plan = plan
    this.options = options
    this.root = plan.root ?? writeFixtures(join(options.temp, 'files'), pathsOf(plan.arms))
    this.turns = turnsOf(new Map(), plan, null)
  }

  lost () {
    return new Set([...this.#lost, ...this.turns.lost()])
  }

  /** @param {string[]} names of the arms that are wanted @returns {Promise<Up>} */
  async start (names) {
    const { plan, options } = this
    const temp = join(options.temp, `s${this.#starts++}`)
    mkdirSync(temp)
    const arms = plan.arms.filter(({ name }) => names.includes(name))
    const known = this.#up?.load.engine.name
    this.#up = await bringUp({ ...plan, arms, root: this.root }, {
      ...options,
      temp,
      certificates: join(options.temp, 'tls'),
      ...known !== undefined && { engine: known, mayswitch: false }
    })
    for (const [name, why] of this.#up.stage.refused) this.refused.set(name, why)
    // What was found in the first start holds for all: blocks of both kinds are not one sample.
    if (!known) this.crowded = crowdedIn(this.#up.load.arms)
    this.turns.close()
    this.turns = turnsOf(this.#up.load.arms, plan, this.crowded)
    return this.#up
  }

  /** @param {string[]} names */
  async restart (names) {
    await this.finish()
    const ended = this.#up
    await ended?.close()
    await this.start(names.filter(name => !this.refused.has(name) && !this.#lost.has(name)))
  }

  /** Counts are compared while all run. */
  async finish () {
    this.turns.close()
    for (const name of this.turns.lost()) this.#lost.add(name)
    const found = await compareCounts(this.#up?.load.arms ?? new Map(), this.lost())
    for (const [name, why] of found) if (!this.problems.has(name)) this.problems.set(name, why)
  }

  async close () {
    this.turns.close()
    await this.#up?.close()
  }
}
