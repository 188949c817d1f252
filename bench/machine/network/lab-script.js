/** Makes the script of the process that keeps a private network open (pure). */
import { HopbenchError, quoteForShell } from '../../errors.js'
import { CONGESTION_CONTROL, CUBIC } from '../../shared/congestion-control.js'

/**
 * Link between two hosts, as fast as gigabit Ethernet. A token bucket (tc-tbf(8)) at each end limits the rate. Its
 * `overhead` counts what Ethernet adds to a frame (IEEE 802.3): preamble 8, checksum 4 and a gap of 12 bytes.
 */
export const LINK = {
  bitsPerSecond: 1e9,
  client: '10.77.0.1',
  server: '10.77.0.2',
  device: 'hop0', // the server's end
  tbf: 'rate 1gbit burst 256kb latency 50ms overhead 24'
}
const CLIENT_DEVICE = 'hop1'
/** Line of the script's log if an arm's own congestion control cannot be set. */
export const NOT_OFFERED = 'this kernel does not offer it'
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
export const congestionControlScript = ip =>
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
