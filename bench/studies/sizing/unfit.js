/** What was found and no plan can be bought by (pure). */
import { HopbenchError } from '../../errors.js'

/** @import { Sizing } from '../../types.js' */

/** What was found stands in the record; a plan cannot be bought by it all the same. @param {Sizing} sizing
 * @throws {HopbenchError} app-leaks, rate-out-of-reach */
export function refuseUnfit ({ topologies, table, goal }) {
  const leaking = topologies.find(({ soak }) => soak?.leaks)
  if (leaking?.soak) {
    const { slope, seconds } = leaking.soak
    throw new HopbenchError('app-leaks', { name: leaking.word, slope, seconds, memoryMiB: leaking.memoryMiB })
  }
  if (table.length === 0 || table.some(({ instances }) => instances !== null)) return
  const why = [...new Set(table.map(row => row.why))].join('; ')
  throw new HopbenchError('rate-out-of-reach', { rate: goal.rate, why })
}
