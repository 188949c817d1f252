/** Starts a proxy with its recommended configuration in front of an app of the check. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../../errors.js'
import { signalWhenHandled } from '../../../machine/handles-signal.js'
import { run, start, waitUntil } from '../../../machine/process.js'
import { parse, printOptions } from '../../../plan/spec.js'
import { describe } from '../../../topology/describe/describe.js'
import { addTls, toPrivatePaths } from './private-paths.js'
import {
  FOLDER, PREFIX, copyCertificate, getCertificatePaths, makeFolders, readLogs, writeSite
} from './subject-files.js'

/** @import { Child, Network } from '../../../machine/types.js' */
/** @import { Ports } from './study.js' */
/** @import { SubjectOptions } from './types.js' */

/** Client connections that the configuration must hold. */
const CLIENTS = 100
/** Timeout for the proxy's own check of its configuration. */
const CHECK_SECONDS = 60
/** Time for which the load balancers of most clouds keep an idle connection by default. */
const ROUTER_IDLE_SECONDS = 60
/** Time for which a process of the app is absent in a restart, besides its own start: as a slow start of an app. */
const DOWN_MS = 300
/** Time from SIGTERM to SIGKILL, shorter than systemd's default of 90 s. */
const STOP_SECONDS = 30
const originProgram = fileURLToPath(new URL('./origin.js', import.meta.url))

/**
 * Starts the app, which listens on 127.0.0.1, and the proxy, which listens on all addresses of this machine.
 * @param {SubjectOptions} options
 * @param {Ports} ports
 * @param {Network} network
 * @param {(child: Child) => void} keep takes each process of the app, to be ended by the caller
 * @throws {HopbenchError} proxy-refused, process-died, not-ready
 */
export async function startProxy (options, ports, network, keep) {
  const { behaviour, dir, program: { plugin: { reload } } } = options
  // The signal of `systemctl reload`.
  const signal = reload && 'signal' in reload ? reload.signal : undefined
  let starts = 0
  /** @param {number} port */
  const startOrigin = async port => {
    const origin = start({
      name: 'the app of the check',
      argv: [process.execPath, originProgram],
      env: { ORIGIN_PORT: String(port) },
      log: join(dir, `origin-${starts++}.log`)
    })
    keep(origin)
    await waitUntil(origin, () => origin.tail().includes('listening'))
    return origin
  }
  /** @type {Child[]} */
  const origins = []
  for (const port of ports.origins) origins.push(await startOrigin(port))
  const child = await startRecommended(options, ports, network)
  return {
    child,
    subject: {
      router: null,
      routerIdleSeconds: ROUTER_IDLE_SECONDS,
      stopSeconds: STOP_SECONDS,
      tls: behaviour.options?.tls
        ? { redirectPort: ports.redirect, renewCertificate: () => renew(child, options, signal) }
        : null,
      async restartProcesses () {
        for (const [i, origin] of origins.entries()) {
          await origin.stop()
          await sleep(DOWN_MS)
          await startOrigin(ports.origins[i])
        }
      },
      askToEnd: () => child.signal('SIGTERM'),
      readLogs: () => readLogs(dir)
    }
  }
}

/**
 * Writes the next certificate, and lets the master process read its configuration again.
 * @param {Child} child
 * @param {SubjectOptions} options
 * @param {NodeJS.Signals} [signal]
 * @throws {HopbenchError} process-died, not-ready
 */
export async function renew (child, { certificates, dir }, signal = 'SIGHUP') {
  copyCertificate(certificates[1], dir)
  await signalWhenHandled(child, signal)
}

/**
 * Returns the topology of a behaviour, with the option that a reload needs.
 * @param {SubjectOptions} options
 */
function toSpec ({ subject, behaviour, program }) {
  const { options = {}, processes = 1 } = behaviour
  const needed = program.plugin.reload?.needs
  const words = Object.entries(options).filter(([name]) => Object.hasOwn(program.plugin.about.options, name))
    .map(([name, value]) => printOptions({ [name]: value }))
  const spread = processes > 1 ? ['+balance=round-robin', `/express-json@node:${processes}`] : ['/express-json']
  return `${subject.name}:keepalive${[...needed ? [`+${needed}`] : [], ...words, ...spread].join('')}`
}

/**
 * Writes the recommended configuration, runs the proxy's own check of it, and starts the proxy.
 * @param {SubjectOptions} options
 * @param {Ports} ports
 * @param {Network} network
 */
async function startRecommended (options, ports, network) {
  const { subject: { name }, behaviour, dir, program, certificates, change = text => text } = options
  const title = program.plugin.about.title
  const hasTls = behaviour.options?.tls !== undefined
  if (hasTls) copyCertificate(certificates[0], dir)
  if (behaviour.hasFiles) writeSite(dir)
  const files = behaviour.hasFiles ? [{ prefix: PREFIX, folder: join(dir, FOLDER) }] : []
  const { proxy } = describe({ ...parse(toSpec(options)), files }, {
    dir,
    root: dir,
    ports,
    clients: CLIENTS,
    certificate: hasTls ? getCertificatePaths(dir) : null,
    proxy: program
  }, 'home')
  if (!proxy) throw new TypeError(`${name} is no proxy`)
  makeFolders([...['cache', 'log', 'run'].map(folder => join(dir, folder)), ...proxy.folders], network.enterServed)
  const relocate = (/** @type {string} */ text) => toPrivatePaths(name, text, { dir, ports, program })
  const needsTls = hasTls && !Object.hasOwn(program.plugin.about.options, 'tls')
  for (const [file, text] of Object.entries(proxy.files)) {
    const relocated = relocate(text)
    writeFileSync(join(dir, file), change(needsTls ? addTls(name, relocated, { dir, ports }) : relocated))
  }
  const enter = network.enterServed
  const check = await run([...enter, ...proxy.check.map(relocate)],
    { env: proxy.env, cwd: dir, timeoutSeconds: CHECK_SECONDS })
  if (check.exit !== 0) throw new HopbenchError('proxy-refused', { name: title, output: check.stderr || check.stdout })
  const argv = proxy.argv.map(relocate)
  return start({ name: title, argv, env: proxy.env, cwd: dir, enter, log: join(dir, 'proxy.log') })
}
