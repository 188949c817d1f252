/** How many instances for several rates, in sentences.
 * @import { PriceRow, Sizing } from '../../types.js' */
import { count, listing, micros, percent } from '../../shared/format.js'
import { sizingAnswer, verificationSentences } from '../sizing-text.js'
import { cheapestOfEach, money, planName } from '../tables/sizing.js'

const DYNOS = /^Heroku\b/

/** The cheapest plan of every rate in one sentence, the cheapest dynos in another; then each as measured, with the
 * cheapest of every other provider. @param {Sizing[]} sizings by rate, the lowest first @returns {string[]} */
export function sizingSentences (sizings) {
  const [goal, ...others] = new Set(sizings.map(({ goal }) => goal.p99Ms))
  const several = goal !== undefined && others.length === 0
    ? [...byRate(sizings, `At a p99 of ${micros(goal)} ms`, () => true),
        ...byRate(sizings, 'In dynos', ({ provider }) => DYNOS.test(provider))]
    : []
  const headroom = [...new Set(sizings.map(({ goal }) => percent(goal.headroom)))]
  return [...several, ...sizings.flatMap(ownSentences),
    ...headroom.length > 0 ? [`Estimates, with ${listing(headroom)} of each instance's capacity kept free.`] : []]
}

/** @param {Sizing[]} sizings @param {string} begin @param {(plan: PriceRow['plan']) => boolean} counts
 * @returns {string[]} empty where there are fewer than two rates */
function byRate (sizings, begin, counts) {
  const each = sizings.flatMap(({ goal, table }) => {
    const best = cheapestPriced(table).find(({ plan }) => counts(plan))
    return best ? [`${brief(best)} for ${count(goal.rate)} requests a second`] : []
  })
  return each.length > 1 ? [`${begin}: ${listing(each)}.`] : []
}

/** @param {Sizing} sizing */
function ownSentences (sizing) {
  const [, ...others] = cheapestPriced(sizing.table)
  return [
    sizingAnswer(sizing),
    ...verificationSentences(sizing),
    ...others.length > 0
      ? [`The cheapest of other providers for ${count(sizing.goal.rate)}, as estimated: ${listing(others.map(brief))}.`]
      : []
  ]
}

/** @param {Sizing['table']} table */
const cheapestPriced = table => cheapestOfEach(table.filter(row => row.instances !== null && row.monthly !== null))

/** @param {PriceRow} row */
const brief = ({ instances, plan, monthly, old }) =>
  `${count(instances)} × ${planName(plan)} (${money(monthly, plan.currency)} a month` +
  `${old ? `, by a price ${plan.read ? `of ${plan.read.slice(0, 4)}` : 'of an unknown day'}` : ''}` +
  `${plan.vcpu === null ? ', CPU assumed' : ''})`
