/** What an arm does in a closed loop, as fast as it answers: the measure of rates that are shares of it. */
import { DEFAULT, localEngines } from '../find-engine.js'
import { measureUndisturbed } from './undisturbed.js'

/** @typedef {import('../types.d.ts').Arm} Arm */

/** Enough to keep everything busy, and no more than any engine takes. */
const CONNECTIONS = 100
const SECONDS = 2

/**
 * @param {Arm} arm
 * @param {object} order
 * @param {import('./stage.js').StagedArm} order.staged
 * @param {import('../cores.js').CoreSplit} order.cores
 * @param {import('../find-engine.js').Engines} [order.engines] where the load is made; left out: here
 * @param {number} [order.seconds]
 * @param {number} [order.connections]
 * @param {string} [order.path]
 * @param {string} [order.tag] tells its files from those of other windows
 * @returns {Promise<{ sample: import('../types.d.ts').Sample, engine: import('../find-engine.js').FoundEngine, arm: Arm }>} arm: as it was loaded
 */
export async function measurePeak (arm, { staged, cores, engines = localEngines, seconds = SECONDS, connections = CONNECTIONS, path = arm.load.path, tag = 'peak' }) {
  const engine = await engines.findFaster() ?? await engines.find(DEFAULT)
  const { rate, share, arrivals, seed, ...load } = arm.load
  const loaded = { ...arm, load: { ...load, engine: engine.name, connections, path } }
  // Another path has another body, which nobody has asked for at the gate.
  const target = path === arm.load.path ? staged.target : { ...staged.target, expectBody: null }
  const sample = await measureUndisturbed({
    arm: loaded, block: 0, startedAt: new Date().toISOString(), staged: { ...staged, target }, engine, cores, kind: { warm: true, series: false }, seconds, unit: 'requests', tag
  })
  return { sample, engine, arm: loaded }
}
