/** Where the rig of a run is: everything on this machine, or the served side and the generators on machines of their
 * own. What a run does is the same. */
import { hasUsers } from '../../load/capabilities.js'
import { localEngines } from '../../load/find-engine.js'
import { splitCores } from '../../machine/cores.js'
import { openRig } from '../../measure/rig.js'
import { takeMachine } from '../session.js'

/** @import { HopbenchError } from '../../errors.js' @import { Plan } from '../../types.js' */
/** @import { LocationContext, LocationOptions, RigLocation } from './types.js' */

/** Of the cores, for a generator that spreads its users over all it has: they take far more to make than to serve. */
const USERS_LOAD_SHARE = 0.5

/** @param {Plan} plan @param {LocationOptions} options @param {LocationContext} context @returns {Promise<RigLocation>}
 * @throws {HopbenchError} what keeps another machine from taking part */
export async function locateRig (plan, options, context) {
  const { lab, server, load, locustWorkers, expectWorkers } = options
  if (!(server ?? load ?? locustWorkers ?? expectWorkers)) return onThisMachine(plan, lab)
  // Loaded by runs over several machines only.
  const { locateOnHosts } = await import('./on-hosts.js')
  return locateOnHosts(plan, options, context)
}

/** @param {Plan} plan @param {boolean} wantsLab @returns {Promise<RigLocation>} */
async function onThisMachine (plan, wantsLab) {
  const loadShare = plan.arms.some(({ load }) => hasUsers(load)) ? USERS_LOAD_SHARE : 0
  const { lab, cores, environment } = await takeMachine({ lab: wantsLab, cores: splitCores(plan.cores, loadShare) })
  return {
    environment,
    openRig: (plan, order) => openRig(plan, { ...order, lab, cores, engines: localEngines }),
    lost: async () => null,
    close: async () => {}
  }
}
