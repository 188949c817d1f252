/** The options of a Node server: which runtime it runs under, how, and whether it ends TLS itself (pure).
 * @import { OptionSpec, OptionValue, Runtime, ServerAbout, ServerHop, Topology } from '../types.js' */
import { HopbenchError } from '../errors.js'
import { OWN, nodeVersionOf, runtimeOf, runtimes } from '../plan/runtimes.js'
import { tlsOf } from '../plan/tls.js'
import { resolveOptions } from '../plan/topology-options.js'
import { TLS_OPTIONS } from './option-specs.js'

const NONE = 'none'
/** @type {Record<string, OptionSpec>} */
export const SERVER_OPTIONS = {
  ...TLS_OPTIONS,
  runtime: {
    type: 'string',
    default: OWN,
    choices: Object.keys(runtimes),
    help: 'what it runs under: a line of Node, bun or deno; own: the Node that runs hopbench'
  },
  flags: {
    type: 'string',
    default: NONE,
    help: 'flags of Node without their dashes, a colon for =: max-semi-space-size:64,jitless'
  },
  'io-uring': {
    type: 'boolean',
    default: OWN,
    choices: [true, false],
    help: 'UV_USE_IO_URING; own: as Node has it'
  },
  schedule: {
    type: 'string',
    default: 'round-robin',
    choices: ['round-robin', 'none'],
    help: 'who hands connections to workers: the primary in turn, or (none) the kernel'
  },
  reuseport: {
    type: 'boolean',
    default: false,
    help: 'each process listens by itself on the same port; Node 23.1 and newer'
  }
}

/** A name of two letters at least: what is one letter runs code, as what follows it does. */
const FLAG = /^([a-z][a-z0-9-]+)(?::([A-Za-z0-9._%-]+))?$/
/** A word, or a stored run, names the server that runs: no other code, and nobody who listens. */
const RUNS_CODE = new RegExp('^(require|import|eval|print|check|interactive|test|watch|run|inspect|debug|env-file|' +
  'build|openssl|allow-|.*permission|.*loader|.*config|.*module|.*snapshot)')
const REUSES_PORTS = [23, 1] // nodejs/node #55408

/** @typedef {{ runtime: Runtime | null, flags: string[], env: Record<string, string>, schedule: string,
 * reusePort: boolean, own: Record<string, OptionValue> }} ServerSettings runtime: null: the Node that runs the suite;
 * flags: arguments of Node; own: what `about.options` has */

/** What a server's options come to. @param {Topology} topology with a Node server
 * @param {string} own version of the Node that runs the suite
 * @param {ServerAbout | null} [about] left out, or null: not known
 * @returns {ServerSettings} @throws {HopbenchError} bad-option */
export function serverSettings ({ proxy, server: hop }, own, about) {
  const server = /** @type {ServerHop} */ (hop)
  const options = resolveOptions(server.name, { ...SERVER_OPTIONS, ...about?.options }, server.options)
  const runtime = runtimeOf(server)
  /** @type {Refuse} */
  const refuse = (name, why, remedy) => {
    throw new HopbenchError('bad-option', {
      option: `The option ${name} of ${server.name}`, value: options[name], why, remedy
    })
  }
  if (runtime && runtime.kind !== 'node') refuseWhatIsNodes(server, runtime, refuse)
  refuseTls({ proxy, server }, about, refuse)
  if (options.schedule !== 'round-robin' && server.manager === 'node') {
    refuse('schedule', 'it requires several workers of one manager', `${server.name}@cluster:2`)
  }
  if (options.reuseport) refuseReusePort({ proxy, server }, nodeVersionOf(server, own) ?? '', refuse)
  return {
    runtime,
    flags: flagsOf(options.flags, why => refuse('flags', why, `flags is: ${SERVER_OPTIONS.flags.help}.`)),
    env: {
      ...runtime?.env,
      ...options['io-uring'] !== OWN && { UV_USE_IO_URING: options['io-uring'] ? '1' : '0' }
    },
    schedule: String(options.schedule),
    reusePort: options.reuseport === true,
    own: Object.fromEntries(Object.keys(about?.options ?? {}).map(name => [name, options[name]]))
  }
}

/** @typedef {(option: string, why: string, remedy?: string) => never} Refuse */

/** @param {ServerHop} server @param {Runtime} runtime @param {Refuse} refuse */
function refuseWhatIsNodes ({ name, manager, options }, { title }, refuse) {
  if (manager !== 'node') {
    const program = manager === 'pm2' ? 'PM2' : 'node:cluster'
    refuse('runtime', `${program} is Node's, and ${title} does not share a socket among workers as it does`,
      `One process each: nginx:uds+balance=round-robin/${name}@node:2+runtime=${options.runtime}`)
  }
  for (const option of ['flags', 'io-uring', 'reuseport']) {
    if (options[option] === undefined) continue
    refuse(option, `it is Node's, and the server runs under ${title}`, 'Leave it out.')
  }
}

/** @param {Topology & { server: ServerHop }} topology @param {ServerAbout | null | undefined} about
 * @param {Refuse} refuse */
function refuseTls ({ proxy, server }, about, refuse) {
  const tls = tlsOf({ proxy: null, server })
  if (tls && proxy) refuse('tls', 'the proxy in front sends plain HTTP', 'Write +tls at the proxy in front.')
  if (tls?.http2 && about?.http1Only) {
    refuse('http2', about.http1Only,
      `Let a proxy speak HTTP/2: nginx:uds-keepalive+tls=${tls.kind}+http2/${server.name}`)
  }
}

/** @param {Topology & { server: ServerHop }} topology @param {string} version of Node @param {Refuse} refuse */
function refuseReusePort ({ proxy, server: { manager, name, instances } }, version, refuse) {
  const [major, minor] = version.split('.').map(Number)
  if (manager !== 'node') refuse('reuseport', `${manager} shares its socket itself`, `${name}@node:${instances}`)
  if (proxy?.transport?.startsWith('uds')) {
    refuse('reuseport', 'a Unix socket cannot be shared that way', 'Take a transport over TCP, or leave it out.')
  }
  if (major < REUSES_PORTS[0] || (major === REUSES_PORTS[0] && minor < REUSES_PORTS[1])) {
    refuse('reuseport', `Node has it from ${REUSES_PORTS.join('.')} on, and this is ${version}`,
      `${name}@node:${instances}+reuseport+runtime=node-24`)
  }
}

/** @param {OptionValue} value @param {(why: string) => never} refuse @returns {string[]} as Node takes them */
function flagsOf (value, refuse) {
  if (value === NONE) return []
  return String(value).split(',').map(text => {
    const [, name, given] = FLAG.exec(text) ?? refuse(`"${text}" is not a flag, or a flag and its value`)
    if (RUNS_CODE.test(name)) refuse(`--${name} makes Node run, load or open something else`)
    return `--${name}${given === undefined ? '' : `=${given}`}`
  })
}
