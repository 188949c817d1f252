/** Measures what TLS adds to the CPU time of a request, for offerings that end TLS in the instance. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { getTlsSettings } from '../../plan/tls.js'
import { print } from '../../plan/word.js'
import { toMicros } from './cost.js'
import { openSizingRig } from './sizing-rig.js'
import { warmUp } from './verify.js'

/** @import { Arm, PriceRow, SizedTopology, Topology } from '../../types.js' */
/** @import { SizeOptions } from './types.js' */

/** Length of a window. */
const SECONDS = { full: 3, quick: 1 }
/** Kind of key: the default of certificates that are renewed by certbot. */
const KEY = 'ecdsa-p256'

/**
 * Measures the CPU time of a request over TLS on kept connections, and on a new connection each, with as many
 * connections as the first measurement without TLS. Few, because a window contains the handshakes of its connections:
 * those of 400 were a third of the CPU time of a second.
 *
 * @param {Arm} arm
 * @param {SizeOptions & { plain: SizedTopology['growth']['connections'] }} options plain: CPU time without TLS by the
 * number of connections, the fewest first
 * @param {typeof openSizingRig} [open] a scripted rig, for tests
 * @returns {Promise<NonNullable<SizedTopology['tls']> | null>} null: the hop in front ends TLS already,
 * or cannot end it
 */
export async function measureTls (arm, { plain, ...options }, open = openSizingRig) {
  const [before] = plain
  if (!before || getTlsSettings(arm.topology) !== null) return null
  const secured = toTlsArm(arm)
  const load = { ...arm.load, connections: before.x }
  try {
    const kept = await measureMicros({ ...secured, load }, options, open)
    const fresh = await measureMicros({ ...secured, load: { ...load, fresh: true } }, options, open)
    return { requestMicros: Math.max(0, kept - before.micros), handshakeMicros: Math.max(0, fresh - kept) }
  } catch (error) {
    if (error instanceof HopbenchError) return null
    throw error
  }
}

/**
 * Returns the arm that an instance of a row runs. A virtual machine ends TLS itself, and its row contains the cost of
 * TLS unless that could not be measured.
 *
 * @param {Arm} arm
 * @param {Pick<PriceRow, 'offering' | 'withoutTls'>} row
 * @returns {Arm}
 */
export function toInstanceArm (arm, { offering, withoutTls = false }) {
  const isAsMeasured = offering.class !== 'vm' || withoutTls || getTlsSettings(arm.topology) !== null
  return isAsMeasured ? arm : toTlsArm(arm)
}

/**
 * Returns an arm whose front hop ends TLS.
 *
 * @param {Arm} arm
 * @returns {Arm}
 */
function toTlsArm (arm) {
  const topology = withTls(arm.topology)
  const word = print(topology)
  return { ...arm, name: word, word, topology }
}

/**
 * @param {Arm} arm over TLS
 * @param {SizeOptions} options
 * @param {typeof openSizingRig} open
 * @returns {Promise<number>} µs per request
 */
async function measureMicros ({ name, load, ...arm }, options, open) {
  options.note(`${name}: the cost of ${load.fresh ? 'a connection' : 'a request'}`)
  const temp = join(options.temp, load.fresh ? 'tls-fresh' : 'tls')
  const rig = await open({ ...arm, name, load }, { ...options, temp })
  try {
    // The CPU time without TLS is from a rig that has compiled its hot code.
    await warmUp(rig, options.cores.served.length, options.quick)
    const seconds = SECONDS[options.quick ? 'quick' : 'full']
    const sample = await rig.closed({ seconds, connections: load.connections })
    if (sample.requests === 0 || sample.invalid) {
      throw new HopbenchError('cannot-size', { name, why: 'no valid window over TLS' })
    }
    const { proxy, server } = toMicros(sample)
    return proxy + server
  } finally {
    await rig.close()
  }
}

/**
 * Turns TLS on at the hop that clients connect to.
 *
 * @param {Topology} topology
 * @returns {Topology}
 */
function withTls ({ proxy, server, ...topology }) {
  if (proxy) return { ...topology, server, proxy: { ...proxy, options: { ...proxy.options, tls: KEY } } }
  return { ...topology, proxy, server: server && { ...server, options: { ...server.options, tls: KEY } } }
}
