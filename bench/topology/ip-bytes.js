/** Bytes of an IP address (pure). */
import { isIPv4 } from 'node:net'

const GROUPS_OF_IPV6 = 8

/**
 * @param {string} address IPv4, or IPv6 without a zone
 * @returns {number[]} 4 or 16 bytes
 */
export function toIpBytes (address) {
  if (isIPv4(address)) return address.split('.').map(Number)
  // A URL has IPv6 in its canonical form, without a dotted part.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [head, tail] = canonical.split('::').map(part => part.split(':').filter(Boolean))
  const zeros = Array(GROUPS_OF_IPV6 - head.length - (tail?.length ?? 0)).fill('0')
  return [...head, ...zeros, ...tail ?? []].map(group => parseInt(group, 16)).flatMap(n => [n >> 8, n & 0xff])
}
