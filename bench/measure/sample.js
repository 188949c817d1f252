/** Two readings → what lies between them, as a sample (pure). */
import { linkUse } from './net.js'
import { cpuSecondsBetween } from '../machine/probe.js'
import { isErrorStatus } from '../shared/trial.js'

/** @import { Arm, FrontCounts, Sample } from '../types.js' @import { Reading, Seen } from './shapes.js' */

/** @param {Reading} before @param {Reading} after
 * @returns what was counted and used between the two; null: a reading could not be made */
export function between (before, after) {
  const front = before.front && after.front && {
    requests: after.front.requests - before.front.requests,
    connections: accepted(before.front, after.front),
    seconds: after.front.atSeconds - before.front.atSeconds
  }
  // Two clocks, read one after the other while requests are under way: CPU time is scaled to the front's.
  const scale = (/** @type {{ atSeconds?: number }} */ from, /** @type {{ atSeconds?: number }} */ to) =>
    front && from.atSeconds !== undefined && to.atSeconds !== undefined
      ? front.seconds / (to.atSeconds - from.atSeconds)
      : 1
  const served = scale(before, after)
  return {
    front,
    origin: before.origin && after.origin && {
      requests: after.origin.requests - before.origin.requests,
      connections: after.origin.connections - before.origin.connections,
      lost: after.origin.lost - before.origin.lost
    },
    units: (after.units ?? 0) - (before.units ?? 0),
    non2xx: (after.front?.non2xx ?? 0) - (before.front?.non2xx ?? 0) +
      after.noted.filter(({ status }) => isErrorStatus(status)).length,
    linkBytes: before.linkBytes === null || after.linkBytes === null ? null : after.linkBytes - before.linkBytes,
    cpuSeconds: {
      // It may be on another machine, by whose clock it is read.
      load: before.load && after.load
        ? (after.load.seconds - before.load.seconds) * scale(before.load, after.load)
        : 0,
      proxy: cpuSecondsBetween(before.cpu.proxy, after.cpu.proxy) * served,
      server: cpuSecondsBetween(before.cpu.server, after.cpu.server) * served
    }
  }
}

/** The connections that a pool may still open: one for each client. Where a machine is slow, or an app, slices begin
 * before all of them are open. @param {Arm} arm @param {Pick<Reading, 'origin'>} [before] left out: none is open
 * @returns {number} 0: it keeps none */
export function poolOf ({ topology, load }, before) {
  if (!topology.proxy?.transport?.endsWith('keepalive')) return 0
  return Math.max(0, load.connections - (before?.origin?.connections || 0))
}

/** @param {FrontCounts} before @param {FrontCounts} after */
const accepted = (before, after) =>
  before.connections === null || after.connections === null ? null : known(after.connections - before.connections)

/** @param {number} count @returns {number | null} null: unknown */
const known = count => Number.isNaN(count) ? null : count

/** @param {Reading} before @param {Reading} after @param {Seen} seen
 * @returns {Pick<Sample, 'requests' | 'seconds' | 'rps' | 'errors' | 'cpuSeconds' | 'linkShare' | 'originRequests' |
 * 'proof'>} */
export function sampleBetween (before, after, seen) {
  const { unit, report, errors } = seen
  const span = between(before, after)
  const seconds = report?.seconds ?? span.front?.seconds ?? NaN
  const units = !report ? span.units : unit === 'bytes' ? report.measurement.bytes ?? 0 : report.measurement.requests
  // An answer that is an error is no service: it costs next to nothing, and would flatter.
  const wrong = report ? errors.non2xx : Math.max(span.non2xx, errors.non2xx)
  const requests = unit === 'bytes' ? units : Math.max(0, units - wrong)
  return {
    requests,
    seconds,
    rps: requests / seconds,
    errors,
    cpuSeconds: {
      ...span.cpuSeconds,
      load: report?.cpuSeconds ?? span.cpuSeconds.load,
      idle: seen.idleSeconds ?? 0
    },
    ...linkUse(seen.network, span.linkBytes, seconds),
    ...proofBetween([before, after], seen)
  }
}

/** @param {Reading} before @param {Reading} after
 * @returns {{ busiestWorker?: number }} nothing where there are no several workers, or they have not been asked */
function evenness ({ origin: before }, { origin: after }) {
  const had = new Map(before?.workers?.map(({ pid, requests }) => [pid, requests]))
  const served = after?.workers?.map(({ pid, requests }) => requests - (had.get(pid) ?? 0)) ?? []
  const total = served.reduce((sum, requests) => sum + requests, 0)
  return served.length > 1 && total > 0 ? { busiestWorker: Math.max(...served) / (total / served.length) } : {}
}

/** @param {[Reading, Reading]} readings @param {Seen} seen @returns {Pick<Sample, 'originRequests' | 'proof'>} */
function proofBetween (readings, { running: { proxied, confinedBy }, report, atRest = readings, pool = 0 }) {
  const { front } = between(...readings)
  const rest = between(...atRest)
  const behind = proxied ? rest.origin : null
  const answered = rest.front?.requests ?? (report ? report.measurement.requests + report.sampled : 0)
  return {
    ...report && { originRequests: behind?.requests ?? null },
    proof: {
      upstreamConnectionsPerRequest: behind && behind.requests > 0
        ? known(Math.max(0, behind.connections - pool) / behind.requests)
        : null,
      // A request under way, or one on a busy machine, may be counted behind the proxy and not yet in front of it.
      cacheHitRatio: behind && Math.max(0, 1 - behind.requests / Math.max(1, answered)),
      // Of an engine that ends by itself only users say what they mean: who loses a connection opens another one.
      ...(!report || (report.measurement.users && front)) && {
        clientConnectionsPerRequest: front?.connections == null
          ? null
          : front.connections / Math.max(1, front.requests)
      },
      cacheExpiries: behind && atRest[1].noted.filter(({ cache }) => cache === 'EXPIRED').length,
      socketType: atRest[1].origin?.listening ?? 'none',
      ...evenness(...atRest),
      ...confinedBy && { confinedBy }
    }
  }
}
