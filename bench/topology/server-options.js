/** Options of a Node server: its runtime, flags, listening sockets and TLS (pure). */
import semver from 'semver'
import { HopbenchError } from '../errors.js'
import { OWN, getNodeVersion, getServerRuntime, runtimes } from '../plan/runtimes.js'
import { usesSocket } from '../plan/predicates.js'
import { getTlsSettings } from '../plan/tls.js'
import { resolveOptions } from '../plan/topology-options.js'
import { TLS_OPTIONS, choice, flag } from './option-specs.js'

/** @import { OptionSpec, OptionValue, Runtime, ServerAbout, ServerHop, Topology } from '../types.js' */

const NONE = 'none'
/** @type {Record<string, OptionSpec>} */
export const SERVER_OPTIONS = {
  ...TLS_OPTIONS,
  runtime: choice(OWN, Object.keys(runtimes),
    'runtime of the server: a release line of Node, bun or deno; own: the Node that runs hopbench, even past its end ' +
    'of life, in place of the current LTS line'),
  flags: {
    type: 'string',
    default: NONE,
    help: 'flags of Node without their dashes, a colon for =: max-semi-space-size:64,jitless'
  },
  'io-uring': {
    type: 'boolean',
    default: OWN,
    choices: [true, false],
    help: 'sets UV_USE_IO_URING to 0 or 1; own: the default of Node'
  },
  schedule: choice('round-robin', ['round-robin', 'none'],
    'distribution of connections to workers: round-robin by the primary, or none: by the kernel'),
  reuseport: flag(false, 'a listening socket for each process on the same port; Node 22.12 and newer'),
  drain: flag(false, 'completes the responses in flight before it ends, in place of closing their connections')
}

/**
 * Returns the options that a server has besides those of all servers.
 *
 * @param {Partial<Pick<ServerAbout, 'options' | 'production'>> | null | undefined} about
 * @returns {Record<string, OptionSpec>}
 */
export function getOwnOptions (about) {
  const settings = Object.keys(about?.production && 'settings' in about.production ? about.production.settings : {})
  return {
    ...about?.options,
    ...settings.length > 0 && { production: flag(false, `recommended settings: ${settings.join('; ')}`) }
  }
}

/** Requires two letters, because one-letter flags such as -e, -p and -r run code. */
const FLAG = /^([a-z][a-z0-9-]+)(?::([A-Za-z0-9._%-]+))?$/
/** Flags that run other code, load other files or open a port. A spec or a stored run may only name the server. */
const RUNS_CODE = new RegExp('^(require|import|eval|print|check|interactive|test|watch|run|inspect|debug|env-file|' +
  'build|openssl|allow-|.*permission|.*loader|.*config|.*module|.*snapshot)')
const REUSES_PORTS = '^22.12.0 || >=23.1.0' // nodejs/node #55408; history of server.listen in doc/api/net.md

/**
 * @typedef {object} ServerSettings
 * @property {Runtime | null} runtime null: the Node that runs hopbench
 * @property {string[]} flags arguments of Node
 * @property {Record<string, string>} env
 * @property {string} schedule
 * @property {boolean} reusePort
 * @property {boolean} drains
 * @property {Record<string, OptionValue>} own options of this server alone (getOwnOptions)
 */

/** @typedef {(option: string, why: string, remedy?: string) => never} Reject */

/**
 * @param {Topology} topology with a Node server
 * @param {string} ownVersion version of the Node that runs hopbench
 * @param {ServerAbout | null} [about] null: unknown
 * @returns {ServerSettings}
 * @throws {HopbenchError} bad-option
 */
