/**
 * Opens a private network for each topology, with its own loopback, ports, sysctls and TIME_WAIT sockets. A user
 * namespace makes root unnecessary. Where it is refused, the host's loopback is shared, and the record states it. With
 * `net: 'gigabit'` the network has two hosts, one for clients and one for the server, on a link of 1 Gbit/s.
 */
import { writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { HopbenchError, quoteForShell } from '../../errors.js'
import { CONGESTION_CONTROL, CUBIC } from '../../shared/congestion-control.js'
import { freePort, releasePort } from './ports.js'
import { readLastLines, run, start, waitUntil } from '../process.js'
import { readText } from '../files/system-files.js'
import { letOthersPass } from '../files/temp.js'
import { findTool } from '../tools.js'

/** @import { Environment } from '../../types.js' */
/** @import { Network, Tool } from '../types.js' */

/**
 * User ID of served programs inside the namespace. nginx fails at chown and Apache rejects to run if they run as root
 * without its privileges.
 */
export const SERVED_USER = 1000
export const AS_SERVED_USER = ['unshare', '-U', `--map-user=${SERVED_USER}`, `--map-group=${SERVED_USER}`]
const IP = { program: 'ip', packages: { debian: ['iproute2'] } }
const TC = { program: 'tc', packages: { debian: ['iproute2'] } }
export const LOOPBACK = '127.0.0.1'
const UP_SECONDS = 5 // A network namespace is up after a fraction of a second, also on a busy machine.
/** Option of nsenter(1) that names a process in the network. */
const TARGET = '--target='

/** why: of a namespace that is unavailable. @type {Promise<Environment['lab']> | undefined} */
let known

/** Tries once which namespaces this machine allows. */
export function labFacts () {
  known ??= (async () => {
    if (process.platform !== 'linux') {
      return { network: 'shared-loopback', pids: false, why: `${process.platform} has no network namespaces` }
    }
    const network = await run(['unshare', '-Urn', '--', ...AS_SERVED_USER, 'true'])
    if (network.exit !== 0) return { network: 'shared-loopback', pids: false, why: findKernelReason(network.stderr) }
    const pids = await run(['unshare', '-Urpf', '--mount-proc', '--kill-child', 'true'])
    return { network: 'namespaces', pids: pids.exit === 0, why: pids.exit === 0 ? null : findKernelReason(pids.stderr) }
  })()
  return known
}

/**
 * Finds the program that configures a private network of the whole suite.
 * @returns {Promise<Tool | null>} null: this machine rejects network or PID namespaces
 */
export async function findNetworkTool () {
  const { network, pids } = await labFacts()
  if (network !== 'namespaces' || !pids) return null
  const ip = await findTool(IP)
  const { exit } = await run(['unshare', '-Urn', '--', ip.path, 'link', 'set', 'lo', 'up'], { env: ip.env })
  return exit === 0 ? ip : null
}

/**
 * Finds the TCP congestion control of private networks.
 * @returns {Promise<string>} not CUBIC: this kernel does not offer it
 * @throws {HopbenchError} tool-missing
 */
export async function findLabCongestionControl () {
  const ip = await findTool(IP)
  const { stdout } = await run(['unshare', '-Urn', 'sh', '-c', congestionControlScript(ip.path)], { env: ip.env })
  return stdout.split('\n')[0].trim()
}

/**
 * Opens the network of one topology.
 * @param {object} options
 * @param {string} options.name
 * @param {string} options.dir folder for the holder's log
 * @param {boolean} options.private false: shares the host's loopback or address
 * @param {Record<string, string>} [options.sysctl]
 * @param {'gigabit'} [options.net]
 * @param {string} [options.address] not private: this host's address for clients on other machines
 * @returns {Promise<Network>}
 * @throws {HopbenchError} lab-failed, lab-needed, bad-sysctl
 */
export const openNetwork = options => options.private ? privateNetwork(options) : sharedNetwork(options)

/**
 * @param {Parameters<typeof openNetwork>[0]} options
 * @returns {Promise<Network>}
 */
async function sharedNetwork ({ name, dir, sysctl = {}, net, address = LOOPBACK }) {
  const wanted = [...Object.keys(sysctl).map(key => `sysctl ${key}`), ...net ? [`--net ${net}`] : []]
  if (wanted.length > 0) throw new HopbenchError('lab-needed', { name, what: wanted.join(', ') })
  /** @type {Set<number>} */
  const mine = new Set()
  return {
    enter: [],
    enterServed: await servedUser(dir),
    enterBeside: [],
    address,
    link: address === LOOPBACK ? null : findLink(address),
    port: async wanted => {
      const port = await freePort(wanted, address)
      mine.add(port)
      return port
    },
    close: async () => mine.forEach(releasePort)
  }
}

/**
 * @param {Parameters<typeof openNetwork>[0]} options
 * @returns {Promise<Network>}
 */
async function privateNetwork ({ name, dir, sysctl = {}, net }) {
  const ip = await findTool(IP)
  const tc = net ? await findTool(TC) : null
  const [ready, script] = ['lab.ready', 'lab.sh'].map(file => join(dir, file))
  writeFileSync(script, holderScript({ ip: ip.path, tc: tc?.path ?? null, sysctl, ready }))
  const holder = start({
    name: `the private network of ${name}`,
    argv: ['unshare', '-Urn', 'sh', script],
    env: { ...ip.env, ...tc?.env },
    log: join(dir, 'lab.log')
  })
  try {
    await waitUntil(holder, () => readLastLines(ready) !== '', { timeoutSeconds: UP_SECONDS })
  } catch (error) {
    await holder.stop()
    if (holder.tail().endsWith(NOT_OFFERED)) {
      throw new HopbenchError('bad-sysctl', {
        name: CONGESTION_CONTROL, value: sysctl[CONGESTION_CONTROL], why: NOT_OFFERED
      })
    }
    throw new HopbenchError('lab-failed', { name, output: holder.tail() }, { cause: error })
  }
  const enterBeside = toEnterArgv(holder.pid)
  return {
    // The script writes the PID of the process that keeps the clients' host.
    enter: net ? toEnterArgv(readLastLines(ready)) : enterBeside,
    enterServed: [...enterBeside, ...AS_SERVED_USER, '--'],
    enterBeside,
    address: net ? LINK.server : LOOPBACK,
    link: net ? { device: LINK.device, bitsPerSecond: LINK.bitsPerSecond } : null,
    port: async wanted => wanted,
    close: async () => { await holder.stop({ signal: 'SIGKILL' }) }
  }
}

const toEnterArgv = (/** @type {number | string} */ pid) =>
  ['nsenter', `${TARGET}${pid}`, '--user', '--net', '--preserve-credentials', '--']

/**
 * Returns the PID of a process in the network that an argv prefix enters. The process runs until the network is closed.
 * @param {string[]} enter empty: the network of hopbench
 */
export const findNetworkKeeper = enter =>
  Number(enter.find(spec => spec.startsWith(TARGET))?.slice(TARGET.length) ?? process.pid)

/** Returns the argv that gives up root, without a network namespace. @param {string} dir below the temporary root */
async function servedUser (dir) {
  if (process.getuid?.() !== 0) return []
  const { network } = await labFacts()
  if (network === 'namespaces') return [...AS_SERVED_USER, '--']
  // As real root without namespaces, nginx gives up root itself, and its workers must be able to reach the sockets. A
  // different account could not reach programs below root's own folders.
  letOthersPass(dir)
  return []
}

/** Returns the device with this address and its speed as the kernel reports it. @param {string} address */
function findLink (address) {
  const device = Object.entries(networkInterfaces()).find(([, addresses]) =>
    addresses?.some(known => known.address === address)
  )?.[0]
  if (device === undefined || device === 'lo') return null
  // A virtual device has no speed.
  const megabits = Number(readText(`/sys/class/net/${device}/speed`))
  return { device, bitsPerSecond: megabits > 0 ? megabits * 1e6 : null }
}

const findKernelReason = (/** @type {string} */ stderr) =>
  stderr.trim().split('\n').pop() || 'the kernel refused a user namespace'

/**
 * Link between two hosts, as fast as gigabit Ethernet. A token bucket (tc-tbf(8)) at each end limits the rate. Its
 * `overhead` counts what Ethernet adds to a frame (IEEE 802.3): preamble 8, checksum 4 and a gap of 12 bytes.
 */
const LINK = {
  bitsPerSecond: 1e9,
  client: '10.77.0.1',
  server: '10.77.0.2',
  device: 'hop0', // the server's end
  tbf: 'rate 1gbit burst 256kb latency 50ms overhead 24'
}
const CLIENT_DEVICE = 'hop1'
/** Line of the script's log if an arm's own congestion control cannot be set. */
const NOT_OFFERED = 'this kernel does not offer it'
/** Rejects anything but a path below /proc/sys, and numbers or words, because a downloaded run can contain anything. */
const SYSCTL_NAME = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/
const SYSCTL_VALUE = /^[a-z0-9_.-]+([ \t][a-z0-9_.-]+)*$/i

/**
 * @param {{ ip: string, tc: string | null, sysctl: Record<string, string>, ready: string }} options tc: null: there is
 * no second host. ready: file that gets a line when the network is up, the PID of the second host's keeper or of this
 * one.
 * @throws {HopbenchError} bad-sysctl
 */
export const holderScript = ({ ip, tc, sysctl, ready }) =>
  [
    'set -e',
    `${quoteForShell(ip)} link set lo up`,
    ...set(sysctl),
    ...tc === null ? [] : secondHost(ip, tc, sysctl),
    ...setCongestionControl(ip, sysctl),
    `echo ${tc === null ? '$$' : '$client'} > ${quoteForShell(`${ready}.new`)}`,
    `mv ${quoteForShell(`${ready}.new`)} ${quoteForShell(ready)}`,
    'exec sleep 2147483647'
  ].join('\n') + '\n'

/**
 * Makes the script that prints the congestion control of a private network without settings of its own.
 * @param {string} ip
 */
const congestionControlScript = ip =>
  [
    `${quoteForShell(ip)} link set lo up`,
    ...setCongestionControl(ip, {}),
    // Prints "congctl cubic" at the end, unless the route was left as it was.
    `${quoteForShell(ip)} route get 127.0.0.1 | sed -n 's/.* congctl //p'`,
    `cat ${quoteForShell(toFile(CONGESTION_CONTROL))}`
  ].join('\n') + '\n'

/**
 * Returns the commands that join the clients' network namespace to this one by a pair of virtual Ethernet devices.
 * @param {string} ip
 * @param {string} tc
 * @param {Record<string, string>} sysctl
 */
const secondHost = (ip, tc, sysctl) => [
  'unshare -n sleep 2147483647 & client=$!',
  // Wait until unshare has created the namespace.
  'while [ "$(readlink /proc/$client/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done',
  `${quoteForShell(ip)} link add ${LINK.device} type veth peer name ${CLIENT_DEVICE} netns $client`,
  ...configureDevice(ip, tc, LINK.device, LINK.server),
  // Quoted, because the inner shell expands the lines that follow.
  "nsenter --target=$client --net sh -e <<'CLIENT'",
  `${quoteForShell(ip)} link set lo up`,
  ...set(sysctl),
  ...configureDevice(ip, tc, CLIENT_DEVICE, LINK.client),
  ...setCongestionControl(ip, sysctl),
  'CLIENT'
]

/**
 * Returns the commands that set the congestion control of all routes. Inside a namespace, the kernel setting accepts
 * only the algorithms of net.ipv4.tcp_allowed_congestion_control, which lacks cubic where BBR is compiled in as the
 * default. A route may name any algorithm that is loaded (ip-route(8), congctl). Without a setting of the arm a failure
 * is ignored, and the record states what is in force.
 * @param {string} ip
 * @param {Record<string, string>} sysctl
 */
const setCongestionControl = (ip, { [CONGESTION_CONTROL]: control }) => [
  '(',
  'for table in local main; do',
  `  ${quoteForShell(ip)} -4 route show table $table | while read -r route; do`,
  // Flags such as "linkdown" are printed, but are no arguments.
  `    ${quoteForShell(ip)} route replace \${route%% linkdown*} table $table ` +
    `congctl ${quoteForShell(control ?? CUBIC)} ||`,
  '      exit 1',
  '  done || exit 1',
  'done',
  control === undefined
    ? ') || :'
    : `) || { echo ${quoteForShell(NOT_OFFERED)} >&2; exit 1; }`
]

/**
 * @param {string} ip
 * @param {string} tc
 * @param {string} device
 * @param {string} address
 */
const configureDevice = (ip, tc, device, address) => [
  `${quoteForShell(ip)} addr add ${address}/24 dev ${device}`,
  `${quoteForShell(ip)} link set ${device} up`,
  `${quoteForShell(tc)} qdisc add dev ${device} root tbf ${LINK.tbf}`
]

/**
 * Returns the commands that write kernel settings, except the congestion control.
 * @param {Record<string, string>} sysctl
 * @throws {HopbenchError} bad-sysctl
 */
const set = sysctl => Object.entries(sysctl).flatMap(([name, value]) => {
  if (!SYSCTL_NAME.test(name)) throw new HopbenchError('bad-sysctl', { name, value, why: 'its name is invalid' })
  if (!SYSCTL_VALUE.test(value)) {
    throw new HopbenchError('bad-sysctl', { name, value, why: 'its value is not numbers or words with single spaces' })
  }
  return name === CONGESTION_CONTROL ? [] : [`echo ${quoteForShell(value)} > ${quoteForShell(toFile(name))}`]
})

const toFile = (/** @type {string} */ name) => `/proc/sys/${name.replaceAll('.', '/')}`
