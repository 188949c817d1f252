/** The bottleneck of a trial: the role that limited its throughput (pure). */
import { LOAD_BOUND_SHARE, SERVED_BUSY_SHARE, SERVED_WAITING_SHARE } from '../shared/thresholds.js'

/** @import { Bound, ByRole, Cores } from '../types.js' */

/**
 * Returns the number of cores that the generator leaves to the served side.
 *
 * @param {Cores} cores
 * @param {number} generatorCores cores that the generator used
 */
export function computeCoresLeft ({ load, served }, generatorCores) {
  const shared = load.filter(core => served.includes(core)).length
  return shared === 0 ? served.length : served.length - generatorCores * shared / load.length
}

/** @type {('proxy' | 'server')[]} */
const SERVED_ROLES = ['proxy', 'server']

/**
 * Names the role that limited throughput: the role that used almost all of the cores that it could use.
 *
 * @param {ByRole} cpuSeconds CPU time within the measured time
 * @param {Cores} cores
 * @param {number} seconds measured time
 * @param {object} context
 * @param {'closed' | 'schedule' | 'users' | 'external'} context.mode generation of requests. closed: each connection
 *   sends its next request when the response is there; external: the app was already running
 * @param {{ proxy?: number, server?: number }} context.maxCores most cores that a role can use; left out: unknown
 * @returns {{ bound: Bound, waits: boolean }} bound 'none': no role was saturated; waits: the served side was idle
 *   although the generator had CPU time left
 */
export function findBottleneck (cpuSeconds, cores, seconds, { mode, maxCores }) {
  if (!(seconds > 0)) return { bound: 'none', waits: false }

  const generatorCores = cpuSeconds.load / seconds
  const isGeneratorBusy = generatorCores >= LOAD_BOUND_SHARE * countGeneratorThreads(cores, mode)
  if (isGeneratorBusy && mode !== 'schedule') return { bound: 'load', waits: false }

  const freeCores = Math.max(computeCoresLeft(cores, generatorCores), Number.EPSILON)
  const usedCores = { proxy: cpuSeconds.proxy / seconds, server: cpuSeconds.server / seconds }
  const shares = {
    proxy: usedCores.proxy / Math.min(maxCores.proxy ?? Infinity, freeCores),
    server: usedCores.server / Math.min(maxCores.server ?? Infinity, freeCores)
  }
  const busiestRole = shares.server >= shares.proxy ? 'server' : 'proxy'
  // Proxy and server can saturate their cores together although neither does alone.
  const busyShare = Math.max(shares[busiestRole], (usedCores.proxy + usedCores.server) / freeCores)
  if (busyShare >= SERVED_BUSY_SHARE) return { bound: busiestRole, waits: false }

  // With an unknown number of processes, one full core can be one saturated process.
  const canBeSaturated = SERVED_ROLES.some(role => maxCores[role] === undefined && usedCores[role] >= SERVED_BUSY_SHARE)
  return { bound: 'none', waits: mode === 'closed' && busyShare < SERVED_WAITING_SHARE && !canBeSaturated }
}

/**
 * Counts the cores that the generator can use. A generator here has one thread, but users are spread over all cores.
 *
 * @param {Cores} cores
 * @param {Parameters<typeof findBottleneck>[3]['mode']} mode
 */
const countGeneratorThreads = ({ load, generators = 1 }, mode) =>
  Math.max(mode === 'users' ? load.length : 1, generators)
