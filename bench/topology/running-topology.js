/** A topology whose programs run: reads its counters and logs, and pauses and ends its processes. */
import { constants } from 'node:os'
import { join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { tailReader } from '../machine/tail-reader.js'
import { countLogKinds } from '../shared/log-kinds.js'

/** @import { Description, Running } from '../types.js' @import { AppWatch } from './app-watch.js' */
/** @import { CommandCounters } from './command-counters.js' @import { Control } from './control.js' */
/** @import { Origin } from './origin-counters.js' @import { Status } from './status.js' */
/** @import { Site } from './start.js' @import { TopologyProcesses } from './topology-processes.js' */

/** Bytes of an error log that one call reads at most, because nginx writes a line for each failed request. */
const MOST_ERROR_BYTES = 64 * 1024 * 1024

/** Lines by which nginx, Apache and Varnish report that a signal ended a worker, which they replace. */
const ENDED_WORKERS = [
  /worker process \d+ exited on signal (?<signal>\d+)/,
  /child pid \d+ exit signal [^(]*\((?<signal>\d+)\)/,
  /Child \(\d+\) died signal=(?<signal>\d+)/
]

/** @implements {Running} */
export class RunningTopology {
  /** @type {HopbenchError | null} */
  #endedWorker = null

  /**
   * @param {Description} description
   * @param {Site} site
   * @param {object} parts
   * @param {TopologyProcesses} parts.processes
   * @param {Control | Origin | CommandCounters | null} parts.served counters of the server; null: there is no server
   * @param {Status | null} parts.status counters of the proxy; null: there is no proxy
   * @param {{ watch: AppWatch, counters: CommandCounters } | null} parts.app null: no command was started
   */
  constructor (description, { name, dir, proxyPlugin, confinement }, { processes, served, status, app }) {
    const logs = status && proxyPlugin?.counters
    this.target = description.target
    // The gate's direct requests bypass the relay, because the relay counts the connections of the proxy.
    const relay = app?.counters.parts.relays[0]
    this.originTarget = { ...description.originTarget, ...relay && { socketPath: relay.serverPath } }
    this.proxied = status !== null
    this.countsLate = proxyPlugin?.counters.late ?? false
    this.confinedBy = confinement?.by
    this.serverLog = processes.getServerLog(0)
    this.processes = processes
    this.served = served
    this.status = status
    this.log = logs ? tailReader(join(dir, logs.log)) : null
    this.parseLogLine = logs?.parseLogLine
    this.errorLog = logs ? tailReader(join(dir, logs.errorLog), MOST_ERROR_BYTES) : null
    this.name = name
    // A reader of its own, because each reader returns a line once.
    this.workerLog = logs ? tailReader(join(dir, logs.errorLog), MOST_ERROR_BYTES) : null
    if (!app) return
    const { counters, watch } = app
    this.app = watch.facts
    this.loadedBy = counters.loadedBy.bind(counters)
    this.gatePassed = async () => {
      watch.gatePassed()
      await counters.gatePassed()
    }
  }

  async front () {
    const counters = this.status ?? this.served
    if (!counters) throw new Error('a topology has a proxy or a server')
    return counters.counts()
  }

  async origin () {
    return this.served && await this.served.counts()
  }

  noted () {
    return this.log?.lines().flatMap(line => this.parseLogLine?.(line) ?? []) ?? []
  }

  logged () {
    return countLogKinds(this.errorLog?.lines() ?? [])
  }

  pids () {
    return this.processes.pids()
  }

  failure () {
    this.#endedWorker ??= this.#findEndedWorker()
    return this.processes.findFailure() ?? this.#endedWorker
  }

  /** Finds a worker of the proxy that a signal ended. The requests of the worker broke off. */
  #findEndedWorker () {
    const lines = this.workerLog?.lines() ?? []
    for (const line of lines) {
      const signal = ENDED_WORKERS.map(pattern => pattern.exec(line)?.groups?.signal).find(Boolean)
      if (signal === undefined) continue
      const [how] = Object.entries(constants.signals).find(([, number]) => number === Number(signal)) ?? [signal]
      return new HopbenchError('process-died',
        { name: `a worker of the proxy of ${this.name}`, how: `was ended by ${how}`, output: line })
    }
    return null
  }

  pause () {
    this.processes.pause()
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
