/** The Node server of a topology: its processes, under its manager (pure). */
import { dirname, join } from 'node:path'
import { cipherOf, tlsOf } from '../plan/tls.js'
import { resolveServerOptions } from './server-options.js'

/** @import { HopbenchError } from '../errors.js'
 * @import { Address, DescribeContext, LaunchOrder, Manager } from '../types.js' */
/** @import { ServerDescription, ServerHop, ServerProcess } from '../types.js' */

/** Node's own default is 511, and a full Unix-socket backlog is an error at once where TCP would wait. */
const BACKLOG = 4096
/** What PM2 says when a worker has died at its start again and again. Itself it stays, and looks after nothing. */
const PM2_GAVE_UP = 'too many unstable restarts'
/** Above every proxy's own limit, else an idle connection is closed from both ends at once: a 502. */
const KEEP_ALIVE_SECONDS = 2 * 3600

/** @param {ServerHop} hop @param {DescribeContext} context
 * @param {{ addresses: Address[], workers: number, isFront: boolean }} place isFront: clients talk to it
 * @returns {ServerDescription} @throws {HopbenchError} bad-option */
export function describeServer (hop, context, { addresses, workers, isFront }) {
  const options = resolveServerOptions(hop, { isFront, about: context.about })
  const controlDir = join(context.dir, 'control')
  const instances = workers / addresses.length
  return {
    processes: addresses.map(listen => processOf(hop.manager, context,
      { options, listen, ...isFront && tlsOrder(hop, context), instances, controlDir })),
    workers,
    controlDir
  }
}

/** @param {Manager} manager @param {DescribeContext} context
 * @param {Pick<LaunchOrder, 'options' | 'listen' | 'tls' | 'instances' | 'controlDir'>} place
 * @returns {ServerProcess} */
function processOf (manager, { dir, root, module, node, launcher, confinement }, place) {
  /** @type {LaunchOrder} */
  const order = {
    module: /** @type {string} */ (module),
    root,
    ...place,
    backlog: BACKLOG,
    keepAliveSeconds: KEEP_ALIVE_SECONDS,
    ...confinement && { hidden: confinement.hidden, nodeArgs: confinement.nodeArgs }
  }
  const isPm2 = manager === 'pm2'
  return {
    // A manager answers nobody: it hands its workers the arguments.
    argv: [node, ...manager === 'node' ? confinement?.nodeArgs ?? [] : [], ...programOf(manager, launcher)],
    env: { NODE_ENV: 'production', HOPBENCH_LAUNCH: JSON.stringify(order), ...isPm2 && pm2Env(dir) },
    listen: place.listen,
    ...isPm2 && { gaveUp: PM2_GAVE_UP }
  }
}

/** @param {ServerHop} server @param {DescribeContext} context @returns {Pick<LaunchOrder, 'tls'>} */
function tlsOrder (server, { certificate }) {
  const tls = tlsOf({ proxy: null, server })
  if (!tls || !certificate) return {}
  const { sessions, http2 } = tls
  const version = tls.version === 1.2 ? 'TLSv1.2' : 'TLSv1.3'
  return { tls: { ...certificate, version, cipher: cipherOf(tls), sessions, http2 } }
}

/** @param {Manager} manager @param {string} launcher */
function programOf (manager, launcher) {
  const beside = (/** @type {string} */ path) => join(dirname(launcher), path)
  return {
    node: [launcher],
    cluster: [beside('launch-cluster.js')],
    // PM2's own program that stays in the foreground: it belongs to the topology's group, and ends with it. To end when
    // no worker is left it would ask for all of them every two seconds, while they are measured.
    pm2: [beside('../../node_modules/pm2/bin/pm2-runtime'), 'start', beside('../../ecosystem.config.js'),
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
