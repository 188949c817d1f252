/** TLS settings of the hop that clients connect to (pure). */

import { hasTls } from './predicates.js'

/** @import { TlsSettings, Topology } from '../types.js' */

/**
 * Keys by the value of the option `tls`, with types and curves as in node:crypto.
 * @type {Record<string, { keyType: 'rsa' | 'ec', bits?: number, curve?: string }>}
 */
export const KEY_KINDS = {
  rsa2048: { keyType: 'rsa', bits: 2048 },
  rsa4096: { keyType: 'rsa', bits: 4096 },
  'ecdsa-p256': { keyType: 'ec', curve: 'prime256v1' }
}

/**
 * Returns the TLS settings of a topology. All hops use the same option names: TLS_OPTIONS in
 * bench/topology/option-specs.js.
 * @param {Pick<Topology, 'proxy' | 'server'>} topology
 * @returns {TlsSettings | null} null: plain HTTP
 */
export function getTlsSettings ({ proxy, server }) {
  const { tls, tls_version: version = 1.3, tls_session: sessions, http2 } = (proxy ?? server)?.options ?? {}
  if (!hasTls({ proxy, server })) return null
  return { kind: String(tls), version: Number(version), sessions: sessions === true, http2: http2 === true }
}

/**
 * Returns OpenSSL's name of the cipher: the strongest that TLS 1.2 and 1.3 have in common, which the published figures
 * also used.
 * @param {Pick<TlsSettings, 'kind' | 'version'>} settings
 */
export const getCipherName = ({ kind, version }) => version === 1.3
  ? 'TLS_AES_256_GCM_SHA384'
  : `ECDHE-${KEY_KINDS[kind].keyType === 'rsa' ? 'RSA' : 'ECDSA'}-AES256-GCM-SHA384`
