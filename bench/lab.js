/**
 * A private network for each topology: its own loopback, its own ports, its own sysctls and its
 * own TIME_WAIT sockets. Works without root, by a user namespace; where that is refused, the
 * host's loopback is shared, and the record says so.
 */
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { dirname, join } from 'node:path'
import { HopbenchError } from './errors.js'
import { run, start, waitUntil, tailOf } from './process.js'
import { findTool } from './tools.js'

/**
 * Served programs run under this user id inside the namespace: nginx stops at chown and Apache
 * refuses to run when they believe that they are root without its powers.
 */
const SERVED_USER = 1000
const AS_SERVED_USER = ['unshare', '-U', `--map-user=${SERVED_USER}`, `--map-group=${SERVED_USER}`]
const IP = { program: 'ip', packages: { debian: ['iproute2'] } }

/**
 * @typedef {object} LabFacts
 * @property {'namespaces' | 'shared-loopback'} network
 * @property {boolean} pids a PID namespace that dies with its owner can be had
 * @property {string | null} why why not, where something cannot be had
 */

/**
 * @typedef {object} Network
 * @property {string[]} enter argv that enters it, for the suite's own programs
 * @property {string[]} enterServed the same, under a user id that is not 0
 * @property {(wanted: number) => Promise<number>} port a TCP port that is free in it
 * @property {() => Promise<void>} close
 */

/** @type {Promise<LabFacts> | undefined} */
let known

/**
 * What this machine allows, found out by trying once.
 * @returns {Promise<LabFacts>}
 */
export function labFacts () {
  known ??= (async () => {
    if (process.platform !== 'linux') {
      return { network: 'shared-loopback', pids: false, why: `${process.platform} has no network namespaces` }
    }
    const network = await run(['unshare', '-Urn', '--', ...AS_SERVED_USER, 'true'])
    if (network.exit !== 0) return { network: 'shared-loopback', pids: false, why: reasonOf(network.stderr) }
    const pids = await run(['unshare', '-Urpf', '--mount-proc', '--kill-child', 'true'])
    return { network: 'namespaces', pids: pids.exit === 0, why: pids.exit === 0 ? null : reasonOf(pids.stderr) }
  })()
  return known
}

/**
 * Opens a network for one topology.
 * @param {{ name: string, dir: string, private: boolean, sysctl?: Record<string, string> }} options
 *   `dir` takes the holder's log; `private: false` shares the host's loopback
 * @returns {Promise<Network>}
 * @throws {HopbenchError} lab-failed
 */
export async function openNetwork ({ name, dir, private: isPrivate, sysctl = {} }) {
  if (!isPrivate) {
    if (Object.keys(sysctl).length > 0) throw new HopbenchError('lab-needed', { name, what: `sysctl ${Object.keys(sysctl).join(', ')}` })
    /** @type {Set<number>} */
    const mine = new Set()
    return {
      enter: [],
      enterServed: await servedUser(dir),
      port: async wanted => {
        const port = await freePort(wanted)
        mine.add(port)
        return port
      },
      close: async () => mine.forEach(port => promised.delete(port))
    }
  }
  const ip = await findTool(IP)
  const ready = join(dir, 'lab.ready')
  const script = join(dir, 'lab.sh')
  writeFileSync(script, holderScript({ ip: ip.path, sysctl, ready }))
  const holder = start({
    name: `the private network of ${name}`,
    argv: ['unshare', '-Urn', 'sh', script],
    env: ip.env,
    log: join(dir, 'lab.log')
  })
  try {
    await waitUntil(holder, () => tailOf(ready) === 'ready', { timeoutSeconds: 5 })
  } catch (error) {
    await holder.stop()
    throw new HopbenchError('lab-failed', { name, output: holder.tail() }, { cause: error })
  }
  const enter = ['nsenter', `--target=${holder.pid}`, '--user', '--net', '--preserve-credentials', '--']
  return {
    enter,
    enterServed: [...enter, ...AS_SERVED_USER, '--'],
    port: async wanted => wanted,
    close: async () => { await holder.stop({ signal: 'SIGKILL' }) }
  }
}

/**
 * argv that gives up root, without a network of its own.
 * @param {string} dir below the temporary root
 * @returns {Promise<string[]>}
 */
async function servedUser (dir) {
  if (process.getuid?.() !== 0) return []
  const { network } = await labFacts()
  if (network === 'namespaces') return [...AS_SERVED_USER, '--']
  // Real root without namespaces: nginx gives up root by itself, and its workers must be able to
  // walk to the sockets. (A drop to nobody could not reach programs below root's own folders.)
  chmodSync(dirname(dir), 0o711)
  return []
}

/**
 * The process that keeps the namespace alive while nobody else is in it.
 * @param {{ ip: string, sysctl: Record<string, string>, ready: string }} options
 */
const holderScript = ({ ip, sysctl, ready }) => [
  'set -e',
  `'${ip}' link set lo up`,
  ...Object.entries(sysctl).map(([key, value]) => `echo '${value}' > /proc/sys/${key.replaceAll('.', '/')}`),
  `echo ready > '${ready}'`,
  'exec sleep 2147483647'
].join('\n') + '\n'

/** Ports that this run has promised to a program which may not listen there yet. */
const promised = new Set()
/** So many ports above the wanted one are tried, all of them below the range of ephemeral ports. */
const PORTS_TRIED = 2000

/**
 * On a shared loopback the wanted port may be taken: then the next free one. Not one that the kernel
 * picks: until the program listens there, an outgoing connection may get it.
 * @param {number} wanted
 * @throws {HopbenchError} no-port
 */
async function freePort (wanted) {
  for (let port = wanted; port < wanted + PORTS_TRIED; port++) {
    if (promised.has(port)) continue
    promised.add(port)
    if (await isFree(port)) return port
    promised.delete(port)
  }
  throw new HopbenchError('no-port')
}

/** @param {number} port */
async function isFree (port) {
  const server = net.createServer()
  server.listen(port, '127.0.0.1')
  const free = await once(server, 'listening').then(() => true, () => false)
  if (!free) return false
  server.close()
  await once(server, 'close')
  return true
}

/** @param {string} stderr */
const reasonOf = stderr => stderr.trim().split('\n').pop() || 'the kernel refused a user namespace'
