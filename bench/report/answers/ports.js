/** Local ports for connections to the app as the answer to a question (pure). */
import { count, interval, micros, plural, rate } from '../../shared/format.js'
import { errorsOf } from '../../shared/trial.js'

/** @import { ArmResult, RunRecord } from '../../types.js' */

const PORT_RANGE = 'net.ipv4.ip_local_port_range'
const DEFAULT_PORT_RANGE = '32768 60999' // Linux, net/ipv4/af_inet.c.
const TIME_WAIT_SECONDS = 60 // TCP_TIMEWAIT_LEN of Linux.

/**
 * Reports the rate of new connections under Linux's default on one host, and computes the rate at which connections to
 * another host become slow. The kernel takes ports of one parity first and is slow afterwards (docs/method.md, "Half of
 * the ports").
 * @param {RunRecord} record
 * @returns {string[]}
 */
export function portsSentences ({ arms, environment: { sysctl } }) {
  const [linuxDefault, withoutReuse] = ['reuse 2', 'reuse 0']
    .map(name => arms.find(arm => arm.name === name && !arm.invalid))
  const ports = countPorts(sysctl)
  return [
    ...linuxDefault ? [defaultSentence(linuxDefault, sysctl)] : [],
    `To another host, by calculation, from ${count(getSlowRate(ports))} a second to one address on: each holds its ` +
      `port for ${TIME_WAIT_SECONDS} s, and connect() is slow while half of the ${count(ports)} local ports are held.`,
    ...linuxDefault && withoutReuse ? [withoutReuseSentence(withoutReuse, linuxDefault, sysctl)] : [],
    'tcp_tw_reuse=1 reuses ports to any host; a kept connection takes one port, a Unix socket none.'
  ]
}

/**
 * @param {ArmResult} arm with the default of Linux
 * @param {Record<string, string>} sysctl of the host
 */
function defaultSentence (arm, sysctl) {
  const { rps, errors } = arm
  const range = rps && rps.low !== rps.high ? ` (${interval(rate(rps.low || NaN), rate(rps.high))})` : ''
  const failed = errorsOf(errors)
  return `Not on one host with Linux's default: tcp_tw_reuse=2 (since 4.19) reuses ports on the loopback, and ${
    rate(rps?.median)}${range} new connections a second were served ${
    failed === 0 ? 'without an error' : `with ${plural(failed, 'error')}`}, with ${count(countOwnPorts(arm, sysctl))
  } ports.`
}

/**
 * @param {ArmResult} arm without reuse
 * @param {ArmResult} linuxDefault
 * @param {Record<string, string>} sysctl of the host
 */
function withoutReuseSentence (arm, linuxDefault, sysctl) {
  const ports = countOwnPorts(arm, sysctl)
  const [own, other] = [arm, linuxDefault].map(({ cpuMicrosPerRequest }) => micros(cpuMicrosPerRequest?.proxy))
  return `Measured without reuse (tcp_tw_reuse=0) and with ${count(ports)} ports, where connections are slow by ` +
    `calculation from ${count(getSlowRate(ports))} a second on: ${rate(arm.rps?.median)} a second, at ${own} µs of ` +
    `nginx's CPU time for each in place of ${other} µs.`
}

/**
 * Computes the connections per second that hold half of the ports.
 * @param {number} ports
 */
const getSlowRate = ports => Math.floor(Math.floor(ports / 2) / TIME_WAIT_SECONDS)

/** @type {(arm: ArmResult, sysctl: Record<string, string>) => number} */
const countOwnPorts = ({ topology: { lab } }, sysctl) => countPorts({ ...sysctl, ...lab?.sysctl })

/** Counts the local ports for outgoing connections. @param {Record<string, string>} sysctl */
function countPorts (sysctl) {
  const [first, last] = (sysctl[PORT_RANGE] ?? DEFAULT_PORT_RANGE).split(/\s+/).map(Number)
  return last - first + 1
}
