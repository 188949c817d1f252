/** Starts the programs of a described topology and waits until they respond. */
import { join } from 'node:path'
import { tailReader } from '../../machine/files/tail-reader.js'
import { AppWatch } from '../app-watch.js'
import { CommandCounters } from '../command-counters.js'
import { GateRelay } from '../gate-relay.js'
import { Origin } from '../origin-counters.js'
import { RunningTopology } from './running-topology.js'
import { startCommand } from './start-command.js'
import { startProxy } from './start-proxy.js'
import { startServer } from './start-server.js'
import { TopologyProcesses } from './topology-processes.js'
import { makeFolder } from '../../machine/files/make-folder.js'

/** @import { Network } from '../../machine/types.js' @import { Status } from '../status.js' */
/** @import { Address, CommandDescription, Confinement } from '../../types.js' */
/** @import { Description, ProxyPlugin, ServedProgram } from '../../types.js' */

/**
 * Options of a topology's start that are not part of its description.
 *
 * @typedef {object} StartOptions
 * @property {string} name of the topology in messages
 * @property {string} dir takes the topology's configurations, sockets and logs
 * @property {Network} network
 * @property {number[] | null} cores on which the processes run; null: all
 * @property {ProxyPlugin | null} proxyPlugin plug-in of the proxy; null: there is no proxy
 * @property {ProxyPlugin | null} [originPlugin] plug-in of a proxy program that serves as the server
 * @property {Confinement | null} [confinement] of the server
 * @property {(listen: Address) => Promise<boolean>} [isResponding] readiness probe of a command
 * @property {string[]} [secrets] texts that are masked in the output of a command
 * @property {boolean} [caches] whether the proxy in front of a command caches responses
 * @property {number} [share] of the requests that the proxy passes on to a command, because it serves the files itself
 */

/**
 * Starts the server or the command first and then the proxy in front. Ends all processes if one of them fails to start.
 * @param {Description} description
 * @param {StartOptions} startOptions
 * @throws {HopbenchError} start-failed, process-died, not-ready, gate-refused, proxy-refused, port-in-use
 */
export async function startTopology (description, startOptions) {
  const processes = new TopologyProcesses(description, startOptions)
  try {
    const served = await startServed(description, startOptions, processes)
    const { command } = description
    const app = command && await startApp({ ...description, command }, startOptions, processes)
    const status = description.proxy && startOptions.proxyPlugin &&
      await startProxy(description.proxy, startOptions.proxyPlugin, proxyOptions(startOptions, processes))
    // A command has no counters of its own.
    const counters = app && countCommand(app, { startOptions, processes, status })
    return new RunningTopology(description, startOptions, {
      processes,
      served: served ?? counters,
      status,
      app: app && counters && { watch: app.watch, counters }
    })
  } catch (error) {
    await processes.stop()
    throw error
  }
}

/**
 * Starts the Node server, or the proxy program that serves as the server. Returns the object that reads the server's
 * counters, or null if the topology has neither.
 * @param {Description} description
 * @param {StartOptions} startOptions
 * @param {TopologyProcesses} processes
 */
async function startServed ({ server, origin }, startOptions, processes) {
  if (server) return startServer(server, (program, i) => processes.launchServer(program, i))
  const { originPlugin: plugin } = startOptions
  if (!origin || !plugin) return null
  makeFolder(origin.dir)
  const status = await startProxy(origin, plugin, {
    ...proxyOptions(startOptions, processes),
    name: `the server of ${startOptions.name}`,
    dir: origin.dir,
    launch: program => processes.launchServer(program, 0)
  })
  return new Origin({
    status,
    log: tailReader(join(origin.dir, plugin.counters.log)),
    parseLogLine: plugin.counters.parseLogLine,
    listening: origin.listen.kind,
    pids: () => processes.pids().server
  })
}

/**
 * Returns the options with which the proxy in front is started.
 * @param {StartOptions} startOptions
 * @param {TopologyProcesses} processes
 * @returns {Parameters<typeof startProxy>[2]}
 */
const proxyOptions = ({ name, dir, network }, processes) => ({
  name,
  dir,
  network,
  launch: program => processes.launchProxy(program),
  launchRelay: spec => processes.launchRelay(spec)
})

/**
 * Starts a command and finds the program that serves. Behind a proxy, relays count the proxy's connections to the Unix
 * sockets of the command during the gate, because the kernel does not count them.
 * @param {Description & { command: CommandDescription }} description
 * @param {StartOptions} startOptions
 * @param {TopologyProcesses} processes
 */
async function startApp ({ command, proxy }, { name, dir, isResponding = async () => true }, processes) {
  const launch = (/** @type {ServedProgram} */ program, /** @type {number} */ i) => processes.launchServer(program, i)
  await startCommand(command, { name: `the command of ${name}`, launch, isResponding })
  const sockets = command.processes.flatMap(({ listen }) => proxy && listen.kind === 'unix' ? [listen.path] : [])
  const relays = await Promise.all(sockets.map(path => new GateRelay(path).open()))
  const watch = new AppWatch(command, { dir, pids: processes.pids().server })
  await watch.findProgram()
  return { watch, relays, listening: command.processes[0].listen.kind }
}

/**
 * Creates the counters of a command, which read the kernel, the proxy and the relays.
 * @param {Awaited<ReturnType<typeof startApp>>} app
 * @param {{ startOptions: StartOptions, processes: TopologyProcesses, status: Status | null }} parts
 */
function countCommand ({ relays, listening }, { startOptions, processes, status }) {
  const { dir, network, proxyPlugin, caches, share = 1 } = startOptions
  const counters = proxyPlugin?.counters
  // With a cache, only requests that the proxy logs as cache misses reach the command.
  const log = caches && counters ? tailReader(join(dir, counters.log)) : null
  return new CommandCounters({
    listening,
    pids: () => processes.pids().server,
    alone: network.enter.length > 0,
    front: status && (() => status.counts()),
    cacheStatuses: log && (() => log.lines().flatMap(line => counters?.parseLogLine(line)?.cache ?? [])),
    relays,
    share
  })
}
