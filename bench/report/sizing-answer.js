/** The answer of a sizing: an offering of each class with its instances, its total and its traffic. */
import { listFleets } from '../judge/fleet/size-fleets.js'
import { className, isFirm, listHeadlines, listOpenClasses, offeringName } from '../judge/offering-choice.js'
import { limitInFlight } from '../judge/verified-rows.js'
import { count, listing, micros, percent, plural } from '../shared/format.js'
import { ZONES } from '../judge/fleet/plan-fleet.js'
import { billText, trafficText } from './bill-text.js'
import { printReasonsOf } from './facts/sizing-texts.js'
import { printFleetTotal, refusedFleetSentences } from './fleet-text.js'
import { hasOpenRange, hasWideRange, instancesText, rangeText, TOLERANCE } from './sizing-ranges.js'
import { assumedText, isUncertain, money, perInstance, WITHOUT_TLS } from './tables/sizing.js'

/** @import { FleetPlan } from '../judge/fleet/plan-fleet.js' */
/** @import { PriceRow, Sizing, SizedTopology } from '../types.js' */

/**
 * Returns the cheapest firm offering of each class in a sentence, or where none is firm, those with a mark. Offerings
 * are fleets over several zones from 100,000 requests a second.
 * @param {Sizing} sizing
 */
export function sizingAnswer (sizing) {
  const { goal, table, topologies } = sizing
  if (topologies.length === 0) return 'There is no valid measurement.'
  const headlines = listHeadlines(table)
  if (headlines.length === 0) {
    return `No offering can be recommended: ${printReasonsOf(table) || 'the table is empty'}.`
  }
  const day = goal.profile && goal.profile.shares.length > 1 ? ` at the peak of the day "${goal.profile.name}"` : ''
  const firm = headlines.filter(({ row }) => isFirm(row))
  const named = firm.length > 0 ? firm : headlines
  const apps = topologies.filter(({ spec }) => named.some(({ row }) => row.topology === spec))
    .map(app => `${app.spec} (${memoryText(app, goal)})`)
  const target = `${day}${apps.length > 0 ? ` to ${apps.join(' or ')}` : ''}`
  const [rate, p99] = [count(goal.rate), `${micros(goal.p99Ms)} ms`]
  const wanted = `for ${rate} requests a second${target} at a p99 of ${p99}`
  const reserved = firm.length > 0 ? '' : 'With reservations: '
  const fleets = listFleets(sizing)
  const answer = fleets.length > 0
    ? `A month with traffic ${wanted}, over ${ZONES} zones, with ${percent(goal.headroom)} of the capacity free ` +
      `while one is lost: ${listing(fleets.map(fleetText))}.`
    : offersSentence(named, { wanted, brief: `${rate} req/s${target}, p99 ${p99}` })
  return [`${reserved}${answer}`, ...refusedFleetSentences(sizing)].join(' ')
}

/**
 * Prints the offerings of an answer. The totals of several are rounded, so that four of them take three lines of a
 * terminal.
 * @param {ReturnType<typeof listHeadlines>} named one at least
 * @param {{ wanted: string, brief: string }} words rate, topologies and goal, in whole words and in short ones
 */
function offersSentence (named, { wanted, brief }) {
  if (named.length === 1) return `${offerText(named[0].row)} ${wanted}.`
  const offers = named.map(({ name, row }) => `${name} ${shortText(row, { isBrief: true })}`)
  return `${brief}, a month: ${offers.join(', ')}.`
}

/**
 * Prints the memory of a topology under load and that added for drivers and agents: "75 + 128 MiB".
 * @param {SizedTopology} topology
 * @param {Sizing['goal']} goal
 */
function memoryText ({ spec, memoryMiB }, { memoryExtraMiB = {} }) {
  const extra = memoryExtraMiB[spec]
  return `${count(Math.round(memoryMiB))}${extra ? ` + ${count(extra)}` : ''} MiB`
}

/** Prints the rate that an instance serves at the goal: "≥ 5,432 req/s". @param {PriceRow} row */
const servesText = row => `${perInstance(row)} req/s`

/**
 * Prints the requests in flight to which kits limit an instance.
 * @param {PriceRow} row
 * @param {Sizing} sizing
 */
function inFlightText (row, sizing) {
  const limit = limitInFlight(row, sizing)
  return limit === null ? '' : ` with ${plural(limit, 'request')} in flight at most`
}

/** Prints a fleet: "VM 60 × Linode $3,038". @param {FleetPlan} fleet */
function fleetText (fleet) {
  const { row, egress } = fleet
  return `${className(row.offering)} ${instancesText(fleet)} × ${row.offering.provider} ${printFleetTotal(fleet)}` +
    printMarks(row, egress === null)
}

/**
 * Returns the offering of each class with its plan and its bill, the topologies with their memory and traffic, and the
 * margins.
 * @param {Sizing} sizing
 * @returns {string[]}
 */
export function headlineSentences (sizing) {
  const { goal, table, topologies } = sizing
  const headlines = listHeadlines(table)
  if (headlines.length === 0) return []
  const named = topologies.filter(({ spec }) => headlines.some(({ row }) => row.topology === spec))
  return [
    ...headlines.map(({ name, row }) => `${name}${isFirm(row) ? '' : ', with reservations'}: ${offerText(row)}` +
      `${topologies.length > 1 ? ` with ${row.topology}` : ''}, each serves ${servesText(row)}` +
      `${inFlightText(row, sizing)}.`),
    ...named.map(topology => appText(topology, goal)),
    `${spareSentence(goal)} Databases, logs and taxes are not included.`
  ]
}

/** Total from which a brief answer has no cents. */
const ROUNDED_FROM = 10

