/** Installs the programs that a plan needs, before its wall time begins. */
import { localEngines } from '../load/find-engine.js'
import { findTools } from '../machine/tools.js'
import { mayOutrun } from '../measure/load.js'
import { bringServerNode, findRuntimes, proxyNames, proxySpecs } from '../measure/find-programs.js'
import { hasDefaultRuntime } from '../topology/server-node.js'
import { bringServerPackages } from '../topology/server-packages.js'

/** @import { Arm, Plan } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/** @param {{ plan: Plan, options: RunFlags }} request */
export async function prepare ({ plan, options }) {
  if (!options.server) await prepareHops(plan.arms)
  if (options.load) return
  // The client of a scenario is part of the project.
  if (plan.arms.every(({ load }) => load.scenario)) return
  for (const name of namesOf(plan.arms, 'engine')) {
    await localEngines.findOrNext(name, { insist: options.engine !== undefined })
  }
  if (options.engine === undefined && plan.arms.some(({ topology }) => mayOutrun(topology))) {
    await localEngines.findFaster()
  }
}

/**
 * Installs proxies, runtimes and the packages of servers.
 *
 * @param {Arm[]} arms
 */
export async function prepareHops (arms) {
  await findTools((await proxySpecs(arms)).map(({ spec }) => spec))
  await findRuntimes(arms)
  if (needsServerNode(arms)) await bringServerNode()
  await bringServerPackages(arms.map(({ topology }) => topology))
}

/** Returns whether a built-in server names no runtime. @param {Arm[]} arms */
export const needsServerNode = arms => arms.some(({ topology }) => hasDefaultRuntime(topology))

/**
 * @param {Arm[]} arms
 * @param {'proxy' | 'engine'} kind
 */
export const namesOf = (arms, kind) =>
  [...new Set(arms.flatMap(arm => kind === 'engine' ? arm.load.engine : proxyNames(arm.topology)))]
