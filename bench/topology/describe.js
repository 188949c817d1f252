/** Topology → what to start: configuration text, command lines and addresses (pure). */
import { dirname, join } from 'node:path'
import { HopbenchError } from '../errors.js'
import { resolveOptions } from './options.js'
import { isSpread, workersOf } from './workers.js'

/** @typedef {import('../types.d.ts').Address} Address */
/** @typedef {import('../types.d.ts').ServerHop} ServerHop */
/** @typedef {import('../types.d.ts').Topology} Topology */

/** Node's own default is 511, and a full Unix-socket backlog is an error at once where TCP would wait. */
const BACKLOG = 4096
const LOOPBACK = '127.0.0.1'
/** What PM2 says when a worker has died at its start again and again. Itself it stays, and looks after nothing. */
const PM2_GAVE_UP = 'too many unstable restarts'
/** What a proxy may take to start, on a machine that is busy. */
const PROXY_START_SECONDS = 15
/** Above every proxy's own limit, else an idle connection is closed from both ends at once: a 502. */
const KEEP_ALIVE_SECONDS = 2 * 3600

/**
 * @typedef {object} Context
 * @property {string} dir folder for everything these processes write; absolute and short
 * @property {string} root the files to serve
 * @property {string} [address] where its front listens; left out: 127.0.0.1
 * @property {{ front: number, origin: number, origins?: number[] }} ports of the proxy and of the
 *   server behind it; `origins`: of all its processes where each has a port of its own, left out:
 *   `origin` and those above it
 * @property {number} [cores] that the served side may use; left out: 1
 * @property {number} clients connections that the client opens
 * @property {string} launcher absolute path of launch.js
 * @property {string} node absolute path of node
 * @property {string | null} module absolute path of the server's file
 * @property {ProxyProgram | null} proxy
 * @property {ProxyProgram | null} [origin] where the server hop names a proxy, which serves the files behind the other one
 * @property {{ certFile: string, keyFile: string } | null} [certificate] of a proxy that answers over TLS
 * @property {number[] | null} [pinned] the cores that the served side is pinned to; left out: all
 * @property {string} [memory] folder on tmpfs; left out: there is none
 * @property {Pick<import('../types.d.ts').Confinement, 'nodeArgs' | 'hidden'> | null} [confinement] of a server with known vulnerabilities; null or left out: none
 */

/**
 * @typedef {{ plugin: import('../types.d.ts').ProxyPlugin, program: string, version: string, env: Record<string, string>,
 *   modules?: import('../types.d.ts').Modules | null }} ProxyProgram
 */

/**
 * @typedef {object} Description
 * @property {{ url: string, socketPath: string | null, caFile?: string }} target where a client asks;
 *   `caFile`: the certificate to trust, where that is over TLS
 * @property {{ url: string, socketPath: string | null }} originTarget the same without the proxy
 * @property {null | ServerDescription} server null where a proxy serves the files itself
 * @property {null | ProxyDescription} proxy
 * @property {null | ProxyDescription & { dir: string }} origin the proxy in the server's place, and its folder
 */

/**
 * @typedef {object} ProxyDescription
 * @property {string[]} argv
 * @property {string[]} check
 * @property {Record<string, string>} env
 * @property {Record<string, string>} files
 * @property {string[]} folders that must be there, and that its workers may write
 * @property {Address} listen
 * @property {import('../types.d.ts').Endpoint | null} countersAt where it answers for its counters; null: on its Unix socket
 * @property {number} startSeconds how long it may take to start
 */

/**
 * @typedef {object} ServerDescription
 * @property {{ argv: string[], env: Record<string, string>, listen: Address, gaveUp?: string }[]} processes one for each
 *   address: a manager with its workers behind it, or the server itself; `gaveUp`: what stands in the log of a manager that has
 *   given its workers up and runs on
 * @property {number} workers processes that answer requests, and so control sockets
 * @property {string} controlDir
 */

/**
 * @param {Topology} topology
 * @param {Context} context
 * @param {'measure' | 'home'} [purpose]
 * @returns {Description}
 * @throws {HopbenchError} bad-option, bad-topology
 */
