/** Starts nginx with the configuration that `hopbench config` prints, and replaces the processes behind it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { readText } from '../../machine/files/system-files.js'
import { signalWhenHandled } from '../../machine/handles-signal.js'
import { findListeners } from '../../machine/kernel-counts.js'
import { groupMembers } from '../../machine/probe.js'
import { run, waitUntil } from '../../machine/process.js'
import { parse } from '../../plan/spec.js'
import { COMMAND_IDLE_SECONDS, describeProxy } from '../../topology/describe/describe.js'
import { waitUntilListening } from '../../topology/start/wait-until-listening.js'
import { makeFolders, toPrivatePaths } from '../deploy/index.js'

/** @import { Child } from '../../machine/types.js' */
/** @import { Address, ProxyHop, ProxyProgram } from '../../types.js' */
/** @import { AppListen, NginxProcess } from './types.js' */
/** @import { Parts } from './stage.js' */

/** Topology whose nginx is in front of builds, as `hopbench config nginx:keepalive/app` prints it. */
export const FRONT = parse('nginx:keepalive/express-json')
/** Client connections that the configuration must hold: the default of `hopbench config`. */
const CLIENTS = 1000
/** Limit for a check of the configuration, for the start and for a reload, each of which takes a fraction of it. */
const LIMIT_SECONDS = 15
const POLL_MS = 10
/** Title of a worker that accepts no further connections (nginx, ngx_worker_process_cycle). */
const RETIRED = /is shutting down/

/** @type {(listen: AppListen) => Address} */
export const toAddress = ({ port }) => ({ kind: 'tcp', host: '127.0.0.1', port })

/**
 * Starts nginx at the port of clients.
 * @param {AppListen[]} upstreams
 * @param {Parts & { skipsFailed?: boolean }} parts
 * @returns {Promise<NginxProcess>}
 * @throws {HopbenchError} proxy-refused, process-died, not-ready
 */
export async function startNginx (upstreams, { stage, options: { nginx, change = text => text }, keep, skipsFailed }) {
  const { dir, port, network } = stage
  const program = /** @type {ProxyProgram} */ (nginx)
  const listen = toAddress({ port })
  const describe = (/** @type {AppListen[]} */ listens) => describeProxy(/** @type {ProxyHop} */ (FRONT.proxy), {
    dir,
    root: dir,
    ports: { front: port, origin: 0 },
    clients: CLIENTS,
    proxy: program
  }, { listen, upstreams: listens.map(toAddress), purpose: 'home', idleSeconds: COMMAND_IDLE_SECONDS })
  const { argv, env, check } = describe(upstreams)
  const relocate = (/** @type {string} */ text) =>
    toPrivatePaths('nginx', text, { dir, ports: { admin: 0, redirect: 0 }, program })
  makeFolders(['cache', 'log', 'run'].map(folder => join(dir, folder)), network.enterServed)
  const configure = async (/** @type {AppListen[]} */ listens) => {
    for (const [file, text] of Object.entries(describe(listens).files)) {
      const changed = onLoopback(change(relocate(text)))
      writeFileSync(join(dir, file), skipsFailed ? changed.replaceAll(' max_fails=0', '') : changed)
    }
    const { exit, stdout, stderr } = await run([...network.enterServed, ...check.map(relocate)],
      { env, cwd: dir, timeoutSeconds: LIMIT_SECONDS })
    if (exit !== 0) throw new HopbenchError('proxy-refused', { name: 'nginx', output: stderr || stdout })
  }
  await configure(upstreams)
  const child = keep({ name: 'nginx', argv: argv.map(relocate), env, cwd: dir, log: join(dir, 'nginx.log') })
  await waitUntilListening(child, listen,
    async () => findListeners(groupMembers(child.groups())).some(listener => listener.port === port), LIMIT_SECONDS)
  return {
    async setUpstreams (changed) {
      await configure(changed)
      const before = listWorkers(child)
      stage.note('switch')
      await signalWhenHandled(child, 'SIGHUP')
      await waitUntil(child, () => before.every(isRetired) && listWorkers(child).length > 0,
        { timeoutSeconds: LIMIT_SECONDS, pollMs: POLL_MS })
    },
    drain: seconds => waitUntil(child, () => !listWorkers(child).some(isRetired),
      { timeoutSeconds: seconds, pollMs: POLL_MS }).catch(() => {})
  }
}

/** Limits nginx to the loopback, because without a private network other machines could reach it. */
const onLoopback = (/** @type {string} */ text) =>
  text.replace(/^ *listen \[::\]:.*\n/gm, '').replace(/^( *listen )(\d+)/gm, '$1127.0.0.1:$2')

/** @param {Child} child */
const listWorkers = child => groupMembers(child.groups()).filter(pid => pid !== child.pid)

/** Returns whether a worker has ended, or accepts no further connections. @param {number} pid */
function isRetired (pid) {
  const title = readText(`/proc/${pid}/cmdline`)
  return title === '' || RETIRED.test(title)
}
