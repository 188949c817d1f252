/** A topology as a chain of hops, with the facts that were verified about each connection. */
import { count, isNumber, NONE, percent } from '../../shared/format.js'
import { getProgramKey } from '../../shared/releases.js'
import { getServedPrefixes } from '../../plan/file-prefixes.js'
import { findMix } from '../../plan/request-mix.js'
import { isCached } from '../../plan/predicates.js'

/** @import { ArmResult, OptionValue, RunRecord } from '../../types.js' */

/** @type {Record<string, string>} */
const TRANSPORTS = {
  tcp: 'TCP, a new connection for each request',
  keepalive: 'TCP, pooled connections',
  uds: 'Unix socket, a new connection for each request',
  'uds-keepalive': 'Unix socket, pooled connections'
}

/** Confinement of a server with known vulnerabilities. */
const CONFINED = {
  namespace: 'confined by a namespace',
  permissions: "confined by Node's permissions",
  nothing: 'not confined'
}

/**
 * @param {ArmResult} arm
 * @param {Pick<RunRecord, 'tools'>} record
 * @returns {{ name: string, spec: string, hops: { title: string, details: string[], edge: { title: string, proofs:
 * string[] } | null }[] }} edge: connection from the hop before; null: the client
 */
export function toChain (arm, { tools }) {
  const { topology: { proxy, server }, load } = arm
  const { engine, connections, path } = load
  const mix = findMix(load)
  const clientEdge = toClientEdge(arm)
  return {
    name: arm.name,
    spec: arm.spec,
    hops: [
      {
        title: withVersion(engine, tools),
        details: [`${count(connections)} connections`, mix ? `${count(mix.requests.length)} different requests` : path],
        edge: null
      },
      ...proxy
        ? [{ title: withVersion(getProgramKey(proxy), tools), details: optionTexts(proxy.options), edge: clientEdge }]
        : [],
      ...server
        ? [{
            title: server.name,
            details: [processText(server), ...optionTexts(server.options)],
            edge: proxy
              ? { title: TRANSPORTS[proxy.transport ?? ''] ?? NONE, proofs: upstreamProofs(arm) }
              : clientEdge
          }]
        : []
    ]
  }
}

/** @param {ArmResult} arm */
function toClientEdge ({ load, topology: { lab }, linkShare }) {
  return {
    title: load.fresh ? 'a connection for each request' : 'connections are kept',
    proofs: [
      ...Object.entries(lab?.sysctl ?? {}).map(([name, value]) => `${name}=${value}`),
      ...lab?.net ? ['a link of 1 Gbit/s'] : [],
      ...isNumber(linkShare) ? [`${percent(linkShare)} of the link used`] : []
    ]
  }
}

/** @type {(name: string, tools: Record<string, string>) => string} */
const withVersion = (name, tools) => tools[name] ? `${name} ${tools[name]}` : name

/** @type {(options: Record<string, OptionValue>) => string[]} */
const optionTexts = options =>
  Object.entries(options).map(([name, value]) => value === true ? name : `${name}=${value}`)

/** @param {{ manager: string, instances: number | 'max' }} server */
function processText ({ manager, instances }) {
  if (manager === 'node' && instances === 1) return 'one process'
  return `${manager}, ${instances === 'max' ? 'a process for each core' : `${instances} processes`}`
}

/**
 * Returns the counts of the connections between proxy and server.
 * @param {ArmResult} arm
 */
function upstreamProofs ({ topology, proof }) {
  const { upstreamConnectionsPerRequest: connections, cacheHitRatio, filesAtServer, socketType, confinedBy } = proof
  const servesFiles = getServedPrefixes(topology).length > 0
  return [
    ...isNumber(connections) ? [`${connectionsText(connections)} connections a request`] : [],
    ...isCached(topology) && isNumber(cacheHitRatio) ? [`cache: ${percent(cacheHitRatio)} hits`] : [],
    ...servesFiles && isNumber(filesAtServer) ? [`${count(filesAtServer)} requests for files`] : [],
    ...socketType === 'none' ? [] : [`socket: ${socketType}`],
    ...confinedBy ? [CONFINED[confinedBy]] : []
  ]
}

/** @param {number} perRequest */
function connectionsText (perRequest) {
  if (perRequest < 0.0005) return 'under 0.001'
  return perRequest.toFixed(perRequest >= 0.0995 ? 2 : 3)
}
