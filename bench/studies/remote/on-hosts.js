/** Places a run on several machines: connects to them, and starts engines on the loading ones. */
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { hasUsers } from '../../load/capabilities.js'
import { localEngines } from '../../load/find-engine.js'
import { allCoresServe } from '../../machine/cores.js'
import { readEnvironment } from '../../machine/environment.js'
import { LOOPBACK, labFacts } from '../../machine/lab.js'
import { namesOf, needsServerNode } from '../programs.js'
import { waitAtMost } from './channel.js'
import { connect } from './connect.js'
import { enginesOver } from './load-client.js'
import { serveLoad } from './load-service.js'
import { enginesWithWorkers } from './locust-workers.js'
import { enginesOfSeveral } from './several.js'

/** @import { Engines } from '../../load/shapes.js' */
/** @import { Plan } from '../../types.js' */
/** @import { RunFlags } from '../types.js' */
/** @import { Loader, Remote, RigLocation } from './types.js' */

/** Limit for disconnecting. A machine has 20 s to end and 60 s to remove the project. */
const CLOSE_SECONDS = 120

/**
 * Places a run.
 *
 * @param {Plan} plan
 * @param {Pick<RunFlags, 'server' | 'load' | 'locustWorkers' | 'expectWorkers'>} options
 * @param {{ temp: string, note: (text: string) => void }} context
 * @returns {Promise<RigLocation>}
 */
export async function locateOnHosts (plan, options, context) {
  const { server, load = [], locustWorkers = [], expectWorkers = 0 } = options
  /** @type {Remote[]} */
  const remotes = []
  const open = async (/** @type {Parameters<typeof connect>} */ ...order) => {
    remotes.push(await connect(...order))
    return remotes[remotes.length - 1]
  }
  const close = () => waitAtMost(Promise.all(remotes.map(remote => remote.close())), CLOSE_SECONDS)
  try {
    /** @type {Loader[]} */
    const loaders = []
    for (const host of [...load, ...locustWorkers]) {
      const needs = { proxies: [], engines: namesOf(plan.arms, 'engine') }
      const remote = await open(host, { ...context, needs })
      loaders.push({ ...remote, engines: enginesOver(remote.channel), workers: remote.environment.cpu.cores })
    }
    const address = loaders[0]?.seenFrom ?? findOwnAddress()
    const engines = load.length > 0 ? enginesOfSeveral(loaders) : locustEngines(loaders, address, expectWorkers)
    const served = server && await open(server, {
      ...context,
      needs: { proxies: namesOf(plan.arms, 'proxy'), engines: [], serverNode: needsServerNode(plan.arms) },
      serve: (channel, address) => serveLoad(channel, engines, join(context.temp, 'load'), { onlyTo: address })
    })
    const generators = countGenerators(plan, loaders, expectWorkers)
    const cores = { ...allCoresServe(), generators }
    const environment = served?.environment ?? await readEnvironment({
      lab: { ...await labFacts(), network: 'shared-loopback', why: 'its clients are on other machines' }, cores
    })
    return {
      environment: {
        ...environment,
        cores: { ...environment.cores, generators },
        hosts: {
          server: server?.name ?? null,
          load: loaders.map(({ name, node, environment: { cpu, kernel } }) => ({ name, node, cpu, kernel }))
        }
      },
      served: served?.channel ?? null,
      machine: { lab: false, address, cores, engines },
      findLostHost: () => Promise.race([...remotes.map(({ channel }) => channel.lost), Promise.resolve(null)]),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * @param {Loader[]} loaders of Locust's workers
 * @param {string} address
 * @param {number} expectWorkers
 * @returns {Engines}
 */
function locustEngines (loaders, address, expectWorkers) {
  if (loaders.length + expectWorkers === 0) return localEngines
  const print = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }
  return enginesWithWorkers(localEngines, { hosts: loaders, byHand: expectWorkers, address, print })
}

/**
 * Counts the processes that generate load: for users one per core of a machine, else one per machine.
 *
 * @param {Plan} plan
 * @param {Loader[]} loaders
 * @param {number} expectWorkers
 */
function countGenerators ({ arms }, loaders, expectWorkers) {
  const isOfUsers = arms.some(({ load }) => hasUsers(load))
  const workers = loaders.reduce((sum, loader) => sum + loader.workers, expectWorkers)
  return Math.max(1, isOfUsers ? workers : loaders.length)
}

/** Finds the first address by which other machines can reach this one, or the loopback. */
const findOwnAddress = () => Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? LOOPBACK
