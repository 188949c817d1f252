/** Turns a topology into command lines, configuration texts and addresses (pure). */
import { dirname, isAbsolute, join } from 'node:path'
import { getServedPrefixes } from '../../plan/file-prefixes.js'
import { isOn, servesStatics, usesSocket } from '../../plan/predicates.js'
import { getCipherName, getTlsSettings } from '../../plan/tls.js'
import { countWorkers, isSpread, sharesPort } from '../../plan/workers.js'
import { describeCommand, getListenWay } from './describe-command.js'
import { serverSettings } from '../server-options.js'
import { HopbenchError } from '../../errors.js'
import { resolveOptions } from '../../plan/topology-options.js'
import { rejectUnsafeValues } from './config-values.js'

/** @import { Address, Description, FilePrefix, OptionSpec, ProxyDescription, ProxyHop } from '../../types.js' */
/** @import { ProxyPlugin, ProxyProgram, RenderRequest, ServerDescription, ServerHop } from '../../types.js' */
/** @import { Topology, UserConfig } from '../../types.js' */
/** @import { DescribeContext, LaunchOrder } from '../types.js' */
/** @import { ServerSettings } from '../server-options.js' */

const LOOPBACK = '127.0.0.1'
/** Below the 5 s after which Node and uvicorn close an idle connection by default. */
export const COMMAND_IDLE_SECONDS = 4

/**
 * @param {Topology} topology
 * @param {DescribeContext} context
 * @param {'measure' | 'home'} [purpose]
 * @returns {Description}
 * @throws {HopbenchError} bad-option, bad-topology, config-value, module-missing
 */
export function describe (topology, context, purpose = 'measure') {
  const { proxy, server } = topology
  const front = getFront(topology, context)
  const workers = server ? countWorkers(topology, context.cores ?? 1) : 0
  const upstreams = server && proxy ? getUpstreams(topology, context, workers) : null
  const addresses = upstreams ?? [front]
  const listens = sharesPort(topology) ? Array.from({ length: workers }, () => addresses[0]) : addresses
  const isNodeServer = server && !context.origin && !server.command
  return {
    target: { ...toTarget(front), ...toTlsTarget(topology, context) },
    originTarget: toTarget(listens[0]),
    server: isNodeServer && purpose === 'measure' ? describeServer(topology, context, listens, workers) : null,
    command: server?.command ? describeCommand(server.command, context, listens) : null,
    proxy: proxy && (proxy.config
      ? describeUserConfig(proxy.config, context, front)
      : describeProxy(proxy, context, {
        listen: front,
        upstreams,
        purpose,
        files: getServedPrefixes(topology),
        ...server?.command && { idleSeconds: COMMAND_IDLE_SECONDS }
      })),
    origin: server && context.origin ? describeOrigin(server, context, { listen: listens[0], purpose }) : null
  }
}

/**
 * Returns the address that clients connect to.
 * @param {Topology} topology
 * @param {DescribeContext} context
 * @returns {Address}
 */
function getFront (topology, { dir, ports, address }) {
  const way = getListenWay(topology)
  if (topology.proxy || way === null || way === 'tcp') return toEndpoint(ports.front, address)
  return way === 'unix' ? { kind: 'unix', path: join(dir, 'app.sock') } : toEndpoint(way, address)
}

/**
 * @param {Topology} topology
 * @param {DescribeContext} context
 */
function toTlsTarget (topology, { dir, ports, certificate, address = LOOPBACK }) {
  const tls = getTlsSettings(topology)
  if (!tls || !certificate) return {}
  const caFile = topology.proxy?.config ? join(dir, SITE_CERTIFICATE) : certificate.certFile
  return { url: `https://${address}:${ports.front}`, caFile, ...tls.http2 && { http2: true } }
}

/**
 * Returns the addresses of the server behind a proxy.
 * @param {Topology} topology
 * @param {DescribeContext} context
 * @param {number} workers
 * @returns {Address[]}
 */
function getUpstreams (topology, { dir, ports, confinement, beside }, workers) {
  const way = getListenWay(topology)
  if (typeof way === 'number') return [toEndpoint(way, beside?.host)]
  const isSocket = usesSocket(topology.proxy)
  const folder = confinement?.dir ?? beside?.dir ?? dir
  const toSocket = (/** @type {string} */ name) => /** @type {const} */ ({ kind: 'unix', path: join(folder, name) })
  if (!isSpread(topology)) return [isSocket ? toSocket('app.sock') : toEndpoint(ports.origin, beside?.host)]
  return Array.from({ length: workers },
    (_, i) => isSocket ? toSocket(`app-${i}.sock`) : toEndpoint(ports.origins?.[i] ?? ports.origin + i))
}

