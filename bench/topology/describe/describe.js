/** Turns a topology into command lines, configuration texts and addresses (pure). */
import { join } from 'node:path'
import { getServedPrefixes } from '../../plan/file-prefixes.js'
import { usesSocket } from '../../plan/predicates.js'
import { getTlsSettings } from '../../plan/tls.js'
import { isSpread, sharesPort, countWorkers } from '../../plan/workers.js'
import { describeCommand, getListenWay } from './describe-command.js'
import { describeOrigin, describeProxy } from './describe-proxy.js'
import { describeServer } from './describe-server.js'

/** @import { Address, Description, Topology } from '../../types.js' */
/** @import { DescribeContext } from '../types.js' */

const LOOPBACK = '127.0.0.1'
/** Below the 5 s after which Node and uvicorn close an idle connection by default. */
const COMMAND_IDLE_SECONDS = 4

/**
 * @param {Topology} topology
 * @param {DescribeContext} context
 * @param {'measure' | 'home'} [purpose]
 * @returns {Description}
 * @throws {HopbenchError} bad-option, bad-topology, config-value, module-missing
 */
export function describe (topology, context, purpose = 'measure') {
  const { proxy, server } = topology
  const front = getFront(topology, context)
  const workers = server ? countWorkers(topology, context.cores ?? 1) : 0
  const upstreams = server && proxy ? getUpstreams(topology, context, workers) : null
  const addresses = upstreams ?? [front]
  const listens = sharesPort(topology) ? Array.from({ length: workers }, () => addresses[0]) : addresses
  const isNodeServer = server && !context.origin && !server.command
  return {
    target: { ...toTarget(front), ...toTlsTarget(topology, context) },
    originTarget: toTarget(listens[0]),
    server: isNodeServer && purpose === 'measure' ? describeServer(topology, context, listens, workers) : null,
    command: server?.command ? describeCommand(server.command, context, listens) : null,
    proxy: proxy && describeProxy(proxy, context, {
      listen: front,
      upstreams,
      purpose,
      files: getServedPrefixes(topology),
      ...server?.command && { idleSeconds: COMMAND_IDLE_SECONDS }
    }),
    origin: server && context.origin ? describeOrigin(server, context, { listen: listens[0], purpose }) : null
  }
}

/**
 * Returns the address that clients connect to.
 * @param {Topology} topology
 * @param {DescribeContext} context
 * @returns {Address}
 */
function getFront (topology, { dir, ports, address }) {
  const way = getListenWay(topology)
  if (topology.proxy || way === null || way === 'tcp') return toEndpoint(ports.front, address)
  return way === 'unix' ? { kind: 'unix', path: join(dir, 'app.sock') } : toEndpoint(way, address)
}

/**
 * @param {Topology} topology
 * @param {DescribeContext} context
 */
function toTlsTarget (topology, { ports, certificate, address = LOOPBACK }) {
  const tls = getTlsSettings(topology)
  if (!tls || !certificate) return {}
  return {
    url: `https://${address}:${ports.front}`,
    caFile: certificate.certFile,
    ...tls.http2 && { http2: true }
  }
}

/**
 * Returns the addresses of the server behind a proxy.
 * @param {Topology} topology
 * @param {DescribeContext} context
 * @param {number} workers
 * @returns {Address[]}
 */
function getUpstreams (topology, { dir, ports, confinement, beside }, workers) {
  const way = getListenWay(topology)
  if (typeof way === 'number') return [toEndpoint(way, beside?.host)]
  const isSocket = usesSocket(topology.proxy)
  const folder = confinement?.dir ?? beside?.dir ?? dir
  const toSocket = (/** @type {string} */ name) => /** @type {const} */ ({ kind: 'unix', path: join(folder, name) })
  if (!isSpread(topology)) return [isSocket ? toSocket('app.sock') : toEndpoint(ports.origin, beside?.host)]
  return Array.from({ length: workers },
    (_, i) => isSocket ? toSocket(`app-${i}.sock`) : toEndpoint(ports.origins?.[i] ?? ports.origin + i))
}

/**
 * @param {number} port
 * @param {string} [host]
 * @returns {Extract<Address, { kind: 'tcp' }>}
 */
const toEndpoint = (port, host = LOOPBACK) => ({ kind: 'tcp', host, port })

/** @param {Address} address */
const toTarget = address => address.kind === 'unix'
  ? { url: 'http://localhost', socketPath: address.path }
  : { url: `http://${address.host}:${address.port}`, socketPath: null }
