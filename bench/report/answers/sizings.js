/** How many instances for several rates, in sentences.
 * @import { PriceRow, Sizing } from '../../types.js' */
import { count, listing, micros } from '../../plan/format.js'
import { sizingAnswer } from '../sizing-text.js'
import { cheapestOfEach, money, planName } from '../tables/sizing.js'

/** The cheapest plan of every rate in one sentence; then each as measured, with the cheapest of every other provider.
 * @param {Sizing[]} sizings by rate, the lowest first @returns {string[]} */
export function sizingSentences (sizings) {
  const found = sizings.flatMap(({ goal, table }) => {
    const [best] = cheapestPriced(table)
    return best ? [{ goal, best }] : []
  })
  const each = found.map(({ goal, best }) => `${brief(best)} for ${count(goal.rate)} requests a second`)
  const goals = new Set(found.map(({ goal }) => goal.p99Ms))
  return [
    ...each.length > 1 && goals.size === 1 ? [`At a p99 of ${micros([...goals][0])} ms ${listing(each)}.`] : [],
    ...sizings.flatMap(ownSentences)
  ]
}

/** @param {Sizing} sizing */
function ownSentences (sizing) {
  const [, ...others] = cheapestPriced(sizing.table)
  return [
    sizingAnswer(sizing),
    ...others.length > 0
      ? [`The cheapest of other providers for ${count(sizing.goal.rate)}, as estimated: ${listing(others.map(brief))}.`]
      : []
  ]
}

/** @param {Sizing['table']} table */
const cheapestPriced = table => cheapestOfEach(table.filter(row => row.instances !== null && row.monthly !== null))

/** @param {PriceRow} row */
const brief = ({ instances, plan, monthly }) =>
  `${count(instances)} × ${planName(plan)} (${money(monthly, plan.currency)} a month)`