/**
 * @param {number} port
 * @param {string} [host]
 * @returns {Extract<Address, { kind: 'tcp' }>}
 */
const toEndpoint = (port, host = LOOPBACK) => ({ kind: 'tcp', host, port })

/** @param {Address} address */
const toTarget = address => address.kind === 'unix'
  ? { url: 'http://localhost', socketPath: address.path }
  : { url: `http://${address.host}:${address.port}`, socketPath: null }

/** Above Node's default of 511, because a full backlog of a Unix socket fails at once where TCP would wait. */
const BACKLOG = 4096
/** Message of PM2 after several failed starts of a worker. PM2 then keeps running without the worker. */
const PM2_GAVE_UP = 'too many unstable restarts'
/** Lets launch-cluster.js replace its workers. Node itself uses SIGUSR1. @type {NodeJS.Signals} */
const ROLLING_SIGNAL = 'SIGUSR2'
/** Above the limits of all proxies, because an idle connection that both ends close at once results in a 502. */
const KEEP_ALIVE_SECONDS = 2 * 3600

/**
 * Describes the processes that listen on the addresses: at each address a manager, or the server itself.
 *
 * @param {Topology} topology with a Node server
 * @param {DescribeContext} context
 * @param {Address[]} addresses
 * @param {number} workers processes that serve requests, over all addresses
 * @returns {ServerDescription}
 * @throws {HopbenchError} bad-option
 */
function describeServer (topology, context, addresses, workers) {
  const settings = serverSettings(topology, context.nodeVersion ?? '', context.about)
  const { root, module = '', confinement } = context
  const { manager } = /** @type {ServerHop} */ (topology.server)
  const controlDir = confinement?.dir ?? join(context.dir, 'control')
  const nodeArgs = [...settings.flags, ...confinement?.nodeArgs ?? []]
  const order = {
    ...topology.proxy ? {} : toTlsOrder(topology, context),
    module: /** @type {string} */ (module),
    root,
    ...Object.keys(settings.own).length > 0 && { options: settings.own },
    backlog: BACKLOG,
    keepAliveSeconds: KEEP_ALIVE_SECONDS,
    ...confinement && { unreadableFile: confinement.unreadableFile },
    ...nodeArgs.length > 0 && { nodeArgs },
    ...settings.reusePort && { reusePort: true },
    ...settings.drains && { drains: true },
    ...topology.proxy?.options.upstream_http2 === true && { http2: true },
    ...topology.files && {
      prefixes: topology.files.flatMap(({ prefix, paths }) => paths ? [] : `${prefix}/`),
      paths: topology.files.flatMap(({ paths = [] }) => paths)
    },
    instances: workers / addresses.length
  }
  return {
    // The index distinguishes workers with the same PID, each in a PID namespace of its own.
    processes: addresses.map((listen, i) =>
      toProcess(manager, context, settings, { ...order, listen, control: join(controlDir, `${i}-`) })),
    workers,
    controlDir
  }
}

/**
 * @param {ServerHop['manager']} manager
 * @param {DescribeContext} context
 * @param {ServerSettings} settings
 * @param {LaunchOrder} order
 * @returns {ServerDescription['processes'][number]}
 */
function toProcess (manager, context, { runtime, env, schedule }, order) {
  const { node = '' } = context
  const dir = context.confinement?.dir ?? context.dir
  // A manager reads the arguments from its order and passes them to its workers.
  const nodeArgs = manager === 'node' ? order.nodeArgs ?? [] : []
  return {
    argv: [node, ...runtime?.args ?? [], ...nodeArgs, ...getProgram(manager, context)],
    env: {
      NODE_ENV: 'production',
      HOPBENCH_LAUNCH: JSON.stringify(order),
      ...env,
      // Overrides the variable of the environment that hopbench was started in.
      ...manager !== 'node' && { NODE_CLUSTER_SCHED_POLICY: schedule === 'none' ? 'none' : 'rr' },
      ...runtime?.kind === 'deno' && { DENO_DIR: join(dir, 'deno') },
      ...manager === 'pm2' && {
        // Separates this PM2 from any other of the same account.
        PM2_HOME: join(dir, 'pm2'),
        // Joins the output of the workers with that of PM2.
        HOPBENCH_LOG: join(dir, 'server.log'),
        PM2_DISABLE_VERSION_CHECK: '1'
      }
    },
    listen: order.listen,
    ...manager === 'cluster' && { rolling: { signal: ROLLING_SIGNAL } },
    ...manager === 'pm2' && {
      gaveUp: PM2_GAVE_UP,
      rolling: { argv: [node, join(context.pm2 ?? '', 'bin/pm2'), 'reload', 'all'] }
    }
  }
}

