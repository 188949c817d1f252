/** Builds the options of a hop: type, default, description, and where the option has an effect. */
import { KEY_KINDS } from '../plan/tls.js'
import { CURRENT, INSTALLED, RELEASES } from '../shared/releases.js'

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

/** Level of gzip. @type {(value: number, name: string, more?: More) => OptionSpec} */
export const gzipLevel = (value, name, more) =>
  number(value, `${name}: 1 (fast) to 9 (small)`, { needs: 'gzip', choices: [1, 2, 3, 4, 5, 6, 7, 8, 9], ...more })

/** Distribution of requests over several processes of a server. */
export const BALANCE = choice('none', ['none', 'round-robin', 'least-conn'],
  'distribution of requests over processes with an address each (server@node:4)', { for: 'app' })

/** The measured configuration has no limit, because what it sends has a known size. */
export const MAX_BODY = number(20, 'largest body of a request in MiB, in a recommended configuration', { for: 'app' })

/**
 * The names of the site. A measurement has none, because its load names the address of the proxy.
 * @type {OptionSpec}
 */
export const SITE_HOSTS = {
  type: 'string',
  default: 'any',
  help: 'names of the site, separated by commas (example.com,www.example.com), in a recommended configuration: other ' +
    'hosts get 421',
  for: 'app'
}

/** The access log of a measured recommended configuration. Its name does not end in .log, so that it is not stored. */
export const ACCESS_LOG = 'access.combined'

/** Lets a proxy count its requests. Recommended configurations have no metrics. */
export const METRICS = flag(true, 'metrics, which count the requests; off, as recommended: the server counts them',
  { for: 'app' })

/** Lets a proxy serve the files of an app: the folders of --files, or those of a built-in server. */
export const STATIC = flag(false, 'serves the files of --files itself, and passes the rest on', { for: 'app' })

/** Makes the files those of a single-page app. */
export const SPA = flag(false, 'single-page app: paths of pages without a file get index.html', { for: 'files' })

/** Files as a distribution's package serves them, against which `hopbench check` compares the recommended ones. */
export const SHIPPED = flag(false, 'files as the default site of Debian\'s package serves them, for hopbench check',
  { for: 'files' })

/** Lets the recommended configuration be measured. */
export const PRODUCTION = flag(false, 'measures the recommended configuration: its headers, limits, cache rules and ' +
  'access log. Addresses, workers, TLS and the timeouts that a pause would exceed stay those of a measurement',
{ for: 'app' })

/** Without it the measured configurations of some proxies pass on no upgrade, as those of plain HTTP do. */
export const WEBSOCKET = flag(false, 'passes on upgrades to WebSocket, as the recommended configuration does',
  { for: 'app' })
/** Reason of proxies that need no such option. */
export const NO_WEBSOCKET_OPTION = 'it passes on upgrades to WebSocket without an option'

/** Lets a program of another release stand beside the installed one. @type {OptionSpec} */
export const RELEASE = {
  type: 'release',
  default: INSTALLED,
  help: `Debian release of the program, which is fetched: ${Object.keys(RELEASES).join(', ')}; ${CURRENT}: the ` +
    'newest version that one of them has; or a version, as in 1.30'
}

export const BACKLOG = number(4096, 'length of the accept queue; the kernel limits it to net.core.somaxconn')

/** TLS options of any hop that clients connect to. */
export const TLS_OPTIONS = {
  tls: choice('off', ['off', ...Object.keys(KEY_KINDS)], 'HTTPS with a certificate of this kind'),
  tls_version: number(1.3, 'the only TLS version offered', { choices: [1.2, 1.3], needs: 'tls' }),
  tls_session: flag(false, 'session resumption; without it every connection makes a full handshake', { needs: 'tls' }),
  http2: flag(false, 'HTTP/2 for clients that offer it; browsers use it over TLS only', { needs: 'tls' })
}
