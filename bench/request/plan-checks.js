/** Rejects plans that cannot be carried out, before anything starts. */
import { availableParallelism } from 'node:os'
import { FLEET_RATE } from '../shared/thresholds.js'
import { badOption, HopbenchError } from '../errors.js'
import { getTargetFacts, hasUsers, rejectImpossible } from '../load/capabilities.js'
import { findModule } from '../measure/find-programs.js'
import { getServedPrefixes, isWholeSite } from '../plan/file-prefixes.js'
import { hasTls, isOn, servesStatics } from '../plan/predicates.js'
import { resolveOptions } from '../plan/topology-options.js'
import { isOwn, transports } from '../plan/spec.js'
import { countWorkers } from '../plan/workers.js'
import { aboutProtocol, loadPlugin } from '../plan/plugins.js'
import { isTaken } from '../machine/kernel-counts.js'
import { getListenWay } from '../topology/describe/describe-command.js'
import { checkScenario } from './scenario-plan.js'
import { findHolder } from '../topology/start/wait-until-listening.js'
import { loadOriginPlugin } from '../topology/proxy-origin.js'
import { getDefaultNodeVersion } from '../topology/server-node.js'
import { serverSettings } from '../topology/server-options.js'
import { callerCwd } from '../machine/caller-cwd.js'

/** @import { Arm, Plan, ProxyHop, ProxyPlugin, ServerAbout } from '../types.js' */
/** @import { RunFlags } from './types.js' */

/**
 * File descriptors that nginx and Node need besides their connections. With fewer, they run out of descriptors before
 * all connections are open.
 */
const DESCRIPTORS_BESIDE_CONNECTIONS = 128

/** @param {Plan} plan */
export async function checkPlan (plan) {
  rejectHttp3(plan.arms)
  const protocol = await aboutProtocol(plan.protocol)
  for (const arm of plan.arms) {
    await checkArm(arm)
    if (arm.load.scenario) {
      await checkScenario(arm)
      continue
    }
    rejectImpossible((await loadPlugin('engine', arm.load.engine)).default, arm, protocol)
  }
}

/**
 * Rejects arms whose load would not use what they offer.
 *
 * @param {Pick<Arm, 'topology'>[]} arms
 * @throws {HopbenchError} bad-option
 */
export function rejectHttp3 (arms) {
  const proxy = arms.map(({ topology }) => topology.proxy).find(proxy => proxy?.options.http3 === true)
  if (!proxy) return
  throw badOption(`The option http3 of ${proxy.name}`, true, 'HTTP/3 is not measured: no load generator here speaks it',
    'Leave it out, or start it with hopbench up.')
}

/**
 * Rejects a share of new TLS connections that changes nothing, because every topology ends TLS itself and is measured
 * on kept connections. For a fleet the share is accepted, because balancers are billed by new connections.
 *
 * @param {Pick<Arm, 'topology'>[]} arms
 * @param {{ rps?: number, newConnections?: number }} options as typed; rps: requests per second of all instances
 * @throws {HopbenchError} bad-option
 */
export function rejectNewConnections (arms, { rps = 0, newConnections }) {
  if (newConnections === undefined || rps >= FLEET_RATE) return
  if (arms.some(({ topology }) => !hasTls(topology))) return
  throw badOption('--new-connections', String(newConnections),
    'each topology ends TLS itself, and is measured on kept connections', 'Leave it out.')
}

/** @param {Arm} arm */
export async function checkArm ({ topology }) {
  if (topology.proxy) await checkProxy(topology.proxy)
  rejectStaticWithoutFiles(topology)
  const origin = await loadOriginPlugin(topology)
  if (topology.server && (origin || topology.server.command)) rejectHttp2Behind(topology)
  if (getListenWay(topology) !== null) return
  if (topology.server && origin) resolveOptions(topology.server.name, origin.about.options, topology.server.options)
  else if (topology.server) {
    await findModule(topology.server.name, callerCwd())
    const { name } = topology.server
    const about = isOwn(topology.server) ? undefined : (await loadPlugin('server', name)).about
    rejectHttp2Behind(topology, about)
    serverSettings(topology, getDefaultNodeVersion(topology), about)
    countWorkers(topology, availableParallelism())
  }
}

