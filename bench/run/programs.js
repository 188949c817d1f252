/** Installs the programs that a plan needs, before its wall time begins. */
import { hasUsers } from '../load/capabilities.js'
import { localEngines } from '../load/find-engine.js'
import { findTools } from '../machine/tools.js'
import { mayOutrun } from '../measure/load.js'
import { bringServerNode, findRuntimes, proxySpecs } from '../measure/find-programs.js'
import { hasDefaultRuntime } from '../topology/server-node.js'
import { bringServerPackages } from '../topology/server-packages.js'

/** @import { Arm, Plan } from '../types.js' */
/** @import { RunFlags } from '../request/types.js' */

/** @param {{ plan: Plan, options: RunFlags }} request */
export async function prepare ({ plan, options }) {
  await prepareHops(plan.arms)
  // Another machine has its own programs, but for the master of Locust.
  if (options.load && !plan.arms.some(({ load }) => hasUsers(load))) return
  // The client of a scenario is part of the project.
  if (plan.arms.every(({ load }) => load.scenario)) return
  for (const name of new Set(plan.arms.map(({ load }) => load.engine))) {
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
  // A built-in server may name no runtime. Its runtime is found first, because its files are listed once.
  if (arms.some(({ topology }) => hasDefaultRuntime(topology))) await bringServerNode()
  await findRuntimes(arms)
  await bringServerPackages(arms.map(({ topology }) => topology))
}
