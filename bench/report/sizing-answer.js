/** The answer of a sizing: an offering of each class with its instances, its total and its traffic. */
import { count, listing, micros, percent } from '../shared/format.js'
import { isFirm, listHeadlines } from './sizing-headlines.js'
import {
  assumedText, hasWideRange, isUncertain, money, offeringName, perInstance, rangeText, TOLERANCE
} from './tables/sizing.js'

/** @import { PriceRow, Sizing, SizedTopology } from '../types.js' */

/**
 * Returns the cheapest firm offering of each class in a sentence, or where none is firm, those with a mark.
 * @param {Sizing} sizing
 */
export function sizingAnswer ({ goal, table, topologies }) {
  if (topologies.length === 0) return 'There is no valid measurement.'
  const headlines = listHeadlines(table)
  if (headlines.length === 0) {
    return 'No offering can be recommended: each lacks a CPU figure or a price, or has too little memory.'
  }
  const day = goal.profile && goal.profile.shares.length > 1 ? ` at the peak of the day "${goal.profile.name}"` : ''
  const wanted = `for ${count(goal.rate)} requests a second${day} at a p99 of ${micros(goal.p99Ms)} ms`
  const firm = headlines.filter(({ row }) => isFirm(row))
  const named = firm.length > 0 ? firm : headlines
  const [{ row }] = named
  if (named.length === 1) {
    return `${offerText(row)} with ${row.topology} ${wanted}, each serves ${perInstance(row)}.`
  }
  return `A month with traffic ${wanted}: ${listing(named.map(({ name, row }) => `${name} ${shortText(row)}`))}.`
}

/**
 * Returns the offering of each class with its plan, the topology and its memory, and the margins.
 * @param {Sizing} sizing
 * @returns {string[]}
 */
export function headlineSentences ({ goal, table, topologies }) {
  const headlines = listHeadlines(table)
  if (headlines.length === 0) return []
  const named = topologies.filter(({ word }) => headlines.some(({ row }) => row.topology === word))
  return [
    ...headlines.map(({ name, row }) => `${name}: ${offerText(row)}` +
      `${topologies.length > 1 ? ` with ${row.topology}` : ''}, each serves ${perInstance(row)}.`),
    `${listing(named.map(topology => appText(topology, goal)))}: memory under load` +
      `${goal.memoryExtraMiB ? ', and what is added for drivers and agents' : ''}. ${spareSentence(goal)}`
  ]
}

/**
 * Prints a row as its provider and its total: "3 × Acme $30".
 * @param {PriceRow} row
 */
export function shortText (row) {
  const { offering: { provider, vcpu, currency }, instances, monthly, total, range } = row
  const isWide = hasWideRange(row)
  const number = range && isWide ? rangeText(range.instances, count) : count(instances)
  const price = range?.total && isWide
    ? rangeText(range.total, value => money(Math.round(value), currency))
    : money(total ?? monthly, currency)
  const marks = [
    ...typeof total === 'number' ? [] : ['without traffic'],
    ...vcpu === null ? ['CPU assumed'] : [],
    ...isUncertain(row) ? ['measure it there'] : []
  ]
  return `${number} × ${provider} ${price}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`
}

/**
 * Prints a topology with its memory under load, and with the memory that is added for drivers and agents.
 * @param {SizedTopology} topology
 * @param {Sizing['goal']} goal
 */
export function appText ({ word, memoryMiB }, { memoryExtraMiB }) {
  const extra = memoryExtraMiB?.[word] ? ` + ${count(memoryExtraMiB[word])} MiB` : ''
  return `${word} (${count(Math.round(memoryMiB))} MiB${extra})`
}

/**
 * Names the margins that the numbers of instances contain.
 * @param {Sizing['goal']} goal
 */
export function spareSentence ({ headroom, confidence, spare }) {
  const held = confidence && confidence > 0.5 ? ` that ${percent(confidence)} of the windows hold` : ''
  const margin = `${percent(headroom)} of the capacity${held} is kept free`
  if (spare === undefined) return `Of each instance, ${margin}.`
  if (spare === 0) return `Of each instance, ${margin}; none is spare.`
  return `Of each instance, ${margin}; losing ${spare === 1 ? 'one' : count(spare)} still meets the goal.`
}

/**
 * Prints a row with its total: "3 × Acme One ($30 a month, $9 of it traffic)".
 * @param {PriceRow} row
 */
export function offerText (row) {
  const { offering, instances, range } = row
  const number = range && hasWideRange(row) ? rangeText(range.instances, count) : count(instances)
  return `${number} × ${offeringName(offering)} (${[priceText(row), ...listMarks(row)].join(', ')})`
}

/** @param {PriceRow} row */
function priceText (row) {
  const { offering: { currency }, monthly, egress, total, range } = row
  if (typeof total !== 'number') return `${money(monthly, currency)} a month and traffic at an unpublished price`
  const traffic = egress ? `, ${money(egress, currency)} of it traffic` : ''
  if (!range?.total || !hasWideRange(row)) return `${money(total, currency)} a month${traffic}`
  return `${rangeText(range.total, price => money(Math.round(price), currency))} a month${traffic}`
}

/**
 * Lists the conditions under which a row is in no headline, and other marks of its price.
 * @param {PriceRow} row
 * @returns {string[]}
 */
function listMarks (row) {
  const { offering: { vcpu, assumed, closed, secondary, read }, old } = row
  return [
    ...vcpu === null && assumed ? [`${assumedText(assumed)} vCPU, assumed`] : [],
    ...isUncertain(row) ? ['a small share of a core: measure it there'] : [],
    ...closed ? [`closed to new customers since ${closed}`] : [],
    ...secondary ? ['price quoted by a third party'] : [],
    ...old ? [`by a price of ${read ? read.slice(0, 7) : 'an unknown day'}`] : []
  ]
}

/**
 * Returns the classes for which no row is firm, in a sentence.
 * @param {PriceRow[]} table
 * @returns {string[]} one sentence at most
 */
export function openClasses (table) {
  const open = listHeadlines(table).filter(({ row }) => !isFirm(row))
  if (open.length === 0) return []
  return ['No offering has a promised CPU and a published total and is open to new customers in ' +
    `${open.length === 1 ? 'the class' : 'the classes'} ${listing(open.map(({ name }) => name))}: they are marked.`]
}

/**
 * Describes how the range of a row came about.
 * @param {PriceRow[]} rows
 */
export const rangeSentence = rows => rows.some(hasWideRange) &&
  'A range of instances is from the search, from the CPU that is assumed, from bursts of CPU time that differ ' +
  'between windows, from the 7 % by which two sizings differ in the middle, and from the error of the model for ' +
  `shares of a core: ${percent(TOLERANCE)} as a rule, and up to 56 % below an eighth of a core: measure it there.`
