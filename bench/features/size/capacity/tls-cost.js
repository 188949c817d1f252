/** Measures what TLS adds to the CPU time of a request, for offerings that end TLS in the instance. */
import { join } from 'node:path'
import { median } from '../../../judge/stats/quantile.js'
import { HopbenchError } from '../../../errors.js'
import { hasTls } from '../../../plan/predicates.js'
import { print } from '../../../plan/spec.js'
import { toMicros } from './cost.js'
import { openSizingRig } from '../rig.js'

/** @import { Arm, PriceRow, SizedTopology, Topology } from '../../../types.js' */
/** @import { SizeOptions, SizingRig } from '../types.js' */

/** Length of a window. */
const SECONDS = 1
/** Windows of each kind. */
const ROUNDS = { full: 5, quick: 2 }
/** Few, because a window contains the handshakes of its connections: those of 400 were a third of its CPU time. */
const MOST_CONNECTIONS = 10
/** Kind of key: the default of certificates that are renewed by certbot. */
const KEY = 'ecdsa-p256'

/**
 * Measures what TLS adds to the CPU time of a request on a kept connection, and what a handshake takes. Windows without
 * TLS, over TLS on kept connections, and with a new connection for each request take turns, because the machine's speed
 * changes: from windows some minutes apart, a request over TLS cost 0 to 87 µs more.
 *
 * @param {Arm} arm
 * @param {SizeOptions} options
 * @param {typeof openSizingRig} [open] a scripted rig, for tests
 * @returns {Promise<NonNullable<SizedTopology['tls']> | null>} null: the hop in front ends TLS already,
 * or cannot end it
 */
export async function measureTls (arm, options, open = openSizingRig) {
  if (hasTls(arm.topology)) return null
  const secured = toTlsArm(arm)
  const load = { ...arm.load, connections: Math.min(MOST_CONNECTIONS, arm.load.connections) }
  const arms = [{ ...arm, load }, { ...secured, load }, { ...secured, load: { ...load, fresh: true } }]
  /** @type {SizingRig[]} */
  const rigs = []
  options.note(`${secured.name}: the cost of TLS`)
  try {
    for (const [i, arm] of arms.entries()) {
      const rig = await open(arm, { ...options, temp: join(options.temp, `tls-${i}`) })
      rigs.push(rig)
      await rig.warm()
    }
    /** @type {number[][]} */
    const rounds = []
    for (let round = 0; round < ROUNDS[options.quick ? 'quick' : 'full']; round++) {
      const micros = []
      for (const rig of rigs) micros.push(await measureMicros(rig, load.connections, secured.name))
      rounds.push(micros)
    }
    const typical = (/** @type {number[]} */ differences) => Math.max(0, median(differences))
    return {
      requestMicros: typical(rounds.map(([plain, kept]) => kept - plain)),
      handshakeMicros: typical(rounds.map(([, kept, fresh]) => fresh - kept))
    }
  } catch (error) {
    if (error instanceof HopbenchError) return null
    throw error
  } finally {
    for (const rig of rigs) await rig.close()
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
  const isAsMeasured = offering.class !== 'vm' || withoutTls || hasTls(arm.topology)
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
  const spec = print(topology)
  return { ...arm, name: spec, spec, topology }
}

/**
 * @param {SizingRig} rig
 * @param {number} connections
 * @param {string} name of the topology
 * @returns {Promise<number>} µs per request
 */
async function measureMicros (rig, connections, name) {
  const sample = await rig.closed({ seconds: SECONDS, connections })
  if (sample.requests === 0 || sample.invalid) {
    throw new HopbenchError('cannot-size', { name, why: 'no valid window over TLS' })
  }
  const { proxy, server } = toMicros(sample)
  return proxy + server
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