export function describe (topology, context, purpose = 'measure') {
  const front = tcp(context.ports.front, context.address)
  const workers = topology.server ? workersOf(topology, context.cores ?? 1) : 0
  const origins = !topology.server || !topology.proxy ? [front] : originAddresses(topology, context, workers)
  return {
    target: { ...targetOf(front), ...overTls(topology.proxy, context) },
    originTarget: targetOf(origins[0]),
    server: topology.server && !context.origin ? describeServer(topology.server, context, origins, workers) : null,
    proxy: topology.proxy && describeProxy(topology.proxy, context, front, topology.server ? origins : null, purpose),
    origin: topology.server && context.origin ? describeOrigin(topology.server, { ...context, proxy: context.origin }, origins[0], purpose) : null
  }
}

/**
 * Behind the proxy another one, which serves the files: in a folder of its own, and in plain HTTP.
 * @param {ServerHop} hop
 * @param {Context} context whose proxy is this one
 * @param {Address} listen
 * @param {'measure' | 'home'} purpose
 */
function describeOrigin ({ name, options }, context, listen, purpose) {
  const dir = join(context.dir, 'origin')
  const refuse = (/** @type {string} */ option, /** @type {string} */ why, /** @type {string} */ remedy) => {
    throw new HopbenchError('bad-option', { option: `The option ${option} of ${name} behind a proxy`, value: options[option], why, remedy })
  }
  if (![undefined, false, 'off'].includes(/** @type {any} */ (options.tls))) refuse('tls', 'the proxy in front asks it in plain HTTP', 'Write +tls at the proxy in front.')
  if (options.reuseport === true && listen.kind === 'unix') refuse('reuseport', 'a Unix socket cannot be shared that way', 'Take a transport over TCP, or leave it out.')
  return { dir, ...describeProxy({ name, transport: null, options }, { ...context, dir, certificate: null }, listen, null, purpose) }
}

/**
 * @param {import('../types.d.ts').ProxyHop | null} hop
 * @param {Context} context
 */
function overTls (hop, { proxy, ports, certificate, address = LOOPBACK }) {
  if (!hop || !proxy || !certificate || resolveOptions(hop.name, proxy.plugin.about.options, hop.options).tls === 'off') return {}
  return { url: `https://${address}:${ports.front}`, caFile: certificate.certFile }
}

/**
 * @param {ServerHop} hop
 * @param {Context} context
 * @param {Address[]} addresses
 * @param {number} workers
 * @returns {ServerDescription}
 */
function describeServer (hop, context, addresses, workers) {
  resolveOptions(hop.name, {}, hop.options)
  const controlDir = join(context.dir, 'control')
  const bench = dirname(context.launcher)
  const programs = {
    node: [context.launcher],
    cluster: [join(bench, 'launch/cluster.js')],
    // PM2's own program that stays in the foreground: it belongs to the topology's group of processes, and ends with it. To end when no
    // worker is left it would ask for all of them every two seconds, while they are measured.
    pm2: [join(bench, '../node_modules/pm2/bin/pm2-runtime'), 'start', join(bench, '../ecosystem.config.js'), '--no-auto-exit']
  }
  return {
    processes: addresses.map(listen => {
      /** @type {import('../launch.js').LaunchOrder} */
      const order = {
        module: /** @type {string} */ (context.module),
        root: context.root,
        listen,
        instances: workers / addresses.length,
        controlDir,
        backlog: BACKLOG,
        keepAliveSeconds: KEEP_ALIVE_SECONDS,
        ...context.confinement && { hidden: context.confinement.hidden, nodeArgs: context.confinement.nodeArgs }
      }
      return {
        // A manager answers nobody: it hands its workers the arguments.
        argv: [context.node, ...hop.manager === 'node' ? context.confinement?.nodeArgs ?? [] : [], ...programs[hop.manager]],
        env: { NODE_ENV: 'production', HOPBENCH_LAUNCH: JSON.stringify(order), ...hop.manager === 'pm2' ? pm2Env(context.dir) : {} },
        listen,
        ...hop.manager === 'pm2' && { gaveUp: PM2_GAVE_UP }
      }
    }),
    workers,
    controlDir
  }
}

/**
 * A PM2 of its own: whatever runs under the person's is left alone.
 * @param {string} dir
 */