/**
 * Prints a row as its provider and its total: "3 × Acme $30".
 * @param {PriceRow} row
 * @param {{ isBrief?: boolean }} [options] isBrief: a total without cents, and the shortest words
 */
export function shortText (row, { isBrief = false } = {}) {
  const { offering: { currency, provider }, monthly, total, range } = row
  const printRounded = (/** @type {number} */ value) => money(Math.round(value), currency)
  const sum = total ?? monthly
  const single = isBrief && Number(sum) >= ROUNDED_FROM ? printRounded(Number(sum)) : money(sum, currency)
  const price = range?.total && hasWideRange(row) ? rangeText(range.total, printRounded) : single
  const marks = printMarks(row, typeof total !== 'number')
  return `${instancesText(row)} × ${provider} ${price}${isBrief ? marks.replace(MEASURE_IT, 'measure there') : marks}`
}

/** Mark of an estimate that is too uncertain. */
const MEASURE_IT = 'measure it there'

/**
 * Prints the reservations about a row in brackets, after a space. Empty: there is none.
 * @param {PriceRow} row
 * @param {boolean} isWithoutTraffic
 */
function printMarks (row, isWithoutTraffic) {
  const { vcpu, closed, secondary } = row.offering
  const marks = [
    ...isWithoutTraffic ? ['without traffic'] : [],
    ...vcpu === null ? ['CPU assumed'] : [],
    ...isUncertain(row) || hasOpenRange(row) ? [MEASURE_IT] : [],
    ...closed ? ['closed to new customers'] : [],
    ...secondary ? ['price quoted by a third party'] : [],
    ...row.withoutTls ? [WITHOUT_TLS] : []
  ]
  return marks.length > 0 ? ` (${marks.join(', ')})` : ''
}

/**
 * Prints a topology with its memory under load, the memory that is added for drivers and agents, and its traffic.
 * @param {SizedTopology} topology
 * @param {Sizing['goal']} goal
 */
function appText (topology, goal) {
  const { spec, memoryMiB } = topology
  const extra = goal.memoryExtraMiB?.[spec]
  const memory = `${count(Math.round(memoryMiB))} MiB under load` +
    `${extra ? `, and ${count(extra)} MiB added for drivers and agents` : ''}`
  const traffic = trafficText(topology, goal)
  return `${spec}: ${memory}${traffic ? `; ${traffic}` : ''}.`
}

/**
 * Names the margins that the numbers of instances contain.
 * @param {Sizing['goal']} goal
 */
function spareSentence ({ headroom, confidence, spare }) {
  const held = confidence > 0.5 ? ` that ${percent(confidence)} of the windows hold` : ''
  const margin = `${percent(headroom)} of the capacity${held} is kept free`
  if (spare === 0) return `Of each instance, ${margin}; none is spare.`
  return `Of each instance, ${margin}; losing ${spare === 1 ? 'one' : count(spare)} still meets the goal.`
}

/**
 * Prints a row with its bill: "3 × Acme One ($39 a month: 3 × $10 and $9 of traffic)".
 * @param {PriceRow} row
 */
function offerText (row) {
  const remarks = [billText(row), ...listMarks(row)]
  return `${instancesText(row)} × ${offeringName(row.offering)} (${remarks.join('; ')})`
}

/**
 * Lists the conditions under which a row is in no headline, and other marks of its price.
 * @param {PriceRow} row
 * @returns {string[]}
 */
function listMarks (row) {
  const { offering: { vcpu, assumed, closed, secondary, purpose, read }, old, withoutTls } = row
  return [
    ...vcpu === null && assumed ? [`${assumedText(assumed)} vCPU, assumed`] : [],
    ...unsureText(row),
    ...closed ? [`closed to new customers since ${closed}`] : [],
    ...secondary ? ['price quoted by a third party'] : [],
    ...withoutTls ? [WITHOUT_TLS] : [],
    ...purpose ? [`in its provider's words ${purpose}`] : [],
    ...old ? [`by a price of ${read ? read.slice(0, 7) : 'an unknown day'}`] : []
  ]
}

/**
 * Prints why an estimate must be measured on the platform.
 * @param {PriceRow} row
 * @returns {string[]} one mark at most
 */
function unsureText (row) {
  if (hasOpenRange(row)) return ['another sizing may find no rate that meets the goal: measure it there']
  return isUncertain(row) ? ['a small share of a core: measure it there'] : []
}

/**
 * Returns the classes for which no row is firm, in a sentence.
 * @param {PriceRow[]} table
 * @returns {string[]} one sentence at most
 */
export function openClasses (table) {
  const open = listOpenClasses(table)
  if (open.length === 0) return []
  return ['No offering has a promised CPU and a total of published prices, and is open to new customers, in ' +
    `${open.length === 1 ? 'the class' : 'the classes'} ${listing(open)}.`]
}

/**
 * Describes how the range of a row came about.
 * @param {PriceRow[]} rows
 */
export const rangeSentence = rows => rows.some(hasWideRange) &&
  'A range of instances is from the search, from the CPU that is assumed, from bursts of CPU time that differ ' +
  'between windows, from the 7 % by which two sizings differ in the middle, and from the error of the model for ' +
  `shares of a core: ${percent(TOLERANCE)} as a rule, and up to 56 % at an eighth of a core or less: measure it ` +
  `there.${rows.some(row => hasWideRange(row) && row.range?.most !== undefined) ? MORE_THAN_ITS : ''}` +
  `${rows.some(hasOpenRange) ? OR_MORE : ''}`

const MORE_THAN_ITS = ' More than its N: the rate may need more instances than its provider or --max permits.'
const OR_MORE = ' N or more: with the largest bursts of CPU time no rate of an instance meets the goal.'
