/** Sizings for several rates as the answer to a question (pure). */
import { cheapestOfEach, isFirm, listHeadlines, listOpenClasses, offeringName } from '../../judge/offering-choice.js'
import { capitalize, count, listing, micros } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'
import { headlineSentences, memoryText, shortText, sizingAnswer, spareSentence } from '../sizing-answer.js'
import { isConfirmed, verificationSentences } from '../verification-text.js'

/** @import { Sizing } from '../../types.js' */

/**
 * Returns the provider and total of the cheapest firm offering of each class at each rate, then each sizing with the
 * plans and with the cheapest offering of every other provider.
 * @param {Sizing[]} sizings the lowest rate first
 * @param {string} [app] words for the measured app
 * @returns {string[]}
 */
export function sizingSentences (sizings, app) {
  const goals = [...new Set(sizings.map(({ goal }) => goal.p99Ms))]
  return [...goals.length === 1 ? classSentences(sizings, app) : [], ...sizings.flatMap(toSentences)]
}

/**
 * Names the cheapest firm offering of each class, in a line for each rate.
 * @param {Sizing[]} sizings
 * @param {string} [app] words for the measured app
 * @returns {string[]} one item; empty: fewer than two rates
 */
function classSentences (sizings, app) {
  const offers = sizings.map(sizing => ({
    rate: sizing.goal.rate,
    firm: listHeadlines(sizing.table).filter(({ row }) => isFirm(row))
      .map(headline => ({ ...headline, isConfirmed: isConfirmed(headline.row, sizing) })),
    open: listOpenClasses(sizing.table)
  })).filter(({ firm }) => firm.length > 0)
  if (offers.length < 2) return []
  const [{ goal }] = sizings
  const days = offers.flatMap(({ firm }) => firm.flatMap(({ row }) => row.offering.read?.slice(0, 7) ?? [])).sort()
  const read = days.length > 0 ? `, by prices read ${[...new Set([days[0], days[days.length - 1]])].join(' to ')}` : ''
  return [[
    `${appsText(sizings)}: instances and their total a month with traffic, at a p99 of ${micros(goal.p99Ms)} ms` +
      `${read}. ${spareSentence(goal)} ${verifiedSentence(offers.flatMap(({ firm }) => firm), app)}`,
    ...offers.map(({ rate, firm, open }) => `${count(rate)} req/s: ` +
      `${[...firm.map(({ name, row }) => `${name} ${shortText(row)}`), ...open.map(toOpenText)].join('; ')}.`)
  ].join('\n')]
}

/**
 * Counts the named offerings of which an instance met the goal.
 * @param {{ isConfirmed: boolean }[]} named
 * @param {string} [app] words for the measured app
 */
function verifiedSentence (named, app) {
  const amount = named.filter(({ isConfirmed }) => isConfirmed).length
  const [verb, owner] = amount > 1 ? ['were', 'their'] : ['was', 'its']
  const how = amount === 0 ? '' : `: an instance met the goal here under ${owner} limits`
  const text = `${amount === 0 ? 'none' : amount} of these ${named.length} offerings ${verb} verified${how}`
  return `${capitalize(app ? `measured with ${app}; ${text}` : text)}.`
}

/**
 * Prints each topology with its memory, which differs a little between sizings: "express-json, 75 to 77 + 128 MiB".
 * @param {Sizing[]} sizings
 */
function appsText (sizings) {
  const byWord = groupBy(sizings.flatMap(({ topologies }) => topologies), ({ spec }) => spec)
  return listing([...byWord].map(([spec, sized]) => `${spec}, ${memoryText(sized, sizings[0].goal)}`))
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
          `${listing(others.map(row => shortText(row, { name: offeringName(row.offering) })))}.`]
      : []
  ]
}
