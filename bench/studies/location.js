/** Resolves where a run takes place: on this machine, or with the served side or the generators on other machines. */
import { hasUsers } from '../load/capabilities.js'
import { localEngines } from '../load/find-engine.js'
import { splitCores } from '../machine/cores.js'
import { computeTurnSeconds } from '../plan/targets.js'
import { prepareMachine } from './session.js'

/** @import { HopbenchError } from '../errors.js' */
/** @import { Plan } from '../types.js' */
/** @import { RigLocation } from './remote/types.js' */
/** @import { RunFlags } from './types.js' */

/** Share of the cores for a generator with one process per core, because simulating users costs more than serving. */
const USERS_LOAD_SHARE = 0.5

/**
 * @param {Plan} plan
 * @param {Pick<RunFlags, 'lab' | 'server' | 'load' | 'locustWorkers' | 'expectWorkers'>} options
 * @param {{ temp: string, note: (text: string) => void }} context
 * @returns {Promise<RigLocation>}
 * @throws {HopbenchError} if another machine cannot take part
 */
export async function resolveLocation (plan, options, context) {
  const { lab, server, load, locustWorkers, expectWorkers } = options
  if (server ?? load ?? locustWorkers ?? expectWorkers) {
    // Imported on demand, because only runs on several machines need it.
    const { locateOnHosts } = await import('./remote/on-hosts.js')
    return locateOnHosts(plan, options, context)
  }
  const loadShare = plan.arms.some(({ load }) => hasUsers(load)) ? USERS_LOAD_SHARE : 0
  const { environment, cores, lab: isPrivate } = await prepareMachine({
    // A smoke run only shows that the arms work.
    lab, cores: splitCores(plan.cores, loadShare), isCalibrated: !plan.smoke
  })
  return {
    environment,
    served: null,
    machine: {
      lab: isPrivate,
      cores,
      engines: localEngines,
      turnSeconds: computeTurnSeconds(environment.turnLossMs, cores.split ? 'split' : 'shared')
    },
    findLostHost: async () => null,
    close: async () => {}
  }
}
