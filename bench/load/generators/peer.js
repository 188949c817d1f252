/** The address to which the connections of a URL go (pure). */
import { isIP } from 'node:net'

/** @import { Load, Target } from '../../types.js' */

/** Ports that a URL leaves out (RFC 9110, section 4.2). @type {Record<string, number>} */
const DEFAULT_PORTS = { 'http:': 80, 'https:': 443 }

/**
 * Returns host, port and TLS server name. tls.connect() sends no server name of its own accord, and platforms choose
 * the certificate and the app by it. An IP address is no server name (RFC 6066, section 3).
 *
 * @param {URL} url
 * @param {string | null} [address] IP address that replaces the name in connections
 */
export function toPeer ({ protocol, hostname, port }, address) {
  const name = hostname.replace(/^\[|\]$/g, '')
  return { host: address ?? name, port: Number(port || DEFAULT_PORTS[protocol]), servername: isIP(name) ? '' : name }
}

/**
 * Replaces the name in the URL of a target by its address, for an engine that would resolve the name itself. The name
 * becomes the header Host.
 *
 * @param {Load} load
 * @param {Target} target
 * @returns {{ load: Load, target: Target }}
 */
export function withAddress (load, target) {
  if (target.address === undefined) return { load, target }
  const { protocol, host, port } = new URL(target.url)
  const address = isIP(target.address) === 6 ? `[${target.address}]` : target.address
  const url = `${protocol}//${address}${port === '' ? '' : `:${port}`}`
  const hasHost = Object.keys(load.headers).some(name => name.toLowerCase() === 'host')
  return { load: hasHost ? load : { ...load, headers: { Host: host, ...load.headers } }, target: { ...target, url } }
}
