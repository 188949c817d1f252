/** What a proxy in front costs, or saves, in instances and in money. */
import { count } from '../shared/format.js'
import { money, planName } from './tables/sizing.js'

/** @import { PriceRow, SizedTopology } from '../types.js' */

/** @param {SizedTopology[]} topologies @param {PriceRow[]} table the cheapest first @returns {string[]} a sentence for
 * each topology with a proxy whose server was measured without one */
export const compareTopologies = (topologies, table) => topologies.flatMap(({ word, topology }) => {
  const alone = topologies.find(other => topology.proxy && !other.topology.proxy && word.endsWith(`/${other.word}`))
  if (!alone) return []
  const [front, bare] = [bestOf(table, word), bestOf(table, alone.word)]
  if (!front || !bare) return []
  const same = table.find(row => row.topology === word && row.instances !== null && row.plan === bare.plan)
  const proxy = word.slice(0, -alone.word.length - 1)
  const onSame = same && same !== front
    ? ` On ${planName(bare.plan)} it takes ${count(same.instances)} instances in place of ${count(bare.instances)}.`
    : ''
  return [
    `${proxy} in front of ${alone.word} ${difference(front, bare)}: ${line(front)} in place of ${line(bare)}.${onSame}`
  ]
})

/** @param {PriceRow[]} table @param {string} word */
const bestOf = (table, word) => table.find(({ topology, monthly }) => topology === word && monthly !== null)

/** @param {PriceRow} row */
const line = ({ instances, plan, monthly }) =>
  `${count(instances)} × ${planName(plan)} at ${money(monthly, plan.currency)}`

/** @param {PriceRow} front @param {PriceRow} bare */
function difference (front, bare) {
  if (front.plan.currency !== bare.plan.currency) return 'is priced in another currency'
  const more = Number(front.monthly) - Number(bare.monthly)
  if (Math.abs(more) < 0.005) return 'costs as much'
  return `${more > 0 ? 'costs' : 'saves'} ${money(Math.abs(more), front.plan.currency)} a month`
}
