/** What two processes serve where one was measured: a plan with more cores is worth that much more, and not "≥". */
import { join } from 'node:path'
import { HopbenchError } from '../../errors.js'
import { print } from '../../plan/word.js'
import { openSizingRig } from './sizing-rig.js'
import { capacityIn } from './size-topology.js'

/** @import { Arm, SizedTopology } from '../../types.js' @import { SizeOptions } from './types.js' */

const PROCESSES = 2

/** @param {Arm} arm @param {SizeOptions} options @param {typeof openSizingRig} [open] another rig, for tests
 * @returns {Promise<NonNullable<SizedTopology['more']>>} none where each process has no core, or more than one runs */
export async function moreOf (arm, options, open = openSizingRig) {
  const { server } = arm.topology
  if (server?.manager !== 'node' || options.cores.served.length < PROCESSES) return []
  const clustered = { ...server, manager: /** @type {const} */ ('cluster'), instances: PROCESSES }
  const topology = { ...arm.topology, server: clustered }
  const word = print(topology)
  options.note(`${word}: what a second process brings`)
  let rig
  try {
    rig = await open({ ...arm, name: word, word, topology }, { ...options, temp: join(options.temp, 'more') })
    const { capacity } = await capacityIn(rig, { ...arm, name: word }, { ...options, how: 'quick', once: true })
    return [{ processes: PROCESSES, rate: capacity.rate, low: capacity.low, high: capacity.high }]
  } catch (error) {
    // A server that cannot be clustered is sized as one process: the table says "≥" of larger plans.
    if (error instanceof HopbenchError) return []
    throw error
  } finally {
    await rig?.close()
  }
}
