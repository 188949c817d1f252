/** Sizings for several rates as the answer to a question (pure). */
import { count, listing, micros, percent } from '../../shared/format.js'
import { sizingAnswer, verificationSentences } from '../sizing-text.js'
import { cheapestOfEach, money, offeringName } from '../tables/sizing.js'

/** @import { PriceRow, Sizing } from '../../types.js' */

const DYNOS = /^Heroku\b/

/**
 * Returns the cheapest offering at each rate in one sentence, the cheapest dynos in another, then each sizing with the
 * cheapest offering of every other provider.
 * @param {Sizing[]} sizings the lowest rate first
 * @returns {string[]}
 */
export function sizingSentences (sizings) {
  const goals = [...new Set(sizings.map(({ goal }) => goal.p99Ms))]
  const headroom = [...new Set(sizings.map(({ goal }) => percent(goal.headroom)))]
  return [
    ...goals.length === 1
      ? [...byRate(sizings, `At a p99 of ${micros(goals[0])} ms`, () => true),
          ...byRate(sizings, 'In dynos', ({ offering }) => DYNOS.test(offering.provider))]
      : [],
    ...sizings.flatMap(toSentences),
    ...headroom.length > 0 ? [`Estimates, with ${listing(headroom)} of each instance's capacity kept free.`] : []
  ]
}

/**
 * @param {Sizing[]} sizings
 * @param {string} beginning of the sentence
 * @param {(row: PriceRow) => boolean} isIncluded
 * @returns {string[]} empty for fewer than two rates
 */
function byRate (sizings, beginning, isIncluded) {
  const offers = sizings.flatMap(({ goal, table }) => {
    const best = listCheapest(table).find(isIncluded)
    return best ? [`${priceText(best)} for ${count(goal.rate)} requests a second`] : []
  })
  return offers.length > 1 ? [`${beginning}: ${listing(offers)}.`] : []
}

/** @param {Sizing} sizing */
function toSentences (sizing) {
  const [, ...others] = listCheapest(sizing.table)
  return [
    sizingAnswer(sizing),
    ...verificationSentences(sizing),
    ...others.length > 0
      ? [`The cheapest of other providers for ${count(sizing.goal.rate)}, as estimated: ` +
        `${listing(others.map(priceText))}.`]
      : []
  ]
}

/** @param {Sizing['table']} table */
const listCheapest = table => cheapestOfEach(table.filter(row => row.instances !== null && row.monthly !== null))

/** @param {PriceRow} row */
function priceText ({ instances, offering, monthly, old }) {
  const remarks = [
    `${money(monthly, offering.currency)} a month`,
    ...old ? [`by a price of ${offering.read ? offering.read.slice(0, 4) : 'an unknown day'}`] : [],
    ...offering.vcpu === null ? ['CPU assumed'] : []
  ]
  return `${count(instances)} × ${offeringName(offering)} (${remarks.join(', ')})`
}