/**
 * @param {Topology} topology without a proxy in front
 * @param {DescribeContext} context
 * @returns {Pick<LaunchOrder, 'tls'>}
 */
function toTlsOrder (topology, { certificate }) {
  const tls = getTlsSettings(topology)
  if (!tls || !certificate) return {}
  const { sessions, http2 } = tls
  const version = tls.version === 1.2 ? 'TLSv1.2' : 'TLSv1.3'
  return { tls: { ...certificate, version, cipher: getCipherName(tls), sessions, http2 } }
}

/**
 * Returns the program that Node runs, and its arguments.
 *
 * @param {ServerHop['manager']} manager
 * @param {DescribeContext} context
 */
function getProgram (manager, { launcher = '', pm2 }) {
  const folder = dirname(launcher)
  if (manager === 'node') return [launcher]
  if (manager === 'cluster') return [join(folder, 'launch-cluster.js')]
  // pm2-runtime stays in the foreground, so it belongs to the process group of the topology. --no-auto-exit, because
  // auto-exit lists all workers every 2 s, also during a measurement.
  return [join(pm2 ?? '', 'bin/pm2-runtime'), 'start', join(folder, '../../ecosystem.config.js'), '--no-auto-exit']
}

/** Time for a proxy to start on a busy machine. */
const START_SECONDS = 15
/** Time for a room to supply the files that a configuration names, and for a proxy to start in the room. */
const ROOM_SECONDS = 45
/** Certificate that a room has made, in the folder of its topology. */
export const SITE_CERTIFICATE = 'site.crt'

/**
 * Describes a proxy with a configuration of your own.
 * @param {UserConfig} config
 * @param {DescribeContext} context
 * @param {Address} listen
 * @returns {ProxyDescription}
 */
const describeUserConfig = ({ script }, { dir, proxy }, listen) => ({
  argv: ['unshare', '--mount', 'sh', String(script), dir],
  // The script checks the configuration.
  check: ['true'],
  env: { ...proxy?.env },
  files: {},
  folders: [],
  listen,
  memory: dir,
  countersAt: null,
  startSeconds: ROOM_SECONDS,
  isRoom: true
})

/**
 * @param {ProxyHop} hop
 * @param {DescribeContext} context
 * @param {object} addresses
 * @param {Address} addresses.listen
 * @param {Address[] | null} addresses.upstreams null: the proxy serves the files itself
 * @param {'measure' | 'home'} addresses.purpose
 * @param {number} [addresses.idleSeconds] as in RenderRequest
 * @param {FilePrefix[]} [addresses.files] that the proxy serves itself in front of a server; omitted: none
 * @returns {ProxyDescription}
 * @throws {HopbenchError} bad-option, bad-topology, config-value, module-missing
 */
export function describeProxy (hop, context, { listen, upstreams, purpose, idleSeconds, files = [] }) {
  const { dir, memory } = context
  const { plugin, program, version, env, modules = null } = /** @type {ProxyProgram} */ (context.proxy)
  if (!upstreams && !plugin.about.static) {
    const why = `${hop.name} does not serve files itself in this version`
    throw new HopbenchError('bad-topology', { spec: `${hop.name}/files`, why })
  }
  rejectMeaningless(hop, plugin.about.options, upstreams)
  if (hop.options.shipped) rejectBesideShipped(hop, { upstreams, purpose })
  const isUncounted = purpose === 'measure' && hop.options.metrics === false
  if (isUncounted && (files.length > 0 || idleSeconds !== undefined)) rejectUncounted(hop.name)
  /** @type {RenderRequest} */
  const request = {
    version,
    listen,
    upstream: upstreams && hop.transport ? { addresses: upstreams, transport: hop.transport, idleSeconds } : null,
    root: context.root,
    files: files.map(({ prefix, folder }) =>
      ({ prefix, folder: isAbsolute(folder) ? folder : join(context.root, folder) })),
    built: context.built,
    options: resolveOptions(hop.name, plugin.about.options, hop.options, plugin.about.lacks),
    dir,
    memory,
    modules,
    clients: context.clients,
    certificate: context.certificate,
    cores: context.pinned,
    purpose,
    ...context.deploy && { deploy: context.deploy }
  }
  rejectUnsafeValues(plugin, request)
  rejectWithoutModules(plugin, request)
  return {
    argv: [program, ...plugin.command(dir, version, request)],
    check: [program, ...plugin.check(dir, version, request)],
    env: { ...env, ...plugin.env?.(dir, request) },
    files: plugin.render(request),
    folders: plugin.folders?.(request) ?? [],
    listen,
    memory: memory ?? dir,
    countersAt: 'onFront' in plugin.counters && listen.kind === 'tcp' ? listen : null,
    startSeconds: plugin.startSeconds?.(request) ?? START_SECONDS,
    ...isUncounted && { isUncounted }
  }
}

