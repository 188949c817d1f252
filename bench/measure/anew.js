/**
 * The rig of the protocols that start everything anew: for each trial the topology is started in a
 * fresh network, loaded for one window by a generator that ends by itself, and ended. The client
 * counts, because what is measured may refuse its own counters: a proxy at the limit of its
 * connections has none left for them.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { refuseImpossible } from '../capabilities.js'
import { localEngines } from '../find-engine.js'
import { pathsOf, writeFixtures } from '../fixtures.js'
import { DIED, EMPTY, refuseNothingLeft } from './rig.js'
import { atThePace, paceFinder } from './pace.js'
import { measurePeak } from './peak.js'
import { openStage } from './stage.js'
import { showsErrors } from '../verdict.js'
import { measureWindow } from './window.js'

/** @typedef {import('../types.d.ts').Arm} Arm */
/** @typedef {import('../types.d.ts').Plan} Plan */
/** @typedef {import('../types.d.ts').Reason} Reason */
/** @typedef {import('./stage.js').StagedArm} StagedArm */

/** No block: what a pilot has up is used for nothing else. */
const PILOT = -1

/**
 * @typedef {import('./window.js').WindowKind & { climbs: boolean, rates?: boolean }} Kind what the protocols differ in;
 *   climbs: arms of one ladder are measured on the same processes, up to the first errors; rates: at shares of the peak of
 *   these processes, which is found first
 */

/**
 * What is up: peak in requests per second, once it is found.
 * @typedef {{ of: string, block: number, stage: import('./stage.js').Stage, staged: StagedArm, failedAt: number | null, peak: number | null }} Held
 */

/**
 * @param {Plan} plan
 * @param {import('./rig.js').RigOptions} options
 * @param {Kind} kind
 * @returns {Promise<import('./rig.js').Rig>}
 */
export async function openAnew (plan, { temp, keepIn, lab, address, cores, engine: wanted, engines = localEngines, mayswitch, cwd, note }, kind) {
  const engine = await engines.findOrNext(wanted, { insist: !mayswitch })
  for (const arm of plan.arms) refuseImpossible(engine.plugin, arm, plan.protocol)
  const root = plan.root ?? writeFixtures(join(temp, 'files'), pathsOf(plan.arms))
  /** @type {Map<string, Reason>} */
  const refused = new Map()
  /** @type {Set<string>} */
  const lost = new Set()
  /** @type {Record<string, string>} */
  const tools = { [engine.name]: engine.version }
  /** @type {Held | null} */
  let held = null
  let opened = 0

  const end = async () => {
    const { stage } = held ?? {}
    held = null
    await stage?.close()
  }

  /** @param {Arm} arm @param {number} block */
  const begin = async (arm, block) => {
    const of = arm.ladder?.of ?? arm.name
    if (kind.climbs && held?.of === of && held.block === block) return held
    await end()
    note(`starting ${of}`)
    const dir = join(temp, String(opened++))
    mkdirSync(dir)
    // A ladder stays up for all its steps: its proxy must hold the connections of the highest.
    const most = Math.max(...plan.arms.filter(({ ladder }) => ladder?.of === of).map(({ load }) => load.connections), arm.load.connections)
    const stage = await openStage([{ ...arm, load: { ...arm.load, connections: most } }], { temp: dir, certificates: join(temp, 'tls'), keepIn, lab, address, cores: cores.split ? cores.served : null, cwd, root })
    Object.assign(tools, stage.tools)
    const staged = stage.arms.get(arm.name)
    if (staged) {
      held = { of, block, stage, staged, failedAt: null, peak: null }
      return held
    }
    refused.set(arm.name, /** @type {Reason} */ (stage.refused.get(arm.name)))
    await stage.close()
    refuseNothingLeft(plan, refused)
    return null
  }

  const pace = paceFinder(plan.arms, { up: async arm => (await begin(arm, PILOT))?.staged ?? null, down: end, engine, cores, note })

  return {
    lost: () => new Set([...refused.keys(), ...lost]),
    refused: () => refused,
    engine: engine.name,
    switchedFor: null,
    instead: engine.instead,
    slowerUsers: pace.slower,
    tools: () => tools,
    finish: async () => new Map(),
    close: end,
    async trial (name, block) {
      const arm = /** @type {Arm} */ (plan.arms.find(arm => arm.name === name))
      const startedAt = new Date().toISOString()
      const empty = (/** @type {Reason} */ invalid) => ({ ...EMPTY, arm: name, block, startedAt, invalid })
      try {
        const slower = await pace.find()
        const up = await begin(arm, block)
        if (!up) return empty(/** @type {Reason} */ (refused.get(name)))
        if (up.failedAt !== null) return empty({ code: 'beyond-first-errors', text: `not measured: errors came at ${up.failedAt} connections` })
        const loaded = kind.rates ? await atItsShare(arm, up, { seed: plan.seed + block, cores, engines, tools, note }) : atThePace(arm, slower)
        note(`measuring ${name}`)
        const sample = await measureWindow({ arm: loaded, block, startedAt, staged: up.staged, engine, cores, kind, seconds: plan.windowSeconds ?? 1, unit: plan.unit })
        if (sample.invalid?.code === DIED) lost.add(name)
        if (sample.invalid?.code === DIED || (showsErrors(sample) && !kind.rates)) up.failedAt = arm.load.connections
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

/**
 * An arm with its rate: a share of the peak of these very processes, which is found once.
 * @param {Arm} arm
 * @param {Held} up
 * @param {{ seed: number, cores: import('../cores.js').CoreSplit, engines: import('../find-engine.js').Engines, tools: Record<string, string>, note: (text: string) => void }} context
 * @returns {Promise<Arm>}
 */
async function atItsShare (arm, up, { seed, cores, engines, tools, note }) {
  if (up.peak === null) {
    note(`finding the peak of ${up.of}`)
    const { sample, engine } = await measurePeak(arm, { staged: up.staged, cores, engines })
    tools[engine.name] = engine.version
    up.peak = sample.rps
  }
  return { ...arm, load: { ...arm.load, rate: Math.max(1, (arm.load.share ?? 1) * up.peak), seed: seed % 2 ** 32 } }
}
