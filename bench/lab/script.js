/** The script of the process that keeps a private network alive while nobody else is in it (pure). */

/**
 * Two hosts on a wire: what a gigabit Ethernet carries. A token bucket (tc-tbf(8)) at each end lets through no more than that; its
 * `overhead` counts what Ethernet adds to a frame on the wire (IEEE 802.3): preamble 8, checksum 4 and a gap of 12 bytes.
 */
export const LINK = {
  bitsPerSecond: 1e9,
  client: '10.77.0.1',
  server: '10.77.0.2',
  /** the server's end */
  device: 'hop0',
  tbf: 'rate 1gbit burst 256kb latency 50ms overhead 24'
}
const CLIENT_DEVICE = 'hop1'

/**
 * @param {{ ip: string, tc: string | null, sysctl: Record<string, string>, ready: string }} options tc: null: there is no second host.
 *   `ready` takes a line when all is up: the process id of the second host's keeper, or of this one
 */
export const holderScript = ({ ip, tc, sysctl, ready }) => [
  'set -e',
  `${quoted(ip)} link set lo up`,
  ...set(sysctl),
  ...tc === null ? [`echo $$ > ${quoted(`${ready}.new`)}`] : [...secondHost(ip, tc, sysctl), `echo $client > ${quoted(`${ready}.new`)}`],
  `mv ${quoted(`${ready}.new`)} ${quoted(ready)}`,
  'exec sleep 2147483647'
].join('\n') + '\n'

/**
 * A second network namespace, the clients', joined to this one by a pair of virtual Ethernet devices.
 * @param {string} ip
 * @param {string} tc
 * @param {Record<string, string>} sysctl
 */
const secondHost = (ip, tc, sysctl) => [
  'unshare -n sleep 2147483647 & client=$!',
  // It has a network of its own only when unshare has got so far.
  'while [ "$(readlink /proc/$client/ns/net)" = "$(readlink /proc/$$/ns/net)" ]; do sleep 0.02; done',
  `${quoted(ip)} link add ${LINK.device} type veth peer name ${CLIENT_DEVICE} netns $client`,
  ...endOf(ip, tc, LINK.device, LINK.server),
  // Quoted: what follows is for that shell to read, not for this one.
  "nsenter --target=$client --net sh -e <<'CLIENT'",
  `${quoted(ip)} link set lo up`,
  ...set(sysctl),
  ...endOf(ip, tc, CLIENT_DEVICE, LINK.client),
  'CLIENT'
]

/** @param {string} ip @param {string} tc @param {string} device @param {string} address */
const endOf = (ip, tc, device, address) => [
  `${quoted(ip)} addr add ${address}/24 dev ${device}`,
  `${quoted(ip)} link set ${device} up`,
  `${quoted(tc)} qdisc add dev ${device} root tbf ${LINK.tbf}`
]

/** @param {Record<string, string>} sysctl */
const set = sysctl => Object.entries(sysctl).map(([key, value]) => `echo '${value}' > /proc/sys/${key.replaceAll('.', '/')}`)

/** One word of a shell, whatever is in it. @param {string} text */
const quoted = text => `'${text.replaceAll("'", "'\\''")}'`
