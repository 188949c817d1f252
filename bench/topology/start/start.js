/** Starts the programs of a described topology and waits until they respond. */
import { join } from 'node:path'
import { tailReader } from '../../machine/files/tail-reader.js'
import { AppWatch, getServerLog } from '../app-watch.js'
import { MARK } from '../describe/describe-command.js'
import { createRunning } from './running-topology.js'
import { startCommand } from './start-command.js'
import { startProxy } from './start-proxy.js'
import { findGivenUp, startServer } from './start-server.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import net from 'node:net'
import { signalWhenHandled } from '../../machine/handles-signal.js'
import { groupMembers } from '../../machine/probe.js'
import { died, start } from '../../machine/process.js'
import { textWithoutSecrets } from '../../shared/secrets.js'
import { INHERITED } from '../confinement/confinement.js'
import { acceptedInNetwork } from '../../machine/kernel-counts.js'
import { isErrorStatus } from '../../shared/trial.js'

/** @import { Child, Network, ProcessSpec } from '../../machine/types.js' */
/** @import { Fault } from '../../shared/first-response.js' */
/** @import { Status } from './start-proxy.js' */
/** @import { Address, CommandDescription, Confinement, Description, FrontCounts, ProxyPlugin } from '../../types.js' */
/** @import { ServedProgram, ServerCounts } from '../../types.js' */

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
 * @property {(listen: Address, output: string) => Promise<Fault | null>} [findFault] of the first response of a command
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
    return createRunning(description, startOptions, {
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
  return readOrigin(status, origin, plugin.counters, () => processes.pids().server)
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
 * sockets of the command during the gate, because the kernel has no count of them.
 * @param {Description & { command: CommandDescription }} description
 * @param {StartOptions} startOptions
 * @param {TopologyProcesses} processes
 */
async function startApp ({ command, proxy }, { dir }, processes) {
  await processes.startCommand(command)
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
  return createCommandCounters({
    listening,
    pids: () => processes.pids().server,
    alone: network.enter.length > 0,
    front: status && (() => status.counts()),
    cacheStatuses: log && (() => log.lines().flatMap(line => counters?.parseLogLine(line)?.cache ?? [])),
    relays,
    share
  })
}

/**
 * Counts the connections and requests of a proxy to a Unix socket of a server during the gate. The relay takes over the
 * path of the socket, and gives it back after the gate, so that measured requests go straight to the server.
 */

/** End of a request's first line. The bodies of requests at the gate do not contain it. */
const REQUEST_LINE = / HTTP\/1\.[01]\r\n/g

export class GateRelay {
  connections = 0
  requests = 0
  /** @type {Set<net.Socket>} */
  #sockets = new Set()
  #isClosed = false

  /** @param {string} path of the server's socket */
  constructor (path) {
    this.path = path
    /** Path of the server's socket while the relay has its path. */
    this.serverPath = `${path}.own`
    this.listener = net.createServer(socket => this.#join(socket))
  }

  async open () {
    renameSync(this.path, this.serverPath)
    await once(this.listener.listen({ path: this.path, readableAll: true, writableAll: true }), 'listening')
    this.listener.unref()
    return this
  }

  async close () {
    if (this.#isClosed) return
    this.#isClosed = true
    const closed = once(this.listener, 'close')
    this.listener.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
    rmSync(this.path, { force: true })
    renameSync(this.serverPath, this.path)
  }

  /** @param {net.Socket} proxy */
  #join (proxy) {
    this.connections++
    const server = net.connect(this.serverPath)
    proxy.on('data', chunk => { this.requests += chunk.toString('latin1').match(REQUEST_LINE)?.length ?? 0 })
    proxy.pipe(server).pipe(proxy)
    this.#destroyTogether(proxy, server)
    this.#destroyTogether(server, proxy)
  }

  /**
   * @param {net.Socket} socket
   * @param {net.Socket} peer
   */
  #destroyTogether (socket, peer) {
    this.#sockets.add(socket)
    socket.on('error', () => {}).on('close', () => {
      this.#sockets.delete(socket)
      peer.destroy()
    })
  }
}

export class TopologyProcesses {
  /** @type {Child[]} */
  #server = []
  /** @type {Child[]} */
  #proxy = []
  /** Processes that pass on readings of counters. @type {Child[]} */
  #relays = []

  /**
   * @param {Description} description
   * @param {StartOptions} startOptions
   */
  constructor (description, startOptions) {
    this.description = description
    this.startOptions = startOptions
  }

  /**
   * @param {ServedProgram} program
   * @param {number} i index of the process among those of the server
   */
  launchServer (program, i) {
    const confinement = this.#confinement
    const child = start({
      ...this.#toSpec('server', program),
      ...confinement && { inherit: INHERITED, cwd: confinement.dir },
      ...confinement?.enter.length && { enter: confinement.enter },
      log: this.getServerLog(i)
    })
    this.#server[i] = child
    return child
  }

  /**
   * Starts processes of a command and waits until they respond.
   * @param {CommandDescription} command
   * @param {number} [first] index of the first process among those of the server
   * @throws {HopbenchError} process-died, app-ended, app-elsewhere, not-ready, gate-refused, port-in-use
   */
  startCommand (command, first = 0) {
    const { name, network, findFault = async () => null } = this.startOptions
    return startCommand(command, {
      name: `the command of ${name}`,
      launch: (program, i) => this.launchServer(program, first + i),
      findFault,
      isPrivate: network.enter.length > 0
    })
  }

  /** Returns a process of the server. @param {number} i index of the process */
  getServer (i) {
    return this.#server[i]
  }

  /** Returns the file with the output of a process of the server. @param {number} i index of the process */
  getServerLog (i) {
    return getServerLog(this.description.command, this.#confinement?.dir ?? this.startOptions.dir, i)
  }

  get #confinement () {
    return this.description.server ? this.startOptions.confinement : null
  }

  /** @param {ServedProgram & { isRoom?: boolean }} program */
  launchProxy (program) {
    const { enterBeside } = this.startOptions.network
    const child = start({ ...this.#toSpec('proxy', program), ...program.isRoom && { enter: enterBeside } })
    this.#proxy.push(child)
    return child
  }

  /**
   * Replaces a process of a Node server.
   * @param {number} i index of the process
   * @param {() => Promise<void>} untilUp waits until the new process serves
   * @param {{ overlaps: boolean }} options overlaps: the old process ends after the new one serves
   */
  async replaceServer (i, untilUp, { overlaps }) {
    const old = this.#server[i]
    const program = this.description.server?.processes[i]
    if (!program) throw new Error('the topology has no such process')
    if (!overlaps) await old.stop()
    try {
      this.launchServer(program, i)
      await untilUp()
    } finally {
      if (overlaps) await old.stop()
    }
  }

  /** Returns the index of a process of the server; -1: a manager started it. @param {number} pid */
  findServer (pid) {
    return this.#server.findIndex(child => child.pid === pid)
  }

  /**
   * Sends a signal to a manager, not to its workers, when the manager handles it.
   * @param {number} i index of the process
   * @param {NodeJS.Signals} signal
   */
  async signalServer (i, signal) {
    await signalWhenHandled(this.#server[i], signal)
  }

  /**
   * Sends a signal to the first process of the proxy, not to its workers, when that process handles it.
   * @param {NodeJS.Signals} signal
   */
  async signalProxy (signal) {
    await signalWhenHandled(this.#proxy[0], signal)
  }

  /** @param {ProcessSpec} spec */
  launchRelay (spec) {
    this.#relays.push(start(spec))
  }

  /**
   * Returns the PIDs of the process groups by role. Workers of a manager belong to its group.
   * Excludes the process that waits outside for the end of a PID namespace.
   */
  pids () {
    const server = getMembers(this.#server)
    if (this.#confinement?.by !== 'namespace') return { proxy: getMembers(this.#proxy), server }
    const leaders = this.#server.map(child => child.pid)
    return { proxy: getMembers(this.#proxy), server: server.filter(pid => !leaders.includes(pid)) }
  }

  /** Returns an error if a process ended by itself or a manager gave up its workers. */
  findFailure () {
    const dead = [...this.#server, ...this.#proxy, ...this.#relays].find(child => child.ended())
    if (dead) return died(dead)
    const processes = this.description.server?.processes ?? []
    return processes.map(({ gaveUp }, i) => findGivenUp(this.#server[i], gaveUp)).find(Boolean) ?? null
  }

  /** Pauses the proxy first, so that no write to a paused process blocks. */
  pause () {
    for (const child of [...this.#proxy, ...this.#server]) child.pause()
  }

  /** Pauses the server alone, so that every response comes from the proxy. */
  pauseServer () {
    for (const child of this.#server) child.pause()
  }

  resumeServer () {
    for (const child of this.#server) child.resume()
  }

  resume () {
    for (const child of [...this.#server, ...this.#proxy]) child.resume()
  }

  /** Ends the proxy before the server, because the proxy would log the server's end as errors. */
  async stop () {
    for (const group of [this.#relays, this.#proxy, this.#server]) await Promise.all(group.map(child => child.stop()))
  }

  /**
   * @param {'server' | 'proxy'} role
   * @param {ServedProgram} program
   * @returns {ProcessSpec}
   */
  #toSpec (role, { argv, env, cwd }) {
    const { name, dir, network, cores, secrets } = this.startOptions
    return {
      name: `the ${role} of ${name}`,
      argv,
      env,
      ...env[MARK] !== undefined && { mark: `${MARK}=${env[MARK]}` },
      cwd: cwd ?? dir,
      enter: network.enterServed,
      cores,
      log: join(dir, `${role}.log`),
      ...secrets && { shown: text => textWithoutSecrets(text, secrets) }
    }
  }
}

/** @param {Child[]} children */
const getMembers = children => children.length > 0 ? groupMembers(children.flatMap(child => child.groups())) : []

/** Statuses of responses that came from the cache and not from the server. */
const FROM_CACHE = ['HIT', 'STALE', 'UPDATING']

/** @typedef {ReturnType<typeof createCommandCounters>} CommandCounters */
/** @typedef {() => Promise<{ requests: number, atSeconds: number }>} CountLoad reads the generator's requests */

/**
 * Counts of a command's server, which has no counters, in the shape of a Node server's counts. The counts come from the
 * kernel, the proxy or the generator, so they cost the server nothing.
 *
 * Requests: those of the proxy in front without its cache hits. If the proxy serves the files of the command, the share
 * of the load that it passes on. Without a proxy, those of the generator (EngineAbout.counted).
 * TCP connections: those accepted in the topology's own network without those of the proxy's clients.
 * Unix socket connections: the kernel counts none, so a relay counts them during the gate and is removed before
 * the measurement.
 *
 * @param {object} parts
 * @param {'tcp' | 'unix'} parts.listening
 * @param {() => number[]} parts.pids of the server
 * @param {boolean} parts.alone whether the topology has a network of its own
 * @param {(() => Promise<FrontCounts>) | null} parts.front counters of the proxy; null: there is no proxy
 * @param {(() => string[]) | null} parts.cacheStatuses of logged responses since the last call; null: no cache
 * @param {GateRelay[]} parts.relays of Unix sockets
 * @param {number} parts.share of the load that the proxy passes on; 1: it serves no files itself
 */
export function createCommandCounters (parts) {
  const { listening, pids, alone, front, cacheStatuses, relays, share } = parts
  /** @type {CountLoad | null} */
  let countLoad = null
  let missed = 0
  /** Connections for each request over a Unix socket, as counted during the gate; NaN: unknown. */
  let perRequest = NaN

  const readLoad = async () => {
    if (!countLoad) throw new Error('no load generator runs whose requests could be counted')
    return countLoad()
  }
  /** @param {number} requests as counted by the proxy */
  const countBehind = requests => {
    if (!cacheStatuses) return Math.round(requests * share)
    missed += cacheStatuses().filter(status => !FROM_CACHE.includes(status)).length
    return missed
  }
  /**
   * @param {FrontCounts | null} inFront
   * @param {number} requests
   * @returns {number} NaN: unknown
   */
  const countConnections = (inFront, requests) => {
    if (listening === 'unix') return inFront ? perRequest * requests : NaN
    const accepted = alone ? acceptedInNetwork(pids()) : null
    // A proxy without a count of its clients' connections keeps them open.
    return accepted === null ? NaN : accepted - (inFront?.connections ?? 0)
  }
  return {
    relays,
    setLoadCounter (/** @type {CountLoad} */ reader) {
      countLoad = reader
    },
    /** Reads and removes the relays between proxy and server, because they must not be measured. */
    async endGateCounting () {
      const requests = relays.reduce((sum, relay) => sum + relay.requests, 0)
      if (requests > 0) perRequest = relays.reduce((sum, relay) => sum + relay.connections, 0) / requests
      await Promise.all(relays.map(relay => relay.close()))
    },
    /**
     * @returns {Promise<ServerCounts>}
     * @throws {Error} if there are no counts
     */
    async counts () {
      const inFront = front && await front()
      const { atSeconds, requests } = inFront
        ? { atSeconds: inFront.atSeconds, requests: countBehind(inFront.requests) }
        : await readLoad()
      return {
        atSeconds,
        requests,
        connections: countConnections(inFront, requests),
        // Errors are counted from the proxy's log or by the client.
        non2xx: 0,
        listening,
        pids: pids(),
        lost: 0,
        workers: []
      }
    },
    close () {
      for (const relay of relays) relay.close().catch(() => {})
    }
  }
}

/**
 * Returns the counters of a proxy program that serves as the server.
 * @param {Status} status
 * @param {NonNullable<Description['origin']>} origin
 * @param {ProxyPlugin['counters']} counters
 * @param {() => number[]} pids
 */
function readOrigin (status, { dir, listen }, { log: file, parseLogLine }, pids) {
  const log = tailReader(join(dir, file))
  let errors = 0
  return {
    /**
     * @returns {Promise<ServerCounts>}
     * @throws {Error} if its counters do not respond
     */
    async counts () {
      const { atSeconds, connections, requests, non2xx = 0 } = await status.counts()
      errors += log.lines().filter(line => isErrorStatus(parseLogLine(line)?.status ?? 200)).length
      return {
        atSeconds,
        connections: connections ?? 0,
        requests,
        non2xx: non2xx + errors,
        listening: listen.kind,
        pids: pids(),
        // The program counts for all its workers together and replaces workers that died.
        lost: 0,
        workers: []
      }
    },
    close () {
      status.close()
      log.close()
    }
  }
}
