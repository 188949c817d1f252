/** Starts generators, and chooses the closed loop that saturates an arm, for warm-ups and peaks. */
import { join } from 'node:path'
import { getTargetFacts, findRefusal } from '../load/capabilities.js'
import { DEFAULT, localEngines } from '../load/find-engine.js'

/** @import { Engines, FoundEngine } from '../load/types.js' */
/** @import { CoreSplit } from '../machine/types.js' */
/** @import { Arm, Load } from '../types.js' */
/** @import { StagedArm } from './types.js' */

/**
 * Starts a generator for a started arm.
 *
 * @param {Pick<StagedArm, 'arm' | 'dir' | 'target' | 'network'>} staged
 * @param {FoundEngine} engine
 * @param {{ cores: CoreSplit, maxSeconds: number, load?: Load, folder?: string }} options maxSeconds: after which it
 *   ends by itself; load: default: of the arm; folder: name of its folder, which is its own
 */
export const startOn = ({ arm, dir, target, network }, engine, options) => {
  const { cores, maxSeconds, load = arm.load, folder = engine.name } = options
  return engine.start({
    name: arm.name, load, target, network, cores: cores.split ? cores.load : null, dir: join(dir, folder), maxSeconds
  })
}

/** Enough to saturate an arm, and few enough for any engine. */
const CONNECTIONS = 100

/**
 * Returns the fastest engine that can load an arm in a closed loop, and the load.
 *
 * @param {Arm} arm
 * @param {StagedArm} staged
 * @param {{ engines?: Engines, engine?: string, connections?: number, path?: string }} [options] engines: omitted: the
 *   load is made on this machine; engine: omitted: the fastest one
 * @returns {Promise<{ engine: FoundEngine, load: Load }>}
 */
export async function findClosedLoop (arm, staged, options = {}) {
  const { engines = localEngines, connections = CONNECTIONS, path = arm.load.path } = options
  const { rate, share, arrivals, seed, scenario, perUserPerSecond, spawnPerSecond, ...load } = arm.load
  const facts = { ...getTargetFacts(arm.topology), unix: staged.target.socketPath !== null }
  const faster = options.engine ? null : await engines.findFaster()
  const isAble = faster && findRefusal(faster.plugin.about, { load, facts, protocol: {} }) === null
  const engine = isAble ? faster : await engines.find(options.engine ?? DEFAULT)
  return { engine, load: { ...load, engine: engine.name, connections, path } }
}
