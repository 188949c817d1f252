/** Resolves where a run takes place: on this machine, with the generators here or on other machines. */
import { BlockList, isIPv6 } from 'node:net'
import { HopbenchError } from '../errors.js'
import { hasUsers } from '../load/capabilities.js'
import { localEngines } from '../load/find-engine.js'
import { enginesOnHosts } from '../load/hosts/engines.js'
import { inspectHost } from '../load/hosts/ssh.js'
import { allCoresServe, splitCores } from '../machine/cores.js'
import { readEnvironment } from '../machine/environment/environment.js'
import { labFacts } from '../machine/network/lab.js'
import { computeTurnSeconds } from '../plan/targets.js'
import { prepareMachine } from './session.js'

/** @import { Host } from '../load/types.js' */
/** @import { Plan } from '../types.js' */
/** @import { RunFlags } from '../request/types.js' */
/** @import { RunLocation } from './types.js' */

/** Share of the cores for a generator with one process per core, because simulating users costs more than serving. */
const USERS_LOAD_SHARE = 0.5

/** Addresses of loopbacks, private networks (RFC 1918, RFC 4193, RFC 6598) and links. */
const PRIVATE = new BlockList()
for (const [address, prefix] of /** @type {[string, number][]} */ ([['127.0.0.0', 8], ['10.0.0.0', 8],
  ['172.16.0.0', 12], ['192.168.0.0', 16], ['169.254.0.0', 16], ['100.64.0.0', 10], ['::1', 128], ['fc00::', 7],
  ['fe80::', 10]])) PRIVATE.addSubnet(address, prefix, isIPv6(address) ? 'ipv6' : 'ipv4')

/**
 * @param {Plan} plan
 * @param {Pick<RunFlags, 'lab' | 'load' | 'engine' | 'allowHost'>} options
 * @param {{ note: (text: string) => void }} context
 * @returns {Promise<RunLocation>}
 * @throws {HopbenchError} if another machine cannot make the load
 */
export async function resolveLocation (plan, { load, ...options }, context) {
  if (load) return resolveWithHosts(plan, load, { ...options, ...context })
  const loadShare = plan.arms.some(({ load }) => hasUsers(load)) ? USERS_LOAD_SHARE : 0
  const { environment, cores, lab } = await prepareMachine({
    // A smoke run only shows that the arms work.
    lab: options.lab, cores: splitCores(plan.cores, loadShare), isCalibrated: !plan.smoke
  })
  return {
    environment,
    machine: {
      lab,
      cores,
      engines: localEngines,
      turnSeconds: computeTurnSeconds(environment.turnLossMs, cores.split ? 'split' : 'shared')
    },
    findLostHost: () => null
  }
}

/**
 * @param {Plan} plan
 * @param {Host[]} load
 * @param {Pick<RunFlags, 'engine' | 'allowHost'> & { note: (text: string) => void }} options
 * @returns {Promise<RunLocation>}
 */
async function resolveWithHosts ({ arms }, load, { engine, allowHost = [], note }) {
  note(`connecting to ${load.map(({ name }) => name).join(' and ')}`)
  const hosts = await Promise.all(load.map(inspectHost))
  const [{ address, name }] = hosts
  refusePublicAddress(name, address, allowHost)
  const ofUsers = arms.some(({ load }) => hasUsers(load))
  const engines = enginesOnHosts(hosts, { ofUsers })
  // Reports a missing program before the run is stored.
  await engines.findOrNext(arms[0].load.engine, { insist: engine !== undefined })
  const cores = allCoresServe()
  const generators = ofUsers ? hosts.reduce((sum, { cpu }) => sum + cpu.cores, 0) : 1
  const environment = await readEnvironment({
    lab: { ...await labFacts(), network: 'shared-loopback', why: 'its clients are on other machines' }, cores
  })
  return {
    environment: {
      ...environment,
      cores: { ...environment.cores, generators },
      hosts: { load: hosts.map(({ name, cpu, kernel }) => ({ name, cpu, kernel })) }
    },
    machine: { lab: false, address, cores, engines },
    findLostHost: () => hosts.find(({ lost }) => lost)?.lost ?? null
  }
}

/**
 * Rejects load over a public network without permission.
 *
 * @param {string} host
 * @param {string} address of this machine
 * @param {string[]} allowed addresses of --allow-host
 * @throws {HopbenchError} host-unfit
 */
export function refusePublicAddress (host, address, allowed) {
  if (allowed.includes(address) || PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')) return
  throw new HopbenchError('host-unfit', {
    host,
    why: `its load would go to ${address}, an address of a public network`,
    remedy: `Add --allow-host ${address} if that network may have the load.`
  })
}
