/** Reads the counters and logs of a topology whose programs run, and pauses and ends its processes. */
import { constants } from 'node:os'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { tailReader } from '../../machine/files/tail-reader.js'
import { homeFolder } from '../../machine/setup/path.js'
import { countLogKinds } from '../../shared/log-kinds.js'
import { performAct } from '../acts.js'

/** @import { Description, Running, ServerCounts } from '../../types.js' @import { AppWatch } from '../app-watch.js' */
/** @import { CommandCounters } from './start.js' @import { Status } from './start-proxy.js' */
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

/** Counters of a server. @typedef {{ counts: () => Promise<ServerCounts>, close: () => void }} Served */

/**
 * Creates the interface of a running topology.
 * @param {Description} description
 * @param {StartOptions} startOptions
 * @param {object} parts
 * @param {TopologyProcesses} parts.processes
 * @param {Served | null} parts.served null: there is no server
 * @param {Status | null} parts.status counters of the proxy; null: there is no proxy
 * @param {{ watch: AppWatch, counters: CommandCounters } | null} parts.app null: no command was started
 * @returns {Running}
 */
export function createRunning (description, startOptions, { processes, served, status, app }) {
  const { name, dir, proxyPlugin, confinement } = startOptions
  const counters = status && proxyPlugin?.counters
  const log = counters ? tailReader(join(dir, counters.log)) : null
  // Two readers, because each reader returns a line only once.
  const openErrorLog = () => counters ? tailReader(join(dir, counters.errorLog), MAX_ERROR_BYTES) : null
  const errorLog = openErrorLog()
  const workerLog = openErrorLog()
  /** @type {HopbenchError | null} */
  let endedWorker = null
  // The gate's requests to the server itself bypass the relay, because the relay counts the connections of the proxy.
  const relay = app?.counters.relays[0]
  const origin = async () => served && await served.counts()
  // Empty while all of them are replaced.
  const readWorkers = () => origin().then(counts => counts?.pids ?? [], () => [])
  return {
    target: description.target,
    originTarget: { ...description.originTarget, ...relay && { socketPath: relay.serverPath } },
    proxied: status !== null,
    countsLate: proxyPlugin?.counters.late ?? false,
    confinedBy: confinement?.by,
    serverLog: processes.getServerLog(0),
    origin,
    async front () {
      // The connections of the server are those of the proxy, not of the clients.
      if (description.proxy?.isUncounted && served) return { ...await served.counts(), connections: null }
      const inFront = status ?? served
      if (!inFront) throw new Error('a topology has a proxy or a server')
      return inFront.counts()
    },
    noted: () => log?.lines().flatMap(line => counters?.parseLogLine(line) ?? []) ?? [],
    logged: () => countLogKinds(errorLog?.lines() ?? [], homeFolder(process.env)),
    pids: () => processes.pids(),
    failure () {
      endedWorker ??= findEndedWorker(workerLog?.lines() ?? [], name)
      return processes.findFailure() ?? endedWorker
    },
    act: act => performAct(act, { description, startOptions, processes, readWorkers }),
    pause: () => processes.pause(),
    resume: () => processes.resume(),
    pauseServer: () => processes.pauseServer(),
    resumeServer: () => processes.resumeServer(),
    ...app && {
      app: app.watch.facts,
      setLoadCounter: app.counters.setLoadCounter,
      async endGateCounting () {
        app.watch.endGateCounting()
        await app.counters.endGateCounting()
      }
    },
    async stop () {
      for (const reader of [served, status, log, errorLog, workerLog]) reader?.close()
      await processes.stop()
    }
  }
}

/**
 * Finds a worker of the proxy that a signal ended, because the requests in flight of that worker were lost.
 * @param {string[]} lines of the error log
 * @param {string} name of the topology
 */
function findEndedWorker (lines, name) {
  for (const line of lines) {
    const signal = ENDED_WORKERS.map(pattern => pattern.exec(line)?.groups?.signal).find(Boolean)
    if (signal === undefined) continue
    const [signalName] = Object.entries(constants.signals).find(([, number]) => number === Number(signal)) ?? [signal]
    return new HopbenchError('process-died',
      { name: `a worker of the proxy of ${name}`, how: `was ended by ${signalName}`, output: line })
  }
  return null
}
