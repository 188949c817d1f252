/** Brings the programs that a plan needs, before its wall time begins. */
import { localEngines } from '../load/find-engine.js'
import { findTools } from '../machine/tools.js'
import { mayOutrun } from '../measure/load.js'
import { proxyNames } from '../measure/stage.js'
import { loadPlugin } from '../plugins.js'
import { specOf, variantFor } from '../topology/variants.js'

/** @import { Arm } from '../types.js' @import { Request } from './types.js' */

/** @param {Request} request */
export async function prepare ({ plan, options }) {
  if (!options.server) await prepareProxies(plan.arms)
  if (options.load) return
  for (const name of namesOf(plan.arms, 'engine')) {
    await localEngines.findOrNext(name, { insist: options.engine !== undefined })
  }
  if (options.engine === undefined && plan.arms.some(({ topology }) => mayOutrun(topology))) {
    await localEngines.findFaster()
  }
}

/** @param {Arm[]} arms */
export async function prepareProxies (arms) {
  await findTools(await Promise.all(namesOf(arms, 'proxy').map(async name => {
    const { default: plugin } = await loadPlugin('proxy', name)
    return specOf(plugin, variantFor(name, plugin, arms))
  })))
}

/** @param {Arm[]} arms @param {'proxy' | 'engine'} kind */
export const namesOf = (arms, kind) =>
  [...new Set(arms.flatMap(arm => kind === 'engine' ? arm.load.engine : proxyNames(arm.topology)))]
