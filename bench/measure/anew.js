/**
 * The rig of the protocols that start everything anew: for each trial the topology is started in a
 * fresh network, loaded for one window by a generator that ends by itself, and ended. The client
 * counts, because what is measured may refuse its own counters: a proxy at the limit of its
 * connections has none left for them.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { refuseImpossible } from '../capabilities.js'
import { findEngineOrNext } from '../find-engine.js'
import { pathsOf, writeFixtures } from '../fixtures.js'
import { DIED, EMPTY, refuseNothingLeft } from './rig.js'
import { openStage } from './stage.js'
import { showsErrors } from '../verdict.js'
import { measureWindow } from './window.js'

/** @typedef {import('../types.d.ts').Arm} Arm */
/** @typedef {import('../types.d.ts').Plan} Plan */
/** @typedef {import('../types.d.ts').Reason} Reason */
/** @typedef {import('./stage.js').StagedArm} StagedArm */

/**
 * @typedef {import('./window.js').WindowKind & { climbs: boolean }} Kind what the protocols differ in;
 *   climbs: arms of one ladder are measured on the same processes, up to the first errors
 */

/**
 * @param {Plan} plan
 * @param {import('./rig.js').RigOptions} options
 * @param {Kind} kind
 * @returns {Promise<import('./rig.js').Rig>}
 */
export async function openAnew (plan, { temp, keepIn, lab, cores, engine: wanted, mayswitch, cwd, note }, kind) {
  const engine = await findEngineOrNext(wanted, { insist: !mayswitch })
  for (const arm of plan.arms) refuseImpossible(engine.plugin, arm, plan.protocol)
  const root = plan.root ?? writeFixtures(join(temp, 'files'), pathsOf(plan.arms))
  /** @type {Map<string, Reason>} */
  const refused = new Map()
  /** @type {Set<string>} */
  const lost = new Set()
  /** @type {Record<string, string>} */
  const tools = { [engine.name]: engine.version }
  /** @type {{ of: string, stage: import('./stage.js').Stage, staged: StagedArm, failedAt: number | null } | null} */
  let held = null
  let opened = 0

  const end = async () => {
    const { stage } = held ?? {}
    held = null
    await stage?.close()
  }

  /** @param {Arm} arm */
  const begin = async arm => {
    const of = arm.ladder?.of ?? arm.name
    if (kind.climbs && held?.of === of) return held
    await end()
    note(`starting ${of}`)
    const dir = join(temp, String(opened++))
    mkdirSync(dir)
    // A ladder stays up for all its steps: its proxy must hold the connections of the highest.
    const most = Math.max(...plan.arms.filter(({ ladder }) => ladder?.of === of).map(({ load }) => load.connections), arm.load.connections)
    const stage = await openStage([{ ...arm, load: { ...arm.load, connections: most } }], { temp: dir, certificates: join(temp, 'tls'), keepIn, lab, cores: cores.split ? cores.served : null, cwd, root })
    Object.assign(tools, stage.tools)
    const staged = stage.arms.get(arm.name)
    if (staged) {
      held = { of, stage, staged, failedAt: null }
      return held
    }
    refused.set(arm.name, /** @type {Reason} */ (stage.refused.get(arm.name)))
    await stage.close()
    refuseNothingLeft(plan, refused)
    return null
  }

  return {
    lost: () => new Set([...refused.keys(), ...lost]),
    refused: () => refused,
    engine: engine.name,
    switchedFor: null,
    instead: engine.instead,
    tools: () => tools,
    finish: async () => new Map(),
    close: end,
    async trial (name, block) {
      const arm = /** @type {Arm} */ (plan.arms.find(arm => arm.name === name))
      const startedAt = new Date().toISOString()
      const empty = (/** @type {Reason} */ invalid) => ({ ...EMPTY, arm: name, block, startedAt, invalid })
      try {
        const up = await begin(arm)
        if (!up) return empty(/** @type {Reason} */ (refused.get(name)))
        if (up.failedAt !== null) return empty({ code: 'beyond-first-errors', text: `not measured: errors came at ${up.failedAt} connections` })
        note(`measuring ${name}`)
        const sample = await measureWindow({ arm, block, startedAt, staged: up.staged, engine, cores, kind, seconds: plan.windowSeconds ?? 1, unit: plan.unit })
        if (sample.invalid?.code === DIED) lost.add(name)
        if (sample.invalid?.code === DIED || showsErrors(sample)) up.failedAt = arm.load.connections
        return sample
      } catch (error) {
        if (/** @type {{ code?: string }} */ (error).code === 'gate-refused') throw error
        return empty({ code: 'not-measured', text: /** @type {Error} */ (error).message })
      } finally {
        if (!kind.climbs) await end()
      }
    }
  }
}
