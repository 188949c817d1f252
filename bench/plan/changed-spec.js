/** Changes of topologies that are written as words (pure). */
import { isOn, usesSocket } from './predicates.js'
import { parse, print } from './spec.js'

/** @import { OptionValue, Transport } from '../types.js' */

/** Proxy that advice puts in front of an app, because deploy kits have no other. */
const PROXY = 'nginx'

/** Name of the app under the line of Node for production, in topologies. */
export const OTHER_NODE = 'lts'
/** Arm of a configuration of your own, in place of a topology. */
export const YOURS = 'your configuration'

/** Returns whether a topology has a proxy. @param {string} spec */
export const hasProxy = spec => parse(spec).proxy !== null

/**
 * Returns whether the proxy of a topology has an option on.
 * @param {string} spec
 * @param {string} option
 */
export const hasOption = (spec, option) => isOn(parse(spec).proxy?.options[option])

/**
 * Returns the topology with nginx in front of it. A topology that has a proxy keeps it.
 * @param {string} spec
 * @param {Transport} [transport]
 */
export function withProxy (spec, transport = 'keepalive') {
  const topology = parse(spec)
  return topology.proxy ? spec : print({ ...topology, proxy: { name: PROXY, transport, options: {} } })
}

/**
 * Returns the topology with an option of its proxy, which is added where there is none.
 * @param {string} spec
 * @param {string} option
 * @param {OptionValue} [value]
 * @param {Transport} [transport] of a proxy that is added
 */
export function withOption (spec, option, value = true, transport = 'keepalive') {
  const { proxy, ...topology } = parse(withProxy(spec, transport))
  return print({ ...topology, proxy: proxy && { ...proxy, options: { ...proxy.options, [option]: value } } })
}

/**
 * Returns the topology with another transport between its proxy and the server.
 * @param {string} spec
 * @param {Transport} transport
 */
export function withTransport (spec, transport) {
  const { proxy, ...topology } = parse(spec)
  return print({ ...topology, proxy: proxy && { ...proxy, transport } })
}

/** Returns whether the proxy of a topology reaches the server over a Unix socket. @param {string} spec */
export const isOverSocket = spec => usesSocket(parse(spec).proxy)

/**
 * Returns the topology with several processes of the app, over which its proxy spreads requests.
 * @param {string} spec with a proxy
 * @param {number} instances
 */
export function withProcesses (spec, instances) {
  const { server, ...topology } = parse(withOption(spec, 'balance', 'round-robin'))
  return print({ ...topology, server: server && { ...server, instances } })
}
