/** Describes the processes of a topology's Node server under its manager (pure). */
import { dirname, join } from 'node:path'
import { getCipherName, getTlsSettings } from '../../plan/tls.js'
import { serverSettings } from '../server-options.js'

/** @import { HopbenchError } from '../../errors.js' @import { ServerSettings } from '../server-options.js' */
/** @import { Address, ServerDescription, ServerHop, Topology } from '../../types.js' */
/** @import { DescribeContext, LaunchOrder } from '../types.js' */

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
export function describeServer (topology, context, addresses, workers) {
  const settings = serverSettings(topology, context.nodeVersion ?? '', context.about)
  const { manager } = /** @type {ServerHop} */ (topology.server)
  const controlDir = context.confinement?.dir ?? join(context.dir, 'control')
  const order = {
    ...topology.proxy ? {} : toTlsOrder(topology, context),
    ...toCommonOrder(context, settings),
    ...topology.proxy?.options.upstream_http2 === true && { http2: true },
    ...topology.files && { prefixes: topology.files.map(({ prefix }) => `${prefix}/`) },
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
 * Returns the part of an order that is the same at all addresses and under all managers.
 *
 * @param {DescribeContext} context
 * @param {ServerSettings} settings
 */
function toCommonOrder ({ root, module, confinement }, { flags, reusePort, drains, own: serverOptions }) {
  const nodeArgs = [...flags, ...confinement?.nodeArgs ?? []]
  return {
    module: /** @type {string} */ (module),
    root,
    ...Object.keys(serverOptions).length > 0 && { options: serverOptions },
    backlog: BACKLOG,
    keepAliveSeconds: KEEP_ALIVE_SECONDS,
    ...confinement && { unreadableFile: confinement.unreadableFile },
    ...nodeArgs.length > 0 && { nodeArgs },
    ...reusePort && { reusePort },
    ...drains && { drains }
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
  const { node } = context
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
function getProgram (manager, { launcher, pm2 }) {
  const folder = dirname(launcher)
  if (manager === 'node') return [launcher]
  if (manager === 'cluster') return [join(folder, 'launch-cluster.js')]
  // pm2-runtime stays in the foreground, so it belongs to the process group of the topology. --no-auto-exit, because
  // auto-exit lists all workers every 2 s, also during a measurement.
  return [join(pm2 ?? '', 'bin/pm2-runtime'), 'start', join(folder, '../../../ecosystem.config.js'), '--no-auto-exit']
}
