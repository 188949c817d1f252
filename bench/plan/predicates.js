/**
 * Predicates of topologies: the only definitions of what the options and the transport of a hop mean (pure). The
 * options that they read are off by default, so typed, stored and resolved options give the same result.
 */

/** @import { OptionValue, Topology } from '../types.js' */

/** Options that turn on compression, on the fly and ahead of time. */
export const COMPRESSION_OPTIONS = ['gzip', 'gzip_static', 'brotli', 'brotli_static']

/**
 * Options of a hop, or of a request to render its configuration. null: the topology has no such hop.
 * @typedef {{ options: Record<string, OptionValue> } | null} WithOptions
 */
/** Transport of a proxy, or of the upstream of its configuration. @typedef {{ transport: string | null } | null} Way */

/**
 * Returns whether an option is on. A typed "off" is stored as false, or as text where it is a choice of the option.
 * @param {unknown} value
 */
export const isOn = value => value !== undefined && value !== false && value !== 'off'

/** Returns whether the proxy caches responses. @param {Pick<Topology, 'proxy'>} topology */
export const isCached = ({ proxy }) => isOn(proxy?.options.cache)

/**
 * Returns whether all but the first responses must come from the proxy's cache. A configuration of your own can keep
 * the responses of an app out of its cache.
 * @param {Pick<Topology, 'proxy'>} topology
 */
export const mustHit = topology => isCached(topology) && topology.proxy?.config === undefined

/** Returns whether clients speak TLS with the front. @param {Pick<Topology, 'proxy' | 'server'>} topology */
export const hasTls = ({ proxy, server }) => isOn((proxy ?? server)?.options.tls)

/** Returns whether a proxy serves files of the app itself and passes on the rest. @param {WithOptions} proxy */
export const servesStatics = proxy => isOn(proxy?.options.static)

/** Returns whether a hop compresses responses. @param {WithOptions} hop */
export const compresses = hop => COMPRESSION_OPTIONS.some(name => isOn(hop?.options[name]))

/** Returns whether a hop compresses with Brotli. @param {WithOptions} hop */
export const usesBrotli = hop => isOn(hop?.options.brotli) || isOn(hop?.options.brotli_static)

/** Returns whether a hop is measured with its recommended configuration. @param {WithOptions} hop */
export const hasProduction = hop => isOn(hop?.options.production)

/** Returns whether an option lets a proxy pass on upgrades to WebSocket. @param {WithOptions} proxy */
export const passesUpgrades = proxy => isOn(proxy?.options.websocket) || hasProduction(proxy)

/** Returns whether a proxy keeps its connections to the server. @param {Way} way */
export const isPooled = way => way?.transport === 'keepalive' || way?.transport === 'uds-keepalive'

/** Returns whether a proxy reaches the server over a Unix socket. @param {Way} way */
export const usesSocket = way => way?.transport === 'uds' || way?.transport === 'uds-keepalive'
