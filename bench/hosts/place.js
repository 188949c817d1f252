/**
 * Where a run takes place: everything on this machine, or the served side and the generators on machines of their own. What a
 * run does is the same.
 */
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { hasUsers } from '../capabilities.js'
import { allCoresServe, pinSuite, splitCores } from '../cores.js'
import { readEnvironment } from '../environment.js'
import { localEngines } from '../find-engine.js'
import { LOOPBACK, labFacts } from '../lab.js'
import { openRig } from '../measure/rig.js'
import { namesOf } from '../request.js'

/** @typedef {import('../types.d.ts').Plan} Plan */
/** @typedef {import('./ssh.js').Host} Host */
/** @typedef {Omit<import('../measure/rig.js').RigOptions, 'cores' | 'engines' | 'lab' | 'address'>} Order */

/**
 * @typedef {object} PlaceOptions
 * @property {boolean} lab
 * @property {Host} [server] the machine of the served side
 * @property {Host[]} [load] the machines that make load
 * @property {Host[]} [locustWorkers] the machines of Locust's workers, whose master is here
 * @property {number} [expectWorkers] those that a person starts
 */

/** Of the cores, for a generator that spreads its users over all it has: they take far more to make than to serve. */
const USERS_LOAD_SHARE = 0.5

/**
 * @typedef {object} Place
 * @property {import('../types.d.ts').Environment} environment of the served side
 * @property {(plan: Plan, order: Order) => Promise<import('../measure/rig.js').Rig>} openRig
 * @property {() => Promise<import('../errors.js').HopbenchError | null>} lost the machine that was lost on the way
 * @property {() => Promise<void>} close
 */

/**
 * @param {Plan} plan
 * @param {PlaceOptions} options
 * @param {{ temp: string, note: (text: string) => void }} context
 * @returns {Promise<Place>}
 * @throws {import('../errors.js').HopbenchError} what keeps another machine from taking part
 */
export const placeOf = (plan, options, context) => isElsewhere(options) ? elsewhere(plan, options, context) : here(plan, options)

/** @param {Pick<PlaceOptions, 'server' | 'load' | 'locustWorkers' | 'expectWorkers'>} options whether more machines than this one take part */
export const isElsewhere = ({ server, load, locustWorkers, expectWorkers }) => Boolean(server ?? load ?? locustWorkers ?? expectWorkers)

/**
 * @param {Plan} plan
 * @param {{ lab: boolean }} options
 * @returns {Promise<Place>}
 */
async function here (plan, options) {
  const cores = splitCores(plan.cores, plan.arms.some(({ load }) => hasUsers(load)) ? USERS_LOAD_SHARE : 0)
  const facts = await labFacts()
  const lab = options.lab && facts.network === 'namespaces'
  const environment = await readEnvironment({
    lab: lab ? facts : { ...facts, network: 'shared-loopback', why: options.lab ? facts.why : '--no-lab was given' },
    cores
  })
  await pinSuite(cores)
  return {
    environment,
    openRig: (plan, order) => openRig(plan, { ...order, lab, cores, engines: localEngines }),
    lost: async () => null,
    close: async () => {}
  }
}

/** The first address by which others may reach it; the loopback where there is none. */
const addressOfThisMachine = () => Object.values(networkInterfaces()).flatMap(addresses => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? LOOPBACK

/**
 * @param {Plan} plan
 * @param {PlaceOptions} options
 * @param {{ temp: string, note: (text: string) => void }} context
 * @returns {Promise<Place>}
 */
async function elsewhere (plan, { server, load = [], locustWorkers = [], expectWorkers = 0 }, { temp, note }) {
  // Loaded by runs over several machines only.
  const [{ connect }, { enginesOver }, { enginesOfSeveral }, { serveLoad }, { openRigOver }, { enginesWithWorkers }] = await Promise.all([
    import('./connect.js'), import('./load-client.js'), import('./several.js'), import('./load-service.js'), import('./rig-client.js'), import('./locust-workers.js')
  ])
  /** @type {import('./connect.js').Remote[]} */
  const remotes = []
  /** Load made here for a rig elsewhere: where that is lost nobody else ends it. @type {{ close: () => Promise<void> }[]} */
  const services = []
  const close = async () => { await Promise.all([...services, ...remotes].map(it => it.close())) }
  const invite = async (/** @type {Host} */ host, /** @type {{ proxies: string[], engines: string[] }} */ needs, /** @type {(channel: import('./channel.js').Channel) => void} */ serve = () => {}) => {
    const remote = await connect(host, { needs, note, serve, log: join(temp, `${host.name.replace(/[^\w.-]+/g, '_')}.log`) })
    remotes.push(remote)
    return remote
  }
  try {
    for (const host of [...load, ...locustWorkers]) await invite(host, { proxies: [], engines: namesOf(plan.arms, 'engine') })
    const loaders = remotes.map(remote => ({ ...remote, engines: enginesOver(remote.channel), workers: remote.environment.cpu.cores }))
    const address = loaders[0]?.seenFrom ?? addressOfThisMachine()
    const engines = load.length > 0
      ? enginesOfSeveral(loaders)
      : locustWorkers.length + expectWorkers > 0 ? enginesWithWorkers(localEngines, { hosts: loaders, byHand: expectWorkers, address, say: line => process.stderr.write(`${line}\n`) }) : localEngines
    const served = server && await invite(server, { proxies: namesOf(plan.arms, 'proxy'), engines: [] }, channel => { services.push(serveLoad(channel, engines, join(temp, 'load'))) })
    // Users are spread over all cores of their machines, every other load is one process on each.
    const isOfUsers = plan.arms.some(({ load }) => hasUsers(load))
    const processes = isOfUsers ? loaders.reduce((sum, { workers }) => sum + workers, expectWorkers) : loaders.length
    const cores = { ...allCoresServe(), generators: Math.max(1, processes) }
    const environment = served?.environment ?? await readEnvironment({
      lab: { ...await labFacts(), network: 'shared-loopback', why: 'its clients are on other machines' }, cores
    })
    return {
      environment: {
        ...environment,
        cores: { ...environment.cores, generators: cores.generators },
        hosts: { server: server?.name ?? null, load: loaders.map(({ name, node, environment: { cpu, kernel } }) => ({ name, node, cpu, kernel })) }
      },
      openRig: (plan, order) => served
        ? openRigOver(served.channel, plan, order)
        : openRig(plan, { ...order, lab: false, address, cores, engines }),
      lost: () => Promise.race([...remotes.map(({ channel }) => channel.lost), Promise.resolve(null)]),
      close
    }
  } catch (error) {
    await close()
    throw error
  }
}
