/** A run over several machines: who is invited, who makes the load, and where the rig is opened. */
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { hasUsers } from '../../load/capabilities.js'
import { localEngines } from '../../load/find-engine.js'
import { allCoresServe } from '../../machine/cores.js'
import { readEnvironment } from '../../machine/environment.js'
import { LOOPBACK, labFacts } from '../../machine/lab.js'
import { openRig } from '../../measure/rig.js'
import { namesOf } from '../programs.js'
import { connect } from './connect.js'
import { atMost } from './limit.js'
import { enginesOver } from './load-client.js'
import { serveLoad } from './load-service.js'
import { enginesWithWorkers } from './locust-workers.js'
import { openRigOver } from './rig-client.js'
import { enginesOfSeveral } from './several.js'

/** @import { Engines } from '../../load/find-engine.js' @import { Plan } from '../../types.js' */
/** @import { ConnectOptions, Host, Loader, LocationContext, LocationOptions } from './types.js' */
/** @import { Needs, Remote, RigLocation } from './types.js' */

const CLOSE_SECONDS = 120 // A machine has 20 to end and 60 to remove the project; one that is stuck is left.

/** @param {Plan} plan @param {LocationOptions} options @param {LocationContext} context @returns {Promise<RigLocation>}
 */
export async function locateOnHosts (plan, options, context) {
  const { server, load = [], locustWorkers = [], expectWorkers = 0 } = options
  const guests = guestList(context)
  try {
    /** @type {Loader[]} */
    const loaders = []
    for (const host of [...load, ...locustWorkers]) {
      const remote = await guests.invite(host, { proxies: [], engines: namesOf(plan.arms, 'engine') })
      loaders.push({ ...remote, engines: enginesOver(remote.channel), workers: remote.environment.cpu.cores })
    }
    const address = loaders[0]?.seenFrom ?? addressOfThisMachine()
    const engines = enginesOf(loaders, { address, expectWorkers, spreads: load.length === 0 })
    const served = server && await guests.invite(server, { proxies: namesOf(plan.arms, 'proxy'), engines: [] },
      (channel, address) => serveLoad(channel, engines, join(context.temp, 'load'), { onlyTo: address }))
    const cores = { ...allCoresServe(), generators: generatorsOf(plan, loaders, expectWorkers) }
    const environment = served?.environment ?? await readEnvironment({
      lab: { ...await labFacts(), network: 'shared-loopback', why: 'its clients are on other machines' }, cores
    })
    return {
      environment: {
        ...environment,
        cores: { ...environment.cores, generators: cores.generators },
        hosts: {
          server: server?.name ?? null,
          load: loaders.map(({ name, node, environment: { cpu, kernel } }) => ({ name, node, cpu, kernel }))
        }
      },
      openRig: (plan, order) => served
        ? openRigOver(served.channel, plan, order)
        : openRig(plan, { ...order, lab: false, address, cores, engines }),
      lost: guests.lost,
      close: guests.close
    }
  } catch (error) {
    await guests.close()
    throw error
  }
}

/** The machines that take part. @param {LocationContext} context */
function guestList ({ temp, note }) {
  /** @type {Remote[]} */
  const remotes = []
  /** Load made here for a rig elsewhere: where that is lost nobody else ends it.
   * @type {{ close: () => Promise<void> }[]} */
  const services = []
  return {
    /** @param {Host} host @param {Needs} needs @param {ConnectOptions['serve']} [serve] */
    async invite (host, needs, serve) {
      const log = join(temp, `${host.name.replace(/[^\w.-]+/g, '_')}.log`)
      const remote = await connect(host, {
        needs,
        note,
        log,
        serve: serve && ((channel, address) => {
          const service = serve(channel, address)
          services.push(service)
          return service
        })
      })
      remotes.push(remote)
      return remote
    },
    lost: () => Promise.race([...remotes.map(({ channel }) => channel.lost), Promise.resolve(null)]),
    async close () {
      await atMost(Promise.all([...services, ...remotes].map(it => it.close())), CLOSE_SECONDS)
    }
  }
}

/** @param {Loader[]} loaders
 * @param {{ address: string, expectWorkers: number, spreads: boolean }} options spreads: the loaders are Locust's */
function enginesOf (loaders, { address, expectWorkers, spreads }) {
  if (!spreads) return enginesOfSeveral(loaders)
  if (loaders.length + expectWorkers === 0) return localEngines
  const say = (/** @type {string} */ line) => { process.stderr.write(`${line}\n`) }
  return enginesWithWorkers(localEngines, { hosts: loaders, byHand: expectWorkers, address, say })
}

/** Users are spread over all cores of their machines, every other load is one process on each.
 * @param {Plan} plan @param {Loader[]} loaders @param {number} expectWorkers */
function generatorsOf ({ arms }, loaders, expectWorkers) {
  const isOfUsers = arms.some(({ load }) => hasUsers(load))
  return Math.max(1, isOfUsers
    ? loaders.reduce((sum, { workers }) => sum + workers, expectWorkers)
    : loaders.length)
}

/** The first address by which others may reach it; the loopback where there is none. */
const addressOfThisMachine = () => Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? LOOPBACK
