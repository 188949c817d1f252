/**
 * A private network for each topology: its own loopback, its own ports, its own sysctls and its
 * own TIME_WAIT sockets. Works without root, by a user namespace; where that is refused, the
 * host's loopback is shared, and the record says so. With `net: 'gigabit'` it is two hosts, the
 * clients' and the server's, on a link that carries 1 Gbit/s.
 */
import { once } from 'node:events'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import { HopbenchError } from './errors.js'
import { holderScript, LINK } from './lab/script.js'
import { run, start, waitUntil, tailOf } from './process.js'
import { findTool } from './tools.js'

/**
 * Served programs run under this user id inside the namespace: nginx stops at chown and Apache
 * refuses to run when they believe that they are root without its powers.
 */
export const SERVED_USER = 1000
const AS_SERVED_USER = ['unshare', '-U', `--map-user=${SERVED_USER}`, `--map-group=${SERVED_USER}`]
const IP = { program: 'ip', packages: { debian: ['iproute2'] } }
const TC = { program: 'tc', packages: { debian: ['iproute2'] } }
export const LOOPBACK = '127.0.0.1'

/**
 * @typedef {object} LabFacts
 * @property {'namespaces' | 'shared-loopback'} network
 * @property {boolean} pids a PID namespace that dies with its owner can be had
 * @property {string | null} why why not, where something cannot be had
 */

/**
 * @typedef {object} Network
 * @property {string[]} enter argv that enters it, where the clients are
 * @property {string[]} enterServed where the served side is, under a user id that is not 0
 * @property {string[]} enterBeside where the served side is, for the suite's own programs
 * @property {string} address of the served side, as the clients see it
 * @property {{ device: string, bitsPerSecond: number | null } | null} link the served side's end of what its answers go through;
 *   bitsPerSecond: null: not known; null: the loopback
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
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.dir takes the holder's log
 * @param {boolean} options.private false: it shares the host's loopback, or the host's own address
 * @param {Record<string, string>} [options.sysctl]
 * @param {'gigabit'} [options.net]
 * @param {string} [options.address] not private: the address of this host that clients on other machines ask
 * @returns {Promise<Network>}
 * @throws {HopbenchError} lab-failed, lab-needed
 */
export async function openNetwork ({ name, dir, private: isPrivate, sysctl = {}, net, address = LOOPBACK }) {
  if (!isPrivate) {
    const wanted = [...Object.keys(sysctl).map(key => `sysctl ${key}`), ...net ? [`--net ${net}`] : []]
    if (wanted.length > 0) throw new HopbenchError('lab-needed', { name, what: wanted.join(', ') })
    /** @type {Set<number>} */
    const mine = new Set()
    return {
      enter: [],
      enterServed: await servedUser(dir),
      enterBeside: [],
      address,
      link: address === LOOPBACK ? null : linkOf(address),
      port: async wanted => {
        const port = await freePort(wanted, address)
        mine.add(port)
        return port
      },
      close: async () => mine.forEach(port => promised.delete(port))
    }
  }
  const ip = await findTool(IP)
  const ready = join(dir, 'lab.ready')
  const script = join(dir, 'lab.sh')
  const tc = net ? await findTool(TC) : null
  writeFileSync(script, holderScript({ ip: ip.path, tc: tc?.path ?? null, sysctl, ready }))
  const holder = start({
    name: `the private network of ${name}`,
    argv: ['unshare', '-Urn', 'sh', script],
    env: { ...ip.env, ...tc?.env },
    log: join(dir, 'lab.log')
  })
  try {
    await waitUntil(holder, () => tailOf(ready) !== '', { timeoutSeconds: 5 })
  } catch (error) {
    await holder.stop()
    throw new HopbenchError('lab-failed', { name, output: holder.tail() }, { cause: error })
  }
  const enterOf = (/** @type {number | string} */ pid) => ['nsenter', `--target=${pid}`, '--user', '--net', '--preserve-credentials', '--']
  const enter = enterOf(holder.pid)
  const served = [...enter, ...AS_SERVED_USER, '--']
  const place = net
    // The holder tells who keeps the clients' host.
    ? { enter: enterOf(tailOf(ready)), enterServed: served, enterBeside: enter, address: LINK.server, link: { device: LINK.device, bitsPerSecond: LINK.bitsPerSecond } }
    : { enter, enterServed: served, enterBeside: enter, address: LOOPBACK, link: null }
  return {
    ...place,
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
 * The device of this host that has an address, and how fast the kernel says that it is.
 * @param {string} address
 * @returns {Network['link']}
 */
function linkOf (address) {
  const device = Object.entries(networkInterfaces()).find(([, addresses]) => addresses?.some(known => known.address === address))?.[0]
  if (device === undefined || device === 'lo') return null
  let megabits = NaN
  try {
    megabits = Number(readFileSync(`/sys/class/net/${device}/speed`, 'utf8'))
  } catch {
    // A device that is no wire has no speed to tell.
  }
  return { device, bitsPerSecond: megabits > 0 ? megabits * 1e6 : null }
}

/** Ports that this run has promised to a program which may not listen there yet. */
const promised = new Set()
/** So many ports above the wanted one are tried, all of them below the range of ephemeral ports. */
const PORTS_TRIED = 2000
const HIGHEST_PORT = 65535

/**
 * On a shared loopback the wanted port may be taken: then the next free one. Not one that the kernel
 * picks: until the program listens there, an outgoing connection may get it.
 * @param {number} wanted
 * @param {string} address
 * @throws {HopbenchError} no-port
 */
export async function freePort (wanted, address) {
  const last = Math.min(HIGHEST_PORT, wanted + PORTS_TRIED - 1)
  for (let port = wanted; port <= last; port++) {
    if (promised.has(port)) continue
    promised.add(port)
    if (await isFree(port, address)) return port
    promised.delete(port)
  }
  throw new HopbenchError('no-port', { from: wanted, to: last, address })
}

/** @param {number} port @param {string} address */
async function isFree (port, address) {
  const server = createServer()
  server.listen(port, address)
  const free = await once(server, 'listening').then(() => true, () => false)
  if (!free) return false
  server.close()
  await once(server, 'close')
  return true
}

/** @param {string} stderr */
const reasonOf = stderr => stderr.trim().split('\n').pop() || 'the kernel refused a user namespace'
