/** How the hop that clients talk to answers them over TLS (pure). */

/** @import { TlsSettings, Topology } from '../types.js' */

/**
 * By the value of the option `tls`; types and curves as node:crypto calls them.
 * @type {Record<string, { keyType: 'rsa' | 'ec', bits?: number, curve?: string }>}
 */
export const KEY_KINDS = {
  rsa2048: { keyType: 'rsa', bits: 2048 },
  rsa4096: { keyType: 'rsa', bits: 4096 },
  'ecdsa-p256': { keyType: 'ec', curve: 'prime256v1' }
}

/** @param {Pick<Topology, 'proxy' | 'server'>} topology */
export const frontOf = ({ proxy, server }) => proxy ?? server

/**
 * Its options are called the same whatever the hop: TLS_OPTIONS in bench/topology/option-specs.js.
 * @param {Pick<Topology, 'proxy' | 'server'>} topology
 * @returns {TlsSettings | null} null: it answers in plain HTTP
 */
export function tlsOf (topology) {
  const { tls = 'off', tls_version: version = 1.3, tls_session: sessions, http2 } = frontOf(topology)?.options ?? {}
  if (tls === 'off' || tls === false) return null
  return { kind: String(tls), version: Number(version), sessions: sessions === true, http2: http2 === true }
}

/**
 * The strongest that both versions have in common, and the one of the published figures, as OpenSSL calls it.
 * @param {Pick<TlsSettings, 'kind' | 'version'>} settings
 */
export const cipherOf = ({ kind, version }) => version === 1.3
  ? 'TLS_AES_256_GCM_SHA384'
  : `ECDHE-${KEY_KINDS[kind].keyType === 'rsa' ? 'RSA' : 'ECDSA'}-AES256-GCM-SHA384`