export function serverSettings (topology, ownVersion, about) {
  const { server } = /** @type {Topology & { server: ServerHop }} */ (topology)
  const own = getOwnOptions(about)
  /** @type {Record<string, string>} */
  const lacks = about?.production && 'none' in about.production ? { production: about.production.none } : {}
  const options = resolveOptions(server.name, { ...SERVER_OPTIONS, ...own }, server.options, lacks)
  const runtime = getServerRuntime(server)
  /** @type {Reject} */
  const reject = (name, why, remedy) => {
    throw new HopbenchError('bad-option', {
      option: `The option ${name} of ${server.name}`, value: options[name], why, remedy
    })
  }
  if (runtime && runtime.kind !== 'node') rejectNodeOnly(server, runtime, reject)
  rejectTls({ ...topology, server }, about, reject)
  if (options.schedule !== 'round-robin' && server.manager === 'node') {
    reject('schedule', 'it requires several workers of one manager', `Write ${server.name}@cluster:2.`)
  }
  if (options.reuseport) rejectReusePort({ ...topology, server }, getNodeVersion(server, ownVersion) ?? '', reject)
  return {
    runtime,
    flags: toArguments(options.flags,
      why => reject('flags', why, `Set flags as described: ${SERVER_OPTIONS.flags.help}.`)),
    env: { ...runtime?.env, ...options['io-uring'] !== OWN && { UV_USE_IO_URING: options['io-uring'] ? '1' : '0' } },
    schedule: String(options.schedule),
    reusePort: options.reuseport === true,
    drains: options.drain === true,
    own: Object.fromEntries(Object.keys(own).map(name => [name, options[name]]))
  }
}

/**
 * Rejects managers and options that only Node supports.
 * @param {ServerHop} server
 * @param {Runtime} runtime
 * @param {Reject} reject
 */
function rejectNodeOnly ({ name, manager, options }, { title }, reject) {
  if (manager !== 'node') {
    const program = manager === 'pm2' ? 'PM2' : 'node:cluster'
    reject('runtime', `${program} requires Node, and ${title} does not share a socket among workers as Node does`,
      `Use separate processes: nginx:uds+balance=round-robin/${name}@node:2+runtime=${options.runtime}`)
  }
  for (const option of ['flags', 'io-uring', 'reuseport']) {
    if (options[option] === undefined) continue
    reject(option, `only Node supports it, and the server runs under ${title}`, 'Leave it out.')
  }
}

/**
 * @param {Topology & { server: ServerHop }} topology
 * @param {ServerAbout | null | undefined} about
 * @param {Reject} reject
 */
function rejectTls ({ proxy, server }, about, reject) {
  const tls = getTlsSettings({ proxy: null, server })
  if (tls && proxy) reject('tls', 'the proxy in front sends plain HTTP', 'Write +tls at the proxy in front.')
  if (tls?.http2 && about?.http1Only) {
    reject('http2', about.http1Only, `Let a proxy use HTTP/2: nginx:uds-keepalive+tls=${tls.kind}+http2/${server.name}`)
  }
}

/**
 * @param {Topology & { server: ServerHop }} topology
 * @param {string} version of Node
 * @param {Reject} reject
 */
function rejectReusePort ({ proxy, server }, version, reject) {
  const { manager, name, instances } = server
  if (manager !== 'node') {
    reject('reuseport', `the workers of ${manager} already share a socket`, `Write ${name}@node:${instances}.`)
  }
  if (usesSocket(proxy)) {
    reject('reuseport', 'a Unix socket cannot be shared that way', 'Use a transport over TCP, or leave it out.')
  }
  if (!semver.satisfies(version, REUSES_PORTS)) {
    reject('reuseport', `it requires Node 22.12, or 23.1, and this is ${version}`,
      `Write ${name}@node:${instances}+reuseport+runtime=node-24.`)
  }
}

/**
 * @param {OptionValue} flags
 * @param {(why: string) => never} reject
 * @returns {string[]}
 */
function toArguments (flags, reject) {
  if (flags === NONE) return []
  return String(flags).split(',').map(text => {
    const [, name, value] = FLAG.exec(text) ?? reject(`"${text}" is not a flag, or a flag and its value`)
    if (RUNS_CODE.test(name)) reject(`--${name} makes Node run other code, load other files or open a port`)
    return value === undefined ? `--${name}` : `--${name}=${value}`
  })
}
