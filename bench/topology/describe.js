/** Topology → what to start: configuration text, command lines and addresses (pure). */
import { join } from 'node:path'
import { tlsOf } from '../plan/tls.js'
import { isSpread, sharesPort, workersOf } from '../plan/workers.js'
import { describeCommand, wayOf } from './describe-command.js'
import { describeOrigin, describeProxy } from './describe-proxy.js'
import { describeServer } from './describe-server.js'

/** @import { Address, DescribeContext, Description, Endpoint, Topology } from '../types.js' */

const LOOPBACK = '127.0.0.1'

/** @param {Topology} topology @param {DescribeContext} context @param {'measure' | 'home'} [purpose]
 * @returns {Description} @throws {HopbenchError} bad-option, bad-topology, config-value, module-missing */
export function describe (topology, context, purpose = 'measure') {
  const { proxy, server } = topology
  const way = wayOf(topology)
  const front = proxy || way === null ? tcp(context.ports.front, context.address) : frontOf(way, context)
  const workers = server ? workersOf(topology, context.cores ?? 1) : 0
  const behind = server && proxy ? originAddresses(topology, context, workers) : null
  const addresses = behind ?? [front]
  const served = sharesPort(topology) ? Array.from({ length: workers }, () => addresses[0]) : addresses
  return {
    target: { ...targetOf(front), ...overTls(topology, context) },
    originTarget: targetOf(served[0]),
    server: server && !context.origin && !server.command && purpose === 'measure'
      ? describeServer(topology, context, served, workers)
      : null,
    command: server?.command ? describeCommand({ ...server, command: server.command }, context, served) : null,
    proxy: proxy && describeProxy(proxy, context, { listen: front, origins: behind, purpose }),
    origin: server && context.origin ? describeOrigin(server, context, { listen: served[0], purpose }) : null
  }
}

/** @param {Topology} topology @param {DescribeContext} context */
function overTls (topology, { ports, certificate, address = LOOPBACK }) {
  const tls = tlsOf(topology)
  if (!tls || !certificate) return {}
  return {
    url: `https://${address}:${ports.front}`,
    caFile: certificate.certFile,
    ...tls.http2 && { http2: true }
  }
}

/** @param {Topology} topology @param {DescribeContext} context @param {number} workers @returns {Address[]} */
function originAddresses (topology, { dir, ports }, workers) {
  const socket = (/** @type {string} */ name) => /** @type {const} */ ({ kind: 'unix', path: join(dir, name) })
  const isSocket = topology.proxy?.transport?.startsWith('uds')
  const way = wayOf(topology)
  if (typeof way === 'number') return [tcp(way)]
  if (!isSpread(topology)) return [isSocket ? socket('app.sock') : tcp(ports.origin)]
  return Array.from({ length: workers },
    (_, i) => isSocket ? socket(`app-${i}.sock`) : tcp(ports.origins?.[i] ?? ports.origin + i))
}

/** Of a command without a proxy. @param {'tcp' | 'unix' | number} way @param {DescribeContext} context
 * @returns {Address} */
const frontOf = (way, { dir, ports, address }) => way === 'unix'
  ? { kind: 'unix', path: join(dir, 'app.sock') }
  : tcp(way === 'tcp' ? ports.front : way, address)

/** @param {number} port @param {string} [host] @returns {Endpoint} */
const tcp = (port, host = LOOPBACK) => ({ kind: 'tcp', host, port })

/** @param {Address} address */
const targetOf = address => address.kind === 'unix'
  ? { url: 'http://localhost', socketPath: address.path }
  : { url: `http://${address.host}:${address.port}`, socketPath: null }
