/** The rig of gang slices: all arms up and frozen, replaced as a whole when a new start is due. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { bringUp, compareCounts, factsOf } from './all-up.js'
import { createGang } from './gang.js'
import { pathsOf, writeFixtures } from '../topology/fixtures/fixtures.js'

/** @import { Plan, Reason, Rig } from '../types.js' @import { Up } from './all-up.js' */
/** @import { RigOptions } from './shapes.js' */

/** @param {Plan} plan @param {RigOptions} options @returns {Promise<Rig>} */
export async function openGangRig (plan, options) {
  const rig = new GangRig(plan, options)
  const first = await rig.start(plan.arms.map(({ name }) => name))
  const round = /** @type {Required<Pick<Rig, 'round'>>['round']} */ (names, block, how) =>
    rig.gang.round(names, block, how)
  return {
    ...factsOf(first),
    round,
    trial: async (name, block, how) => (await round([name], block, how))[0],
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
  /** @type {Up | null} */
  #up = null

  /** @param {Plan} plan @param {RigOptions} options */
  constructor (plan, options) {
    this.plan = plan
    this.options = options
    this.root = plan.root ?? writeFixtures(join(options.temp, 'files'), pathsOf(plan.arms))
    this.gang = createGang(new Map(), plan)
  }

  lost () {
    return new Set([...this.#lost, ...this.gang.lost()])
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
    this.gang = createGang(this.#up.load.arms, plan)
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
    this.gang.close()
    for (const name of this.gang.lost()) this.#lost.add(name)
    const found = await compareCounts(this.#up?.load.arms ?? new Map(), this.lost())
    for (const [name, why] of found) if (!this.problems.has(name)) this.problems.set(name, why)
  }

  async close () {
    this.gang.close()
    await this.#up?.close()
  }
}
