/** Measures the servers of planted-servers.js, and finds why each one has no valid figure. */
import { judgeSample } from '../../bench/judge/verdict.js'
import { printReason } from '../../bench/report/facts/reason-texts.js'
import { makeWorkspace } from './cli.js'
import { planted, plantedModule } from './planted-servers.js'
import { openRealRig } from './real-rig.js'
import { makeTrial } from './trial.js'

/** @import { Arm, Reason, Rig } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

/** Servers with correct responses, late or unusual, which may have a valid rate. */
const honest = Object.keys(planted).filter(name => ['slow', 'odd'].includes(planted[name].kind))
/** Servers that must have a valid figure. The second one is slow. */
const CORRECT = ['sound', 'split']
/** Faults from here on: after more correct responses than the gate and its reference request receive. */
export const UNDER_LOAD = { from: 220 }
/**
 * Trials by which the valid or the invalid ones have to outnumber the others. A fault makes nearly all of them invalid.
 * On a busy machine the first two of a server that hangs can be valid, because it serves until all connections wait.
 */
const LEAD = 3
const MAX_TRIALS = 12

/**
 * Measures planted servers. Returns the reason for which each one has no valid figure, or null.
 * @param {Test} t
 * @param {string} engine
 * @param {Parameters<typeof plantedModule>[2]} when
 * @param {string[]} names of the servers
 */
async function measurePlanted (t, engine, when, names) {
  const workspace = makeWorkspace(t)
  const arms = Object.fromEntries(names.map(name => [name, plantedModule(workspace.dir, name, when)]))
  const { rig, plan } = await openRealRig(t, {
    protocol: 'slices', arms: { sound: 'http-json', ...arms }, load: { connections: 50, path: '/' }
  }, { engine, maxSeconds: 240 })
  /** @type {Record<string, string | null>} */
  const found = {}
  for (const arm of plan.arms.filter(({ twinOf }) => !twinOf)) {
    found[arm.name] = rig.refused.get(arm.name)?.params.why ?? null
    if (found[arm.name] === null) found[arm.name] = await findReason(rig, arm)
  }
  for (const [name, reason] of await rig.finish()) found[name] ??= printReason(reason)
  return found
}

/**
 * Makes trials of an arm until most of them are valid, or invalid. Returns the first reason of the latter, or null.
 * @param {Rig} rig
 * @param {Arm} arm
 */
async function findReason (rig, arm) {
  /** @type {Reason[]} */
  const invalid = []
  let lead = 0
  for (let block = 0; block < MAX_TRIALS && Math.abs(lead) < LEAD; block++) {
    const reason = judgeSample(await makeTrial(rig, arm.name, block), arm)
    // Another planted server may use CPU time while it is paused, which is no fault of this arm.
    if (reason && reason.code !== 'idle-arms-busy') invalid.push(reason)
    lead = block + 1 - 2 * invalid.length
  }
  return lead < 0 ? printReason(invalid[0]) : null
}

/**
 * Asserts that no planted server with a fault has a valid figure, and that correct ones have.
 * @param {Test} t
 * @param {string} engine
 * @param {Parameters<typeof plantedModule>[2]} when
 * @param {string[]} [names] of the servers; default: all
 */
export async function assertNoFigures (t, engine, when, names = Object.keys(planted)) {
  const found = await measurePlanted(t, engine, when, names)
  for (const [name, why] of Object.entries(found)) t.comment(`${name}: ${why ?? 'a valid figure'}`)
  for (const name of CORRECT) t.equal(found[name], null, `a correct server has a figure: ${name}`)
  const faulty = names.filter(name => !honest.includes(name))
  for (const name of faulty) t.type(found[name], 'string', name)
}
