/** Sizings for several rates as the answer to a question (pure). */
import { count, listing, micros, plural } from '../../shared/format.js'
import { headlineSentences, shortText, sizingAnswer } from '../sizing-answer.js'
import { isFirm, listHeadlines, listOpenClasses } from '../sizing-headlines.js'
import { cheapestOfEach, offeringName } from '../tables/sizing.js'
import { verificationSentences } from '../verification-text.js'

/** @import { Sizing } from '../../types.js' */

/**
 * Returns the provider and total of the cheapest firm offering of each class at each rate, then each sizing with the
 * plans and with the cheapest offering of every other provider.
 * @param {Sizing[]} sizings the lowest rate first
 * @returns {string[]}
 */
export function sizingSentences (sizings) {
  const goals = [...new Set(sizings.map(({ goal }) => goal.p99Ms))]
  return [...goals.length === 1 ? classSentences(sizings) : [], ...sizings.flatMap(toSentences)]
}

/**
 * Names the cheapest firm offering of each class, in a line for each rate.
 * @param {Sizing[]} sizings
 * @returns {string[]} one item; empty: fewer than two rates
 */
function classSentences (sizings) {
  const offers = sizings.map(({ goal, table }) => ({
    rate: goal.rate,
    firm: listHeadlines(table).filter(({ row }) => isFirm(row)),
    open: listOpenClasses(table)
  })).filter(({ firm }) => firm.length > 0)
  if (offers.length < 2) return []
  const [{ goal: { p99Ms, spare } }] = sizings
  const days = offers.flatMap(({ firm }) => firm.flatMap(({ row }) => row.offering.read?.slice(0, 7) ?? [])).sort()
  const read = days.length > 0 ? `, by prices read ${[...new Set([days[0], days[days.length - 1]])].join(' to ')}` : ''
  const margin = spare ? `; losing ${plural(spare, 'instance')} still meets the goal` : ''
  return [[
    `Instances and their total a month with traffic, at a p99 of ${micros(p99Ms)} ms${margin}${read}.`,
    ...offers.map(({ rate, firm, open }) => `${count(rate)} req/s: ` +
      `${[...firm.map(({ name, row }) => `${name} ${shortText(row)}`), ...open.map(toOpenText)].join('; ')}.`)
  ].join('\n')]
}

/** Prints a class without a firm offering. @param {string} name */
const toOpenText = name => `${name} none without reservations`

/**
 * Returns the answer of a sizing, its plans and the cheapest offering of each other provider.
 * @param {Sizing} sizing
 */
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
      ? [`The cheapest of other providers for ${count(goal.rate)}, as estimated: ` +
          `${listing(others.map(row => shortText(row, offeringName(row.offering))))}.`]
      : []
  ]
}
