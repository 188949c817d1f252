/** What an engine cannot do of what a load asks for (pure): asked before anything starts, and again of the engine that
 * takes another one's place. */

import { HopbenchError } from '../errors.js'
import { tlsOf } from '../plan/tls.js'

/** @import { Arm, EngineAbout, EnginePlugin, Load, ProtocolAbout, Target, Topology } from '../types.js' */

/** What the load meets. unix: the target is a Unix socket; tls: it answers over TLS; sessions: it lets them be resumed;
 * http2: it speaks HTTP/2; uncounted: it counts no requests
 * @typedef {{ unix: boolean, tls: boolean, sessions: boolean, http2: boolean, uncounted?: boolean }} Facts */
/** @typedef {Partial<Pick<ProtocolAbout, 'paused' | 'clientCounts'>>} Way how trials are made */

/** @type {NonNullable<EngineAbout['methods']>} */
const GET_ONLY = { withBody: [], without: ['GET'] }

/** Every front listens on TCP, but for a command that can do no such thing. @param {Topology} topology
 * @returns {Facts} */
export function factsOf (topology) {
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

/** @param {EngineAbout} about @param {{ load: Load, facts: Facts, protocol: Way }} asked
 * @returns {string | null} what it cannot do, to be read after "cannot"; null: it can do all of it */
export function refusal (about, { load, facts, protocol }) {
  return pace(about, load, protocol) ?? target(about, facts) ?? connections(about, load, facts) ??
    requests(about, load) ?? sessions(about, load, facts) ?? counts(about, facts, protocol) ??
    time(about, load, protocol)
}

/** @param {EnginePlugin} engine @param {Arm} arm @param {Way} protocol @param {Target} [target] where it is up already
 * @throws {HopbenchError} engine-cannot */
export function refuseImpossible ({ about }, { name, topology, load }, protocol, target) {
  const facts = { ...factsOf(topology), ...target && { unix: target.socketPath !== null } }
  const what = refusal(about, { load, facts, protocol })
  if (what !== null) throw new HopbenchError('engine-cannot', { engine: about.title, arm: name, what })
}

/** @param {Pick<Load, 'spawnPerSecond' | 'perUserPerSecond'>} load */
export const hasUsers = ({ spawnPerSecond, perUserPerSecond }) =>
  spawnPerSecond !== undefined || perUserPerSecond !== undefined

/** @param {EngineAbout} about @param {Load} load @param {Way} protocol */
function pace ({ closedLoop, rate, users = false }, load, protocol) {
  if (hasUsers(load)) {
    if (!users) return 'make users that wait between their requests'
    if (load.rate !== undefined || load.share !== undefined) return 'make users at a rate that does not depend on them'
    return protocol.paused ? 'be paused while its users wait' : null
  }
  if (users && !closedLoop && !rate) return 'load without users that wait between their requests'
  if (load.rate === undefined && load.share === undefined) return closedLoop ? null : 'load without a rate'
  if (!rate) return 'send at a rate'
  // What is scheduled during a pause would be sent at its end.
  return protocol.paused ? 'keep a schedule while it is paused' : null
}

/** @param {EngineAbout} about @param {Facts} facts */
function target ({ unixTarget, tls, http2, plain }, facts) {
  if (facts.unix && !unixTarget) return 'connect to a Unix socket'
  if (facts.tls && !tls) return 'speak TLS'
  if (!facts.tls && !plain) return 'speak HTTP without TLS'
  if (facts.http2 && !http2) return 'speak HTTP/2'
  return null
}

/** @param {EngineAbout} about @param {Load} load @param {Facts} facts */
function connections ({ freshConnections, keepAlive, mostConnections }, load, { http2 }) {
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

/** @param {EngineAbout} about @param {Load} load */
function requests ({ paths, headers, methods = GET_ONLY }, load) {
  if (load.paths && !paths) return 'go through a list of paths'
  const { method = 'GET', body } = load
  const can = body ? methods.withBody : methods.without
  if (body && body.bytes > (methods.mostBytes ?? Infinity)) return `send a body of more than ${methods.mostBytes} bytes`
  if (!can.includes(method)) return `send ${method} ${body ? 'with' : 'without'} a body`
  if (Object.keys(load.headers).length > 0 && !headers) return 'send headers of the load'
  return null
}

/** What is read between slices must be counted by someone. @param {EngineAbout} about @param {Facts} facts
 * @param {Way} protocol */
const counts = ({ counted }, { uncounted = false }, { paused }) =>
  uncounted && paused && counted === null ? 'have its requests counted while it runs, where no proxy counts them' : null

/** Kept connections shake hands once, before anything counts.
 * @param {EngineAbout} about @param {Load} load @param {Facts} facts */
function sessions ({ resumption }, { fresh = false, resume = false }, facts) {
  if (!fresh || !facts.tls) return null
  if (resume && resumption === 'never') return 'resume a TLS session'
  // Where the server lets nobody resume, no client does.
  if (!resume && resumption === 'always' && facts.sessions) return 'keep from resuming TLS sessions'
  return null
}

/** @param {EngineAbout} about @param {Load} load @param {Way} protocol */
function time ({ timeouts, timesItself }, { timeoutSeconds }, protocol) {
  if (protocol.clientCounts && !timesItself) return 'report for how long it has counted'
  if (timeoutSeconds === undefined) return null
  if (protocol.paused) return 'distinguish a late answer from the pause between two slices'
  return timeouts === null ? 'count answers that come too late' : null
}
