/** Reads the counters and logs of a topology whose programs run, and pauses and ends its processes. */
import { constants } from 'node:os'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { tailReader } from '../../machine/files/tail-reader.js'
import { homeFolder } from '../../machine/setup/path.js'
import { countLogKinds } from '../../shared/log-kinds.js'
import { performAct } from '../perform-act.js'

/** @import { Description, Running } from '../../types.js' @import { AppWatch } from '../app-watch.js' */
/** @import { CommandCounters } from './start.js' @import { Control } from './start-server.js' */
/** @import { Origin } from './start.js' @import { Status } from './start-proxy.js' */
/** @import { StartOptions } from './start.js' @import { TopologyProcesses } from './start.js' */

/** Most bytes of an error log that one call reads. Limited because nginx writes a line for each failed request. */
const MAX_ERROR_BYTES = 64 * 1024 * 1024

/** Lines with which nginx, Apache and Varnish log that a signal ended a worker. They start another worker, so the
 * processes that hopbench started show no failure. */
const ENDED_WORKERS = [
  /worker process \d+ exited on signal (?<signal>\d+)/,
  /child pid \d+ exit signal [^(]*\((?<signal>\d+)\)/,
  /Child \(\d+\) died signal=(?<signal>\d+)/
]

/**
 * A running topology. The interface Running describes its methods.
 * @implements {Running}
 */
export class RunningTopology {
  /** Error of a worker that a signal ended, once it is found. @type {HopbenchError | null} */
  #endedWorker = null

  /**
   * @param {Description} description
   * @param {StartOptions} startOptions
   * @param {object} parts
   * @param {TopologyProcesses} parts.processes
   * @param {Control | Origin | CommandCounters | null} parts.served counters of the server; null: there is no server
   * @param {Status | null} parts.status counters of the proxy; null: there is no proxy
   * @param {{ watch: AppWatch, counters: CommandCounters } | null} parts.app null: no command was started
   */
  constructor (description, startOptions, { processes, served, status, app }) {
    const { name, dir, proxyPlugin, confinement } = startOptions
    const proxyCounters = status && proxyPlugin?.counters
    this.target = description.target
    // The gate's requests to the server itself bypass the relay, because the relay counts the connections of the proxy.
    const relay = app?.counters.parts.relays[0]
    this.originTarget = { ...description.originTarget, ...relay && { socketPath: relay.serverPath } }
    this.proxied = status !== null
    this.countsLate = proxyPlugin?.counters.late ?? false
    this.isUncounted = description.proxy?.isUncounted ?? false
    this.confinedBy = confinement?.by
    this.serverLog = processes.getServerLog(0)
    this.processes = processes
    this.served = served
    this.status = status
    this.log = proxyCounters ? tailReader(join(dir, proxyCounters.log)) : null
    this.parseLogLine = proxyCounters?.parseLogLine
    this.errorLog = proxyCounters ? tailReader(join(dir, proxyCounters.errorLog), MAX_ERROR_BYTES) : null
    this.name = name
    /** @param {string} act */
    this.act = act => performAct(act, { description, startOptions, processes, readWorkers: () => this.#readWorkers() })
    // A second reader of the error log, because each reader returns a line only once.
    this.workerLog = proxyCounters ? tailReader(join(dir, proxyCounters.errorLog), MAX_ERROR_BYTES) : null
    if (!app) return
    const { counters, watch } = app
    this.app = watch.facts
    this.setLoadCounter = counters.setLoadCounter.bind(counters)
    this.endGateCounting = async () => {
      watch.endGateCounting()
      await counters.endGateCounting()
    }
  }

  async front () {
    // The connections of the server are those of the proxy, not of the clients.
    if (this.isUncounted && this.served) return { ...await this.served.counts(), connections: null }
    const counters = this.status ?? this.served
    if (!counters) throw new Error('a topology has a proxy or a server')
    return counters.counts()
  }

  async origin () {
    return this.served && await this.served.counts()
  }

  /** Returns the PIDs of the processes that serve requests. Empty while all of them are replaced. */
  async #readWorkers () {
    return this.origin().then(counts => counts?.pids ?? [], () => [])
  }

  noted () {
    return this.log?.lines().flatMap(line => this.parseLogLine?.(line) ?? []) ?? []
  }

  logged () {
    return countLogKinds(this.errorLog?.lines() ?? [], homeFolder(process.env))
  }

  pids () {
    return this.processes.pids()
  }

  failure () {
    this.#endedWorker ??= this.#findEndedWorker()
    return this.processes.findFailure() ?? this.#endedWorker
  }

  /** Finds a worker of the proxy that a signal ended, because the requests in flight of that worker were lost. */
  #findEndedWorker () {
    const lines = this.workerLog?.lines() ?? []
    for (const line of lines) {
      const signal = ENDED_WORKERS.map(pattern => pattern.exec(line)?.groups?.signal).find(Boolean)
      if (signal === undefined) continue
      const [signalName] = Object.entries(constants.signals).find(([, number]) => number === Number(signal)) ?? [signal]
      return new HopbenchError('process-died',
        { name: `a worker of the proxy of ${this.name}`, how: `was ended by ${signalName}`, output: line })
    }
    return null
  }

  pause () {
    this.processes.pause()
  }

  pauseServer () {
    this.processes.pauseServer()
  }

  resumeServer () {
    this.processes.resumeServer()
  }

  resume () {
    this.processes.resume()
  }

  async stop () {
    this.served?.close()
    this.status?.close()
    this.log?.close()
    this.errorLog?.close()
    this.workerLog?.close()
    await this.processes.stop()
  }
}
