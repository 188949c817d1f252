/** What a hop's options are, in a line each: type, default, words for a person, and where they have a meaning. */
import { KEY_KINDS } from '../plan/tls.js'

/** @import { OptionSpec, OptionValue } from '../types.js' */
/** @typedef {Pick<OptionSpec, 'choices' | 'for' | 'needs' | 'wholeSeconds'>} More */

/** @type {(value: boolean, help: string, more?: More) => OptionSpec} */
export const flag = (value, help, more) => ({ type: 'boolean', default: value, help, ...more })
/** @type {(value: number | 'auto', help: string, more?: More) => OptionSpec} */
export const number = (value, help, more) => ({ type: 'number', default: value, help, ...more })
/** @type {(value: string, help: string, more?: More) => OptionSpec} */
export const duration = (value, help, more) => ({ type: 'duration', default: value, help, ...more })
/** @type {(value: OptionValue, choices: OptionValue[], help: string, more?: More) => OptionSpec} */
export const choice = (value, choices, help, more) => ({ type: 'string', default: value, choices, help, ...more })

/** Of whatever answers clients over TLS. */
export const TLS_OPTIONS = {
  tls: choice('off', ['off', ...Object.keys(KEY_KINDS)], 'HTTPS with a certificate of this kind'),
  tls_version: number(1.3, 'the one version that is offered', { choices: [1.2, 1.3], needs: 'tls' }),
  tls_session: flag(false, 'clients may resume a session; without it every connection makes a full handshake',
    { needs: 'tls' }),
  http2: flag(false, 'HTTP/2 for clients that ask for it; browsers do so over TLS only', { needs: 'tls' })
}
