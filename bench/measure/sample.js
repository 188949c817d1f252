/** Makes a sample of two readings (pure). */
import { linkUse } from './net.js'
import { cpuSecondsBetween } from '../machine/probe.js'
import { isPooled } from '../plan/predicates.js'
import { isErrorStatus } from '../shared/trial.js'

/** @import { Arm, FrontCounts, Sample } from '../types.js' */
/** @import { Reading, Seen } from './types.js' */

/** Share of the busiest process's CPU time from which on a process counts as one of several that do the work. A program
 * that formats logs, or hands out connections, uses less. */
const WORKING_SHARE = 0.5

/**
 * Returns what was counted and used between two readings; null: one of the two could not be made.
 * @param {Reading} before
 * @param {Reading} after
 */
export function subtract (before, after) {
  const front = before.front && after.front && {
    requests: after.front.requests - before.front.requests,
    connections: subtractConnections(before.front, after.front),
    seconds: after.front.atSeconds - before.front.atSeconds
  }
  // Clocks are read one after the other while requests are in flight: CPU time is scaled to the front's clock.
  const toFrontClock = (/** @type {{ atSeconds?: number }} */ from, /** @type {{ atSeconds?: number }} */ to) => {
    if (!front || from.atSeconds === undefined || to.atSeconds === undefined) return 1
    return front.seconds / (to.atSeconds - from.atSeconds)
  }
  const servedScale = toFrontClock(before, after)
  const notedErrors = after.noted.filter(({ status }) => isErrorStatus(status)).length
  return {
    front,
    origin: before.origin && after.origin && {
      requests: after.origin.requests - before.origin.requests,
      connections: after.origin.connections - before.origin.connections,
      files: after.origin.files === undefined ? null : after.origin.files - (before.origin.files ?? 0),
      lost: after.origin.lost - before.origin.lost
    },
    units: (after.units ?? 0) - (before.units ?? 0),
    non2xx: (after.front?.non2xx ?? 0) - (before.front?.non2xx ?? 0) + notedErrors,
    linkBytes: before.linkBytes === null || after.linkBytes === null ? null : after.linkBytes - before.linkBytes,
    cpuSeconds: {
      // A reading from another machine arrives later than the others.
      load: before.load && after.load
        ? (after.load.seconds - before.load.seconds) * toFrontClock(before.load, after.load)
        : 0,
      proxy: cpuSecondsBetween(before.cpu.proxy, after.cpu.proxy) * servedScale,
      server: cpuSecondsBetween(before.cpu.server, after.cpu.server) * servedScale
    }
  }
}

/** Fewest requests per connection of a pool that was opened anew. With fewer, a proxy without a pool looks alike. */
const MIN_PER_CONNECTION = 2

/**
 * Returns how many connections a pool may still open, at most one for each client. On a slow machine a slice begins
 * before all of them are open.
 * @param {Arm} arm
 * @param {Pick<Reading, 'origin'>} [before] omitted: no connection is open
 * @returns {number} 0: the proxy keeps no connections
 */
export function findPool ({ topology, load }, before) {
  if (!isPooled(topology.proxy)) return 0
  return Math.max(0, load.connections - (before?.origin?.connections || 0))
}

/**
 * @param {FrontCounts} before
 * @param {FrontCounts} after
 */
function subtractConnections (before, after) {
  if (before.connections === null || after.connections === null) return null
  return toKnown(after.connections - before.connections)
}

/**
 * @param {number} count
 * @returns {number | null} null: not counted
 */
const toKnown = count => Number.isNaN(count) ? null : count

/**
 * @param {Reading} before
 * @param {Reading} after
 * @param {Seen} seen
 * @returns {Pick<Sample, 'requests' | 'requestsPerUnit' | 'seconds' | 'rps' | 'errors' | 'cpuSeconds' | 'linkShare' |
 * 'originRequests' | 'proof'>}
 */