/**
 * Rejects a proxy without metrics where no server counts all of its requests.
 * @param {string} name
 * @returns {never}
 */
function rejectUncounted (name) {
  throw new HopbenchError('bad-option', {
    option: `The option metrics of ${name}`,
    value: false,
    why: 'without metrics the server counts the requests, so it must be one of hopbench and get all of them',
    remedy: 'Leave it out.'
  })
}

/**
 * Describes a proxy in the server's place.
 * @param {ServerHop} hop
 * @param {DescribeContext} context
 * @param {{ listen: Address, purpose: 'measure' | 'home' }} address
 * @throws {HopbenchError} as describeProxy
 */
function describeOrigin ({ name, options }, context, { listen, purpose }) {
  const reject = (/** @type {string} */ option, /** @type {string} */ why, /** @type {string} */ remedy) =>
    new HopbenchError('bad-option', {
      option: `The option ${option} of ${name} behind a proxy`, value: options[option], why, remedy
    })
  if (isOn(options.tls)) throw reject('tls', 'the proxy in front sends plain HTTP', 'Write +tls at the proxy in front.')
  if (options.reuseport === true && listen.kind === 'unix') {
    throw reject('reuseport', 'a Unix socket cannot be shared that way', 'Use a transport over TCP, or leave it out.')
  }
  const dir = join(context.dir, 'origin')
  const ownContext = { ...context, dir, proxy: context.origin ?? null, certificate: null }
  const hop = { name, transport: null, options }
  return { dir, ...describeProxy(hop, ownContext, { listen, upstreams: null, purpose }) }
}

/**
 * @param {ProxyPlugin} plugin
 * @param {RenderRequest} request
 */
function rejectWithoutModules ({ modules: required, about }, request) {
  const { modules } = request
  if (!required || !modules) return
  const files = required.needed(request).filter(file => !modules.files.includes(file))
  if (files.length === 0) return
  const options = Object.entries(request.options).filter(([name, value]) => value !== about.options[name].default)
    .map(([name, value]) => `${name}=${value}`)
  const spec = [about.title, ...options].join('+')
  throw new HopbenchError('module-missing', { program: about.title, files, folder: modules.folder, spec })
}

/**
 * Rejects what the default site of a package does not have: an app, other options, and a recommendation.
 * @param {ProxyHop} hop
 * @param {{ upstreams: Address[] | null, purpose: 'measure' | 'home' }} use
 */
function rejectBesideShipped ({ name, options }, { upstreams, purpose }) {
  const other = Object.keys(options).find(option => !['shipped', 'release'].includes(option))
  if (!upstreams && purpose === 'measure' && other === undefined) return
  const option = `The option shipped of ${name}`
  const why = 'it is the default site of Debian\'s package, without an app, without options other than release, and ' +
    'not recommended'
  throw new HopbenchError('bad-option', { option, value: true, why, remedy: `Leave it out, as in ${name}/files.` })
}

/**
 * Rejects an option that has no effect here, because a report would show that it makes no difference.
 * @param {ProxyHop} proxy
 * @param {Record<string, OptionSpec>} specs
 * @param {Address[] | null} upstreams null: the proxy serves the files itself
 */
function rejectMeaningless (proxy, specs, upstreams) {
  const { name, options } = proxy
  const uses = upstreams ? ['app', ...servesStatics(proxy) ? ['files'] : []] : ['files']
  const idle = Object.keys(options).find(option => !uses.includes(specs[option]?.for ?? uses[0]))
  if (idle === undefined) return
  const why = upstreams
    ? `it applies to files that ${name} serves itself`
    : 'it applies to an app behind the proxy, and here there is none'
  const hasStatic = upstreams !== null && specs.static !== undefined
  const remedy = hasStatic ? 'Add +static, with which the proxy serves files, or leave it out.' : 'Leave it out.'
  throw new HopbenchError('bad-option', { option: `The option ${idle} of ${name}`, value: options[idle], why, remedy })
}