const pm2Env = dir => ({
  PM2_HOME: join(dir, 'pm2'),
  // The log of the process that PM2 runs in: what its workers say belongs beside what it says of them.
  HOPBENCH_LOG: join(dir, 'server.log'),
  PM2_DISABLE_VERSION_CHECK: '1'
})

/**
 * @param {import('../types.d.ts').ProxyHop} hop
 * @param {Context} context
 * @param {Address} listen
 * @param {Address[] | null} origins null: it serves the files itself
 * @param {'measure' | 'home'} purpose
 * @returns {NonNullable<Description['proxy']>}
 */
function describeProxy (hop, context, listen, origins, purpose) {
  const { plugin, program, version, env, modules = null } = /** @type {ProxyProgram} */ (context.proxy)
  if (!origins && !plugin.about.static) {
    throw new HopbenchError('bad-topology', { word: `${hop.name}/files`, why: `${hop.name} does not serve files itself in this version` })
  }
  refuseMeaningless(hop, plugin.about.options, origins ? 'app' : 'files')
  /** @type {import('../types.d.ts').RenderRequest} */
  const request = {
    version,
    listen,
    upstream: origins && hop.transport ? { addresses: origins, transport: hop.transport } : null,
    root: context.root,
    options: resolveOptions(hop.name, plugin.about.options, hop.options),
    dir: context.dir,
    memory: context.memory,
    modules,
    clients: context.clients,
    certificate: context.certificate,
    cores: context.pinned,
    purpose
  }
  refuseWithoutModules(plugin, request)
  return {
    argv: [program, ...plugin.command(context.dir, version)],
    check: [program, ...plugin.check(context.dir, version)],
    env,
    files: plugin.render(request),
    folders: plugin.folders?.(request) ?? [],
    listen,
    countersAt: plugin.counters.onFront && listen.kind === 'tcp' ? listen : null,
    startSeconds: plugin.startSeconds?.(request) ?? PROXY_START_SECONDS
  }
}

/**
 * @param {import('../types.d.ts').ProxyPlugin} plugin
 * @param {import('../types.d.ts').RenderRequest} request
 */
function refuseWithoutModules ({ modules: spec, about }, request) {
  const { modules } = request
  if (!spec || !modules) return
  const files = spec.needed(request).filter(file => !modules.files.includes(file))
  if (files.length === 0) return
  const options = Object.entries(request.options).filter(([name, value]) => value !== about.options[name].default).map(([name, value]) => `${name}=${value}`)
  throw new HopbenchError('module-missing', {
    program: about.title, files, folder: modules.folder, word: [about.title, ...options].join('+')
  })
}

/**
 * An option without effect would be measured, and reported as making no difference.
 * @param {import('../types.d.ts').ProxyHop} hop
 * @param {Record<string, import('../types.d.ts').OptionSpec>} specs
 * @param {'app' | 'files'} here
 */
function refuseMeaningless ({ name, options }, specs, here) {
  const idle = Object.keys(options).find(option => ![undefined, here].includes(specs[option]?.for))
  if (idle === undefined) return
  const why = here === 'files' ? 'it is about an app behind, and here there is none' : `it is about files that ${name} serves itself`
  throw new HopbenchError('bad-option', { option: `The option ${idle} of ${name}`, value: options[idle], why, remedy: 'Leave it out.' })
}

/**
 * @param {Topology} topology
 * @param {Context} context
 * @param {number} workers
 * @returns {Address[]}
 */
function originAddresses (topology, { dir, ports }, workers) {
  const socket = (/** @type {string} */ name) => /** @type {const} */ ({ kind: 'unix', path: join(dir, name) })
  const isSocket = topology.proxy?.transport?.startsWith('uds')
  if (!isSpread(topology)) return [isSocket ? socket('app.sock') : tcp(ports.origin)]
  return Array.from({ length: workers }, (_, i) => isSocket ? socket(`app-${i}.sock`) : tcp(ports.origins?.[i] ?? ports.origin + i))
}

/**
 * @param {number} port
 * @param {string} [host]
 * @returns {import('../types.d.ts').Endpoint}
 */
const tcp = (port, host = LOOPBACK) => ({ kind: 'tcp', host, port })

/** @param {Address} address */
const targetOf = address => address.kind === 'unix'
  ? { url: 'http://localhost', socketPath: address.path }
  : { url: `http://${address.host}:${address.port}`, socketPath: null }
