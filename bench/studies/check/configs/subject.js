/** Starts a proxy with its recommended configuration in front of an app of the check. */
import { chmodSync, chownSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../../errors.js'
import { openNetwork } from '../../../machine/lab.js'
import { run, start, waitUntil } from '../../../machine/process.js'
import { parse } from '../../../plan/word.js'
import { describe } from '../../../topology/describe.js'
import { waitUntilListening } from '../../../topology/wait-until-listening.js'

/** @import { ProxyDescription, ProxyProgram } from '../../../types.js' */
/** @import { Child, Network } from '../../../machine/shapes.js' */
/** @import { Subject } from './types.js' */

const LOOPBACK = '127.0.0.1'
/** Lowest ports to try. Of each kind, the first free one is used. */
const PORTS = { front: 18100, origin: 13100, admin: 16082 }
/** Client connections that the configuration must hold. */
const CLIENTS = 100
/** Timeout for the proxy's own check of its configuration. */
const CHECK_SECONDS = 60
/** Timeout for the proxy to listen. */
const START_SECONDS = 15
/** Account without privileges for the proxy's workers if root starts the proxy. */
const WORKER_ACCOUNT = 65534
const originProgram = fileURLToPath(new URL('./origin.js', import.meta.url))

/**
 * Starts the app, which listens on 127.0.0.1, and the proxy, which listens on all addresses of this machine as its
 * recommended configuration demands.
 * @param {object} options
 * @param {string} options.proxy name
 * @param {string} options.word topology
 * @param {string} options.dir of this subject alone, below the temporary root
 * @param {ProxyProgram} options.program
 * @param {(text: string) => string} [options.change] plants a fault into the configuration
 * @returns {Promise<Subject & { stop: () => Promise<void> }>}
 * @throws {HopbenchError} proxy-refused, process-died, not-ready
 */
export async function startSubject (options) {
  const { word, dir } = options
  const network = await openNetwork({ name: word, dir, private: false })
  /** @type {Child[]} */
  const children = []
  const stop = async () => {
    for (const child of children.toReversed()) await child.stop()
    await network.close()
  }
  try {
    const ports = await choosePorts(network, Number(parse(word).server?.instances ?? 1))
    const processes = ports.origins.map((port, i) => startOrigin(port, join(dir, `origin-${i}.log`)))
    children.push(...processes)
    for (const child of processes) await waitUntil(child, () => child.tail().includes('listening'))
    const proxy = await startRecommended(options, ports, network)
    children.push(proxy)
    await waitUntilListening(proxy, { kind: 'tcp', host: LOOPBACK, port: ports.front },
      () => isListening(ports.front), START_SECONDS)
    return { port: ports.front, processes, stop, readLogs: () => readLogs(dir) }
  } catch (error) {
    await stop()
    throw error
  }
}

/**
 * Reserves the ports of the proxy and of each process of the app.
 * @param {Network} network
 * @param {number} processes of the app
 */
async function choosePorts (network, processes) {
  const origins = []
  for (let i = 0; i < processes; i++) origins.push(await network.port(PORTS.origin + 10 * i))
  return { front: await network.port(PORTS.front), admin: await network.port(PORTS.admin), origin: origins[0], origins }
}

/**
 * Starts a process of the app.
 * @param {number} port
 * @param {string} log file of its output
 */
const startOrigin = (port, log) => start({
  name: 'the app of the check', argv: [process.execPath, originProgram], env: { ORIGIN_PORT: String(port) }, log
})

/**
 * Writes the recommended configuration, runs the proxy's own check of it, and starts the proxy.
 * @param {Parameters<typeof startSubject>[0]} options
 * @param {Awaited<ReturnType<typeof choosePorts>>} ports
 * @param {Network} network
 */
async function startRecommended ({ proxy: name, word, dir, program, change = text => text }, ports, network) {
  const { title } = program.plugin.about
  const { proxy } = describe(parse(word), {
    dir, root: dir, ports, clients: CLIENTS, launcher: '', node: '', module: '', proxy: program
  }, 'home')
  if (!proxy) throw new TypeError(`${word} has no proxy`)
  makeFolders(proxy, dir, network)
  const relocate = (/** @type {string} */ text) => toPrivatePaths(name, text, { dir, admin: ports.admin, program })
  for (const [file, text] of Object.entries(proxy.files)) writeFileSync(join(dir, file), change(relocate(text)))
  const enter = network.enterServed
  const check = await run([...enter, ...proxy.check.map(relocate)],
    { env: proxy.env, cwd: dir, timeoutSeconds: CHECK_SECONDS })
  if (check.exit !== 0) throw new HopbenchError('proxy-refused', { name: title, output: check.stderr || check.stdout })
  const argv = proxy.argv.map(relocate)
  return start({ name: title, argv, env: proxy.env, cwd: dir, enter, log: join(dir, 'proxy.log') })
}

/**
 * Makes the folders that the proxy's workers write.
 * @param {ProxyDescription} proxy
 * @param {string} dir
 * @param {Network} network
 */
function makeFolders ({ folders }, dir, { enterServed }) {
  // As root without namespaces, the workers run under another account.
  const isForeign = process.getuid?.() === 0 && enterServed.length === 0
  for (const folder of [...['cache', 'log', 'run'].map(name => join(dir, name)), ...folders]) {
    mkdirSync(folder, { recursive: true })
    if (isForeign) chownSync(folder, WORKER_ACCOUNT, WORKER_ACCOUNT)
    chmodSync(folder, 0o755)
  }
}

/** Returns the text of all logs of the proxy. Excludes those of the app. @param {string} dir */
const readLogs = dir => readdirSync(dir, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.log') && !file.includes('origin'))
  .map(file => readFileSync(join(dir, file), 'utf8')).join('\n')

/**
 * Returns whether a program accepts connections on a port.
 * @param {number} port
 * @returns {Promise<boolean>}
 */
const isListening = port => new Promise(resolve => {
  const socket = connect(port, LOOPBACK)
  socket.on('error', () => resolve(false)).on('connect', () => {
    socket.destroy()
    resolve(true)
  })
})

/**
 * Replaces the system paths and accounts of Debian's packages, which only root can use, by the folder of the subject.
 * Gives Varnish a free administration port. Adds to nginx its PID file and folders for temporary files.
 * @param {string} proxy
 * @param {string} text of a configuration, or an argument
 * @param {{ dir: string, admin: number, program: ProxyProgram }} options admin: port
 */
function toPrivatePaths (proxy, text, { dir, admin, program }) {
  const { modules } = program
  switch (proxy) {
    case 'nginx':
      return text.replaceAll('/var/cache/nginx', `${dir}/cache/nginx`).replaceAll('/var/log/nginx', `${dir}/log`)
        .replace('daemon off;', `daemon off; pid ${dir}/nginx.pid;`)
        .replace(/^http \{$/m, `http {\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(part =>
          `    ${part}_temp_path ${dir}/run/${part};\n`).join('')}`)
    case 'apache':
      return text.replaceAll(`"${modules?.installed}/`, `"${modules?.folder}/`)
        .replaceAll(/\/var\/cache\/apache2\/[\w-]+/g, `${dir}/cache`)
        .replaceAll(/\/(?:run|var\/lock)\/apache2/g, `${dir}/run`)
        .replaceAll('/var/log/apache2', `${dir}/log`)
        .replaceAll('"/etc/apache2"', `"${dir}"`)
        .replaceAll(/^(User|Group) .*$/gm, '$1 #65534')
    case 'haproxy':
      return text.replace(/^ {4}(user|group) haproxy$/gm, '')
    case 'varnish':
      return text.replaceAll('127.0.0.1:6082', `127.0.0.1:${admin}`)
    default:
      return text
  }
}