/** @param {ProxyHop} hop */
async function checkProxy ({ name, transport, options }) {
  const { default: { about } } = /** @type {{ default: ProxyPlugin }} */ (await loadPlugin('proxy', name))
  resolveOptions(name, about.options, options, about.lacks)
  const reached = about.transports ?? transports
  if (transport === null || reached.includes(transport)) return
  const why = `${name} reaches a server over ${reached.join(', ')} only`
  throw new HopbenchError('bad-topology', { spec: `${name}:${transport}`, why })
}

/**
 * Rejects a proxy that would speak HTTP/2 to a server that does not.
 *
 * @param {Arm['topology']} topology
 * @param {ServerAbout} [about] of a built-in Node server; left out: another program
 */
function rejectHttp2Behind ({ proxy, server }, about) {
  if (proxy?.options.upstream_http2 !== true || (about && !about.http1Only)) return
  const why = about?.http1Only ?? `only built-in servers speak HTTP/2 without TLS, and ${server?.name} is none`
  throw badOption(`The option upstream_http2 of ${proxy.name}`, true, why, 'Use http-json, or leave it out.')
}

/**
 * Rejects a proxy that is to serve the files of an app whose folders are unknown.
 *
 * @param {Arm['topology']} topology
 */
function rejectStaticWithoutFiles (topology) {
  const { proxy, server } = topology
  if (!server || !proxy || !servesStatics(proxy)) return
  const files = getServedPrefixes(topology)
  if (isOn(proxy.options.spa) && files.some(isWholeSite)) {
    throw badOption(`The option spa of ${proxy.name}`, true, 'with --files / the paths of pages are those of the app',
      'Leave it out: the app sends index.html.')
  }
  if (files.length > 0) return
  throw badOption(`The option static of ${proxy.name}`, true, `which paths of ${server.name} are files is unknown`,
    isOwn(server) ? 'Name the folder of each prefix, as in --files /assets=./public.' : 'Leave it out.')
}

/**
 * Rejects arms without a network of their own whose app listens on a port that is taken. Called outside the namespace
 * of PIDs, in which other programs have no names.
 *
 * @param {Pick<Arm, 'topology'>[]} arms
 * @throws {HopbenchError} port-in-use
 */
export function rejectTakenPorts (arms) {
  for (const { topology } of arms) {
    const port = getListenWay(topology)
    if (typeof port !== 'number' || !isTaken([process.pid], port)) continue
    const holder = findHolder({ kind: 'tcp', host: '127.0.0.1', port })
    throw new HopbenchError('port-in-use', { what: `Port ${port}`, holder })
  }
}

/**
 * Rejects more connections than open files are allowed, because the failures would look like faults of the server.
 *
 * @param {Pick<Plan, 'arms'>} plan
 * @param {number | null} openFiles the limit that children inherit
 * @throws {HopbenchError} too-many-connections
 */
export function checkLimits (plan, openFiles) {
  if (openFiles === null) return
  for (const { name, topology, load: { connections, scenario } } of plan.arms) {
    // A proxied request holds a connection on each side.
    const needed = connections * (topology.proxy && topology.server ? 2 : 1) + DESCRIPTORS_BESIDE_CONNECTIONS
    if (needed <= openFiles) continue
    throw new HopbenchError('too-many-connections',
      { name, connections, needed, openFiles, ...scenario && { scenario: scenario.name } })
  }
}

/**
 * Rejects --load-hosts if the load must be made on this machine.
 *
 * @param {Plan} plan
 * @param {RunFlags} options
 * @throws {HopbenchError} bad-option
 */
export function rejectElsewhere ({ arms }, { load: hosts, net }) {
  if (!hosts) return
  const reject = (/** @type {string} */ why, remedy = 'Leave out --load-hosts.') => {
    throw badOption('--load-hosts', hosts.map(({ name }) => name).join(','), why, remedy)
  }
  if (net) reject(`it and --net ${net}, a network of this machine, are mutually exclusive`, 'Use one of the two.')
  for (const { name, topology, load } of arms) {
    if (topology.lab?.sysctl) reject(`the arm ${name} changes kernel settings, which requires a private network`)
    if (topology.url !== undefined) reject(`the load on a URL is made on this machine, and ${name} is one`)
    if (load.rate !== undefined || load.share !== undefined) reject('the open loop runs on one machine')
    if (hosts.length > 1 && !hasUsers(load)) {
      reject('only the users of Locust are spread over several machines',
        'Name one machine, or run an experiment with users: npm run bench -- users')
    }
    if (!getTargetFacts(topology).uncounted) continue
    reject(`a load generator of this machine counts the requests of ${name}, which has no proxy in front`,
      'Put a proxy in front of each app, or make the load here.')
  }
}
