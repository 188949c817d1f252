/** Checks whether an engine can make a load (pure): before anything starts, and again for an engine that replaces
 * another one. */

import { HopbenchError } from '../errors.js'
import { findMix } from '../plan/request-mix.js'
import { getTlsSettings } from '../plan/tls.js'
import { toPeer } from './generators/peer.js'

/** @import { Arm, EngineAbout, EnginePlugin, Load, ProtocolAbout, Target, Topology } from '../types.js' */

/**
 * @typedef {object} Facts what the load meets
 * @property {boolean} unix the target is a Unix socket
 * @property {boolean} tls
 * @property {boolean} sessions TLS sessions can be resumed
 * @property {boolean} http2
 * @property {boolean} [uncounted] the target counts no requests
 * @property {boolean} [named] the server is chosen by the name in an https URL, so that the engine must connect to an
 *   address and send the name
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
  const tls = getTlsSettings(topology)
  const command = proxy ? undefined : server?.command
  return {
    unix: command?.listen.every(way => way === 'unix') ?? false,
    tls: url?.startsWith('https:') ?? tls !== null,
    sessions: tls?.sessions ?? false,
    http2: tls?.http2 ?? false,
    ...command && { uncounted: true },
    ...url?.startsWith('https:') && toPeer(new URL(url)).servername !== '' && { named: true }
  }
}

/**
 * Returns what an engine cannot do, as the words that follow "cannot".
 * @param {EngineAbout} about
 * @param {{ load: Load, facts: Facts, protocol: TrialKind }} order
 * @returns {string | null} null: the engine can make this load
 */
export const findRefusal = (about, order) =>
  listRules(about, order).find(([isImpossible]) => isImpossible)?.[1] ?? null

/**
 * @param {EnginePlugin} engine
 * @param {Arm} arm
 * @param {TrialKind} protocol
 * @param {Target} [target] if the arm is up
 * @throws {HopbenchError} engine-cannot
 */
export function rejectImpossible ({ about }, { name, topology, load }, protocol, target) {
  const facts = { ...getTargetFacts(topology), ...target && { unix: target.socketPath !== null } }
  const what = findRefusal(about, { load, facts, protocol })
  if (what !== null) throw new HopbenchError('engine-cannot', { engine: about.title, arm: name, what })
}

/** Whether a load consists of users that wait between their requests.
 * @param {Pick<Load, 'spawnPerSecond' | 'perUserPerSecond'>} load */
export const hasUsers = ({ spawnPerSecond, perUserPerSecond }) =>
  spawnPerSecond !== undefined || perUserPerSecond !== undefined

/** @param {Load} load */
const hasRate = ({ rate, share }) => rate !== undefined || share !== undefined

/** @typedef {[isImpossible: unknown, what: string]} Rule */

/**
 * @param {EngineAbout} about
 * @param {{ load: Load, facts: Facts, protocol: TrialKind }} order
 * @returns {Rule[]} in the order of precedence
 */
function listRules (about, { load, facts, protocol }) {
  const { fresh, resume, streams = 1, connections, method = 'GET', body, paths, requests, timeoutSeconds } = load
  const { withBody, without, mostBytes = Infinity } = about.methods ?? GET_ONLY
  const isSendable = (body ? withBody : without).includes(method)
  // Kept connections do not matter for sessions, because their handshakes are over before the measurement.
  const opensTls = fresh && facts.tls
  // Slices need counts that can be read between them.
  const mustBeCounted = facts.uncounted && protocol.paused
  return [
    ...hasUsers(load) ? listUserRules(about, load, protocol) : listPaceRules(about, load, protocol),
    // The target.
    [facts.unix && !about.unixTarget, 'connect to a Unix socket'],
    [facts.tls && !about.tls, 'speak TLS'],
    [facts.named && !about.takesAddress, 'connect to the checked address of a URL with https'],
    [!facts.tls && !about.plain, 'speak HTTP without TLS'],
    [facts.http2 && !about.http2, 'speak HTTP/2'],
    // Connections and requests.
    [streams > 1 && !facts.http2, 'have several requests in flight on a connection of HTTP/1.1'],
    [streams > 1 && fresh, 'have several requests in flight on a connection that is for one'],
    [fresh && !about.freshConnections, 'open a new connection for every request'],
    [!fresh && !about.keepAlive, 'keep its connections open'],
    [connections > (about.mostConnections ?? Infinity),
      `make load on more than ${about.mostConnections} connections at once`],
    [(paths ?? requests) && !about.paths, 'go through a list of paths'],
    [requests?.some(({ method }) => method) && !about.requests, 'send a list of requests with methods of their own'],
    [requests && !about.requests,
      'send a list of requests with headers of their own (--header \'Accept: */*\' makes them equal)'],
    [body && body.bytes > mostBytes, `send a body of more than ${mostBytes} bytes`],
    [!isSendable, `send ${method} ${body ? 'with' : 'without'} a body`],
    [Object.keys(load.headers).length > 0 && !about.headers, 'send headers of the load'],
    // TLS sessions.
    [opensTls && resume && about.resumption === 'never', 'resume a TLS session'],
    // If the server allows no resumption, the client's habit does not matter.
    [opensTls && !resume && facts.sessions && about.resumption === 'always', 'keep from resuming TLS sessions'],
    // Counts and times.
    [mustBeCounted && about.counted === null, 'have its requests counted while it runs, where no proxy counts them'],
    // A larger body takes several calls of write(2), each of which would count as a request.
    [mustBeCounted && findLargestBody(load) > (about.countedBytes ?? Infinity),
      `have requests with a body of more than ${about.countedBytes} bytes counted, where no proxy counts them`],
    [protocol.clientCounts && !about.timesItself, 'report for how long it has counted'],
    [timeoutSeconds !== undefined && protocol.paused, 'distinguish a late response from the pause between two slices'],
    [timeoutSeconds !== undefined && about.timeouts === null, 'count responses that are too late']
  ]
}

/**
 * @param {EngineAbout} about
 * @param {Load} load with users
 * @param {TrialKind} protocol
 * @returns {Rule[]}
 */
const listUserRules = ({ users }, load, protocol) => [
  [!users, 'make users that wait between their requests'],
  [hasRate(load), 'make users at a rate that does not depend on them'],
  [protocol.paused, 'be paused while its users wait']
]

/**
 * @param {EngineAbout} about
 * @param {Load} load without users
 * @param {TrialKind} protocol
 * @returns {Rule[]}
 */
const listPaceRules = ({ closedLoop, rate, users }, load, protocol) => [
  [users && !closedLoop && !rate, 'load without users that wait between their requests'],
  [!hasRate(load) && !closedLoop, 'load without a rate'],
  [hasRate(load) && !rate, 'send at a rate'],
  // Requests that are scheduled during a pause would be sent together at its end.
  [hasRate(load) && protocol.paused, 'keep a schedule while it is paused']
]

/** Returns the bytes of the largest body. @param {Load} load */
const findLargestBody = load =>
  Math.max(...[load, ...findMix(load)?.requests ?? []].map(({ body }) => body?.bytes ?? 0))
