/** Sizings for several rates as the answer to a question (pure). */
import { count, listing, micros } from '../../shared/format.js'
import { appText, headlineSentences, offerText, sizingAnswer, spareSentence } from '../sizing-answer.js'
import { isFirm, listHeadlines } from '../sizing-headlines.js'
import { verificationSentences } from '../sizing-text.js'
import { cheapestOfEach } from '../tables/sizing.js'

/** @import { Sizing } from '../../types.js' */

/**
 * Returns the cheapest firm offering of each class at each rate in one sentence, then each sizing with the cheapest
 * offering of every other provider.
 * @param {Sizing[]} sizings the lowest rate first
 * @returns {string[]}
 */
export function sizingSentences (sizings) {
  const goals = [...new Set(sizings.map(({ goal }) => goal.p99Ms))]
  return [...goals.length === 1 ? classSentences(sizings) : [], ...sizings.flatMap(toSentences)]
}

/**
 * @param {Sizing[]} sizings
 * @returns {string[]} the answer, and the margins; empty for fewer than two rates
 */
function classSentences (sizings) {
  const offers = sizings.flatMap(({ goal, table }) => {
    const firm = listHeadlines(table).filter(({ row }) => isFirm(row))
    if (firm.length === 0) return []
    const offers = firm.map(({ name, row }) => `${name} ${offerText(row)}`)
    return [`${count(goal.rate)} requests a second: ${offers.join('; ')}.`]
  })
  if (offers.length < 2) return []
  const [{ goal, topologies }] = sizings
  const app = topologies.length === 1 ? ` with ${appText(topologies[0], goal)}` : ''
  return [`At a p99 of ${micros(goal.p99Ms)} ms${app}, one offering of each class, traffic included. ` +
    `${offers.join(' ')} ${spareSentence(goal)}`]
}

/** @param {Sizing} sizing */
function toSentences (sizing) {
  const { goal, table } = sizing
  const named = new Set(listHeadlines(table).map(({ row }) => row.offering.provider))
  const others = cheapestOfEach(table.filter(row => row.instances !== null && row.monthly !== null))
    .filter(({ offering }) => !named.has(offering.provider))
  return [
    sizingAnswer(sizing),
    ...headlineSentences(sizing),
    ...verificationSentences(sizing),
    ...others.length > 0
      ? [`The cheapest of other providers for ${count(goal.rate)}, as estimated: ${listing(others.map(offerText))}.`]
      : []
  ]
}