export function sampleBetween (before, after, seen) {
  const { unit, requestsPerUnit = 1, report, errors } = seen
  const difference = subtract(before, after)
  const seconds = report?.seconds ?? difference.front?.seconds ?? NaN
  const units = report ? getReportedUnits(report, unit) : difference.units
  // An error response costs next to nothing, and would raise the rate.
  const failed = report ? errors.non2xx : Math.max(difference.non2xx, errors.non2xx)
  const requests = unit === 'bytes' ? units : Math.max(0, units - failed) / requestsPerUnit
  return {
    requests,
    ...unit === 'pages' && { requestsPerUnit },
    seconds,
    rps: requests / seconds,
    errors,
    cpuSeconds: {
      ...difference.cpuSeconds,
      load: report?.cpuSeconds ?? difference.cpuSeconds.load,
      idle: seen.idleSeconds ?? 0
    },
    ...linkUse(seen.network, difference.linkBytes, seconds),
    ...report && { originRequests: findOriginRequests([before, after], seen) },
    proof: proofBetween([before, after], seen)
  }
}

/**
 * @param {NonNullable<Seen['report']>} report
 * @param {Seen['unit']} unit
 */
const getReportedUnits = ({ measurement: { bytes, requests } }, unit) => unit === 'bytes' ? bytes ?? 0 : requests

/**
 * @param {[Reading, Reading]} readings
 * @param {Seen} seen
 */
const findOriginRequests = (readings, { running, atRest = readings }) =>
  running.proxied ? subtract(...atRest).origin?.requests ?? null : null

/**
 * Returns evidence that the arm used the transport and the cache of its topology.
 * @param {[Reading, Reading]} readings
 * @param {Seen} seen
 * @returns {Sample['proof']}
 */
function proofBetween (readings, seen) {
  const { running: { proxied, confinedBy, app }, report, atRest = readings, pool = 0, reopens = false } = seen
  const whole = subtract(...atRest)
  const origin = proxied ? whole.origin : null
  const reported = report ? report.measurement.requests + report.sampled : 0
  const responses = whole.front?.requests ?? reported
  const client = findClientConnections(subtract(...readings).front, report)
  const [, last] = atRest
  return {
    upstreamConnectionsPerRequest: origin && origin.requests > (reopens ? MIN_PER_CONNECTION * pool : 0)
      ? toKnown(Math.max(0, origin.connections - pool) / origin.requests)
      : null,
    // A request in flight, or one on a busy machine, may be counted by the server and not yet by the proxy.
    cacheHitRatio: origin && Math.max(0, 1 - origin.requests / Math.max(1, responses)),
    ...client !== undefined && { clientConnectionsPerRequest: client },
    cacheExpiries: origin && last.noted.filter(({ cache }) => cache === 'EXPIRED').length,
    socketType: last.origin?.listening ?? 'none',
    ...origin && origin.files !== null && { filesAtServer: origin.files },
    ...evenness(...atRest),
    ...confinedBy && { confinedBy },
    ...app?.program && { program: app.program },
    ...app && countProcesses(...readings),
    ...app?.writesPerRequest && { writesPerRequest: /** @type {const} */ (true) }
  }
}

/**
 * Returns the client's connections per request.
 * @param {ReturnType<typeof subtract>['front']} front
 * @param {Seen['report']} report
 * @returns {number | null | undefined} null: not counted; undefined: a generator that ended by itself closes all of its
 * connections, so that the number shows nothing, unless its users open new ones
 */
function findClientConnections (front, report) {
  if (report && !(report.measurement.users && front)) return undefined
  return front?.connections == null ? null : front.connections / Math.max(1, front.requests)
}

/**
 * Counts the processes of the server that do its work. Excludes wrappers such as a shell and a package manager.
 * @param {Reading} before
 * @param {Reading} after
 * @returns {{ processes?: number }} empty: this system does not report CPU time
 */
function countProcesses ({ cpu: before }, { cpu: after }) {
  const used = [...after.server].map(([pid, seconds]) => seconds - (before.server.get(pid) ?? 0))
  const most = Math.max(0, ...used)
  return most > 0 ? { processes: used.filter(seconds => seconds >= WORKING_SHARE * most).length } : {}
}

/**
 * Compares the busiest worker with the mean.
 * @param {Reading} before
 * @param {Reading} after
 * @returns {{ busiestWorker?: number }} empty: fewer than two workers, or they were not read
 */
function evenness ({ origin: before }, { origin: after }) {
  const earlier = new Map(before?.workers?.map(({ pid, requests }) => [pid, requests]))
  const served = after?.workers?.map(({ pid, requests }) => requests - (earlier.get(pid) ?? 0)) ?? []
  const total = served.reduce((sum, requests) => sum + requests, 0)
  return served.length > 1 && total > 0 ? { busiestWorker: Math.max(...served) / (total / served.length) } : {}
}
