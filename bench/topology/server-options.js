/** What a Node server's word may ask for, whatever the server: wrong options are refused by name (pure). */
import { HopbenchError } from '../errors.js'
import { tlsOf } from '../plan/tls.js'
import { resolveOptions } from '../plan/topology-options.js'
import { TLS_OPTIONS } from './option-specs.js'

/** @import { OptionSpec, OptionValue, ServerAbout, ServerHop } from '../types.js' */

/** @type {Record<string, OptionSpec>} */
export const SERVER_OPTIONS = { ...TLS_OPTIONS }

/** @param {ServerHop} hop @param {{ isFront: boolean, about?: ServerAbout | null }} place isFront: clients talk to it;
 * about: left out, or null: of a person's own module
 * @returns {Record<string, OptionValue>} the server's own options @throws {HopbenchError} bad-option */
export function resolveServerOptions (hop, { isFront, about }) {
  const { name, options } = hop
  const own = about?.options ?? {}
  const resolved = resolveOptions(name, { ...SERVER_OPTIONS, ...own }, options)
  const refuse = (/** @type {string} */ option, /** @type {string} */ why, /** @type {string} */ remedy) => {
    throw new HopbenchError('bad-option',
      { option: `The option ${option} of ${name}`, value: options[option], why, remedy })
  }
  const tls = tlsOf({ proxy: null, server: hop })
  if (tls && !isFront) refuse('tls', 'the proxy in front asks it in plain HTTP', 'Write +tls at the proxy in front.')
  if (tls?.http2 && about?.http1Only) {
    refuse('http2', about.http1Only, `Let a proxy speak HTTP/2: nginx:uds-keepalive+tls=${tls.kind}+http2/${name}`)
  }
  return Object.fromEntries(Object.keys(own).map(option => [option, resolved[option]]))
}
