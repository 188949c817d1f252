/** Checks whether an engine can make a load (pure): before anything starts, and again for an engine that replaces
 * another one. */

import { HopbenchError } from '../errors.js'
import { tlsOf } from '../plan/tls.js'

/** @import { Arm, EngineAbout, EnginePlugin, Load, ProtocolAbout, Target, Topology } from '../types.js' */

/**
 * @typedef {object} Facts what the load meets
 * @property {boolean} unix the target is a Unix socket
 * @property {boolean} tls
 * @property {boolean} sessions TLS sessions can be resumed
 * @property {boolean} http2
 * @property {boolean} [uncounted] the target counts no requests
 */

/** @typedef {Partial<Pick<ProtocolAbout, 'paused' | 'clientCounts'>>} TrialKind */

/** @type {NonNullable<EngineAbout['methods']>} */
const GET_ONLY = { withBody: [], without: ['GET'] }

/**
 * Returns what a topology's front supports. Every front listens on TCP, except a command that cannot.
 * @param {Topology} topology
 * @returns {Facts}
 */
export function getTargetFacts (topology) {
  const { proxy, server, url } = topology
  const tls = tlsOf(topology)
  const command = proxy ? undefined : server?.command
  return {
    unix: command?.listen.every(way => way === 'unix') ?? false,
    tls: url?.startsWith('https:') ?? tls !== null,
    sessions: tls?.sessions ?? false,
    http2: tls?.http2 ?? false,
    ...command && { uncounted: true }
  }
}

/**
 * Returns what an engine cannot do, as the words that follow "cannot".
 * @param {EngineAbout} about
 * @param {{ load: Load, facts: Facts, protocol: TrialKind }} order
 * @returns {string | null} null: the engine can make this load
 */
export function findRefusal (about, { load, facts, protocol }) {
  return refusePace(about, load, protocol) ?? refuseTarget(about, facts) ?? refuseConnections(about, load, facts) ??
    refuseRequests(about, load) ?? refuseSessions(about, load, facts) ?? refuseCounts(about, facts, protocol) ??
    refuseTimes(about, load, protocol)
}

/**
 * @param {EnginePlugin} engine
 * @param {Arm} arm
 * @param {TrialKind} protocol
 * @param {Target} [target] if the arm is up
 * @throws {HopbenchError} engine-cannot
 */
export function refuseImpossible ({ about }, { name, topology, load }, protocol, target) {
  const facts = { ...getTargetFacts(topology), ...target && { unix: target.socketPath !== null } }
  const what = findRefusal(about, { load, facts, protocol })
  if (what !== null) throw new HopbenchError('engine-cannot', { engine: about.title, arm: name, what })
}

/** Whether a load consists of users that wait between their requests.
 * @param {Pick<Load, 'spawnPerSecond' | 'perUserPerSecond'>} load */
export const hasUsers = ({ spawnPerSecond, perUserPerSecond }) =>
  spawnPerSecond !== undefined || perUserPerSecond !== undefined

/**
 * @param {EngineAbout} about
 * @param {Load} load
 * @param {TrialKind} protocol
 */
function refusePace ({ closedLoop, rate, users = false }, load, protocol) {
  if (hasUsers(load)) {
    if (!users) return 'make users that wait between their requests'
    if (load.rate !== undefined || load.share !== undefined) return 'make users at a rate that does not depend on them'
    return protocol.paused ? 'be paused while its users wait' : null
  }
  if (users && !closedLoop && !rate) return 'load without users that wait between their requests'
  if (load.rate === undefined && load.share === undefined) return closedLoop ? null : 'load without a rate'
  if (!rate) return 'send at a rate'
  // Requests that are scheduled during a pause would be sent together at its end.
  return protocol.paused ? 'keep a schedule while it is paused' : null
}

/**
 * @param {EngineAbout} about
 * @param {Facts} facts
 */
function refuseTarget ({ unixTarget, tls, http2, plain }, facts) {
  if (facts.unix && !unixTarget) return 'connect to a Unix socket'
  if (facts.tls && !tls) return 'speak TLS'
  if (!facts.tls && !plain) return 'speak HTTP without TLS'
  if (facts.http2 && !http2) return 'speak HTTP/2'
  return null
}

/**
 * @param {EngineAbout} about
 * @param {Load} load
 * @param {Facts} facts
 */
function refuseConnections ({ freshConnections, keepAlive, mostConnections }, load, { http2 }) {
  if ((load.streams ?? 1) > 1) {
    if (!http2) return 'have several requests in flight on a connection of HTTP/1.1'
    if (load.fresh) return 'have several requests in flight on a connection that is for one'
  }
  if (load.fresh && !freshConnections) return 'open a new connection for every request'
  if (!load.fresh && !keepAlive) return 'keep its connections open'
  if (mostConnections !== null && load.connections > mostConnections) {
    return `make load on more than ${mostConnections} connections at once`
  }
  return null
}

/**
 * @param {EngineAbout} about
 * @param {Load} load
 */
function refuseRequests ({ paths, headers, methods = GET_ONLY }, load) {
  if (load.paths && !paths) return 'go through a list of paths'
  const { method = 'GET', body } = load
  const can = body ? methods.withBody : methods.without
  if (body && body.bytes > (methods.mostBytes ?? Infinity)) return `send a body of more than ${methods.mostBytes} bytes`
  if (!can.includes(method)) return `send ${method} ${body ? 'with' : 'without'} a body`
  if (Object.keys(load.headers).length > 0 && !headers) return 'send headers of the load'
  return null
}

/**
 * Slices need counts that can be read between them.
 * @param {EngineAbout} about
 * @param {Facts} facts
 * @param {TrialKind} protocol
 */
const refuseCounts = ({ counted }, { uncounted = false }, { paused }) =>
  uncounted && paused && counted === null ? 'have its requests counted while it runs, where no proxy counts them' : null

/**
 * Kept connections do not matter here, because their handshakes are over before the measurement.
 * @param {EngineAbout} about
 * @param {Load} load
 * @param {Facts} facts
 */
function refuseSessions ({ resumption }, { fresh = false, resume = false }, facts) {
  if (!fresh || !facts.tls) return null
  if (resume && resumption === 'never') return 'resume a TLS session'
  // If the server allows no resumption, the client's habit does not matter.
  if (!resume && resumption === 'always' && facts.sessions) return 'keep from resuming TLS sessions'
  return null
}

/**
 * @param {EngineAbout} about
 * @param {Load} load
 * @param {TrialKind} protocol
 */
function refuseTimes ({ timeouts, timesItself }, { timeoutSeconds }, protocol) {
  if (protocol.clientCounts && !timesItself) return 'report for how long it has counted'
  if (timeoutSeconds === undefined) return null
  if (protocol.paused) return 'distinguish a late answer from the pause between two slices'
  return timeouts === null ? 'count answers that come too late' : null
}
