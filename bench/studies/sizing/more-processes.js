/** Measures what a second process adds, so that the rate of larger offerings is an estimate and not a lower bound. */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { print } from '../../plan/spec.js'
import { openSizingRig } from './sizing-rig.js'
import { findCapacity } from './size-topology.js'

/** @import { Arm, SizedTopology, Topology } from '../../types.js' */
/** @import { SizeOptions } from './types.js' */

const PROCESSES = 2

/**
 * Measures the capacity of a cluster of two processes of the same server.
 *
 * @param {Arm} arm
 * @param {SizeOptions} options
 * @param {typeof openSizingRig} [open] a scripted rig, for tests
 * @returns {Promise<NonNullable<SizedTopology['more']>>} empty where there is no core for each process, where the arm
 * has several processes already, and where the server cannot be clustered
 */
export async function measureMore (arm, options, open = openSizingRig) {
  const { server } = arm.topology
  if (server?.manager !== 'node' || options.cores.served.length < PROCESSES) return []
  /** @type {Topology} */
  const topology = { ...arm.topology, server: { ...server, manager: 'cluster', instances: PROCESSES } }
  const spec = print(topology)
  options.note(`${spec}: the capacity of ${PROCESSES} processes`)
  let rig
  try {
    const clustered = { ...arm, name: spec, spec, topology }
    rig = await open(clustered, { ...options, temp: join(options.temp, 'more') })
    const { capacity } = await findCapacity(rig, clustered, { ...options, quick: true, isOneSearchEnough: true })
    return [{ processes: PROCESSES, rate: capacity.rate, low: capacity.low, high: capacity.high }]
  } catch (error) {
    if (error instanceof HopbenchError) return []
    throw error
  } finally {
    await rig?.close()
  }
}
