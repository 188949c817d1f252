/** Measures what TLS adds to the CPU time of a request, for offerings that end TLS in the instance. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { getTlsSettings } from '../../plan/tls.js'
import { print } from '../../plan/word.js'
import { toMicros } from './cost.js'
import { openSizingRig } from './sizing-rig.js'

/** @import { Arm, SizedTopology, Topology } from '../../types.js' */
/** @import { SizeOptions } from './types.js' */

/** Length of a window. */
const SECONDS = 1
/** Kind of key: the default of certificates that are renewed by certbot. */
const KEY = 'ecdsa-p256'
/** Number of connections at which the growth of the CPU time was measured without TLS. */
const CONNECTIONS = 100

/**
 * Measures the CPU time of a request over TLS on kept connections, and on a new connection each.
 *
 * @param {Arm} arm
 * @param {SizeOptions & { plain: SizedTopology['growth']['connections'] }} options plain: CPU time without TLS
 * @param {typeof openSizingRig} [open] a scripted rig, for tests
 * @returns {Promise<NonNullable<SizedTopology['tls']> | null>} null: the hop in front ends TLS already,
 * or cannot end it
 */
export async function measureTls (arm, { plain, ...options }, open = openSizingRig) {
  const before = plain.find(({ x }) => x === CONNECTIONS)
  if (!before || getTlsSettings(arm.topology) !== null) return null
  try {
    const kept = await measureMicros(arm, false, options, open)
    const fresh = await measureMicros(arm, true, options, open)
    return { requestMicros: Math.max(0, kept - before.micros), handshakeMicros: Math.max(0, fresh - kept) }
  } catch (error) {
    if (error instanceof HopbenchError) return null
    throw error
  }
}

/**
 * @param {Arm} arm
 * @param {boolean} fresh every request on a new connection
 * @param {SizeOptions} options
 * @param {typeof openSizingRig} open
 * @returns {Promise<number>} µs per request
 */
async function measureMicros (arm, fresh, options, open) {
  const topology = withTls(arm.topology)
  const word = print(topology)
  options.note(`${word}: the cost of ${fresh ? 'a connection' : 'a request'}`)
  const load = { ...arm.load, ...fresh && { fresh } }
  const temp = join(options.temp, fresh ? 'tls-fresh' : 'tls')
  const rig = await open({ ...arm, name: word, word, topology, load }, { ...options, temp })
  try {
    const sample = await rig.closed({ seconds: SECONDS, connections: CONNECTIONS })
    if (sample.requests === 0 || sample.invalid) {
      throw new HopbenchError('cannot-size', { name: word, why: 'no valid window over TLS' })
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
