/** Visits of simulated browsers during a rollout. */
import { startClient } from './client.js'

/** @import { Visits } from '../types.js' */
/** @import { VisitOrder } from './visits-child.js' */

/** Limit for the start of the process, on a busy machine. */
const START_SECONDS = 15
/** Limit for the requests in flight at the end: a late file, the page, its files, the late file again and an idle
 * connection, each of which may be sent twice. */
const END_SECONDS = 100

/**
 * Starts visits.
 * @param {Omit<VisitOrder, 'address'> & { url: string, enter: string[], dir: string }} options enter: argv prefix that
 *   enters the network of the clients; dir: folder of a log
 * @returns {Promise<{ end: () => Promise<Visits> }>} end: begins no further visit, and returns what was seen
 * @throws {HopbenchError} gate-refused
 */
export async function openVisits ({ url, enter, dir, ...order }) {
  const client = startClient({ url, enter, dir }, { task: 'visit', ...order })
  await client.read(START_SECONDS)
  return {
    async end () {
      client.end()
      const visits = await client.read(END_SECONDS)
      await client.close()
      return visits
    }
  }
}
