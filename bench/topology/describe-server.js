/** The Node server of a topology: its processes, under its manager (pure). */
import { dirname, join } from 'node:path'
import { cipherOf, tlsOf } from '../plan/tls.js'
import { serverSettings } from './server-options.js'

/** @import { HopbenchError } from '../errors.js'
 * @import { Address, DescribeContext, LaunchOrder, Manager } from '../types.js' */
/** @import { ServerDescription, ServerProcess, Topology } from '../types.js'
 * @import { ServerSettings } from './server-options.js' */

/** Node's own default is 511, and a full Unix-socket backlog is an error at once where TCP would wait. */
const BACKLOG = 4096
/** What PM2 says when a worker has died at its start again and again. Itself it stays, and looks after nothing. */
const PM2_GAVE_UP = 'too many unstable restarts'
/** Above every proxy's own limit, else an idle connection is closed from both ends at once: a 502. */
const KEEP_ALIVE_SECONDS = 2 * 3600

/** @param {Topology} topology with a Node server @param {DescribeContext} context @param {Address[]} addresses
 * @param {number} workers @returns {ServerDescription} @throws {HopbenchError} bad-option */
export function describeServer (topology, context, addresses, workers) {
  const settings = serverSettings(topology, context.nodeVersion ?? '')
  const { manager } = /** @type {NonNullable<Topology['server']>} */ (topology.server)
  const tls = topology.proxy ? {} : tlsOrder(topology, context)
  const controlDir = join(context.dir, 'control')
  const instances = workers / addresses.length
  return {
    processes: addresses.map(listen =>
      processOf(manager, context, settings, { ...tls, listen, instances, controlDir })),
    workers,
    controlDir
  }
}

/** @param {Manager} manager @param {DescribeContext} context @param {ServerSettings} settings
 * @param {Pick<LaunchOrder, 'listen' | 'tls' | 'instances' | 'controlDir'>} order @returns {ServerProcess} */
function processOf (manager, { dir, root, module, confinement, ...context }, settings, order) {
  const { runtime, flags, env, schedule, reusePort } = settings
  const nodeArgs = [...flags, ...confinement?.nodeArgs ?? []]
  /** @type {LaunchOrder} */
  const whole = {
    ...order,
    module: /** @type {string} */ (module),
    root,
    backlog: BACKLOG,
    keepAliveSeconds: KEEP_ALIVE_SECONDS,
    ...confinement && { hidden: confinement.hidden },
    ...nodeArgs.length > 0 && { nodeArgs },
    ...reusePort && { reusePort }
  }
  const isPm2 = manager === 'pm2'
  return {
    // A manager answers nobody: it hands its workers the arguments.
    argv: [context.node, ...runtime?.args ?? [], ...manager === 'node' ? nodeArgs : [], ...programOf(manager, context)],
    env: {
      NODE_ENV: 'production',
      HOPBENCH_LAUNCH: JSON.stringify(whole),
      ...env,
      // Whatever the person's own environment says.
      ...manager !== 'node' && { NODE_CLUSTER_SCHED_POLICY: schedule === 'none' ? 'none' : 'rr' },
      ...runtime?.kind === 'deno' && { DENO_DIR: join(dir, 'deno') },
      ...isPm2 && pm2Env(dir)
    },
    listen: order.listen,
    ...isPm2 && { gaveUp: PM2_GAVE_UP }
  }
}

/** @param {Topology} topology without a proxy in front @param {DescribeContext} context
 * @returns {Pick<LaunchOrder, 'tls'>} */
function tlsOrder (topology, { certificate }) {
  const tls = tlsOf(topology)
  if (!tls || !certificate) return {}
  const { sessions, http2 } = tls
  const version = tls.version === 1.2 ? 'TLSv1.2' : 'TLSv1.3'
  return { tls: { ...certificate, version, cipher: cipherOf(tls), sessions, http2 } }
}

/** @param {Manager} manager @param {Pick<DescribeContext, 'launcher' | 'pm2'>} context */
function programOf (manager, { launcher, pm2 }) {
  const beside = (/** @type {string} */ path) => join(dirname(launcher), path)
  return {
    node: [launcher],
    cluster: [beside('launch-cluster.js')],
    // PM2's own program that stays in the foreground: it belongs to the topology's group, and ends with it. To end when
    // no worker is left it would ask for all of them every two seconds, while they are measured.
    pm2: [join(pm2 ?? '', 'bin/pm2-runtime'), 'start', beside('../../ecosystem.config.js'),
      '--no-auto-exit']
  }[manager]
}

/** A PM2 of its own: whatever runs under the person's is left alone. @param {string} dir */
const pm2Env = dir => ({
  PM2_HOME: join(dir, 'pm2'),
  // What its workers say belongs beside what PM2 says of them.
  HOPBENCH_LOG: join(dir, 'server.log'),
  PM2_DISABLE_VERSION_CHECK: '1'
})
