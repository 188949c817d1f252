/** Matches the emulations of a sizing with the rows of its table (pure). */
import { CONFIDENCE } from '../../../shared/thresholds.js'
import { toInFlight } from '../little.js'
import { cheapestOfEach, findBest, listHeadlines, listUndominated, offeringName } from './offering-choice.js'

/** @import { PriceRow, Sizing, Emulated } from '../../../types.js' */

/** @typedef {Partial<Pick<Sizing, 'refuted' | 'emulated'>>} EmulatedOfferings */

/**
 * Lists the rows to emulate: the recommended one, those of an answer, then the cheapest of each provider.
 * @param {PriceRow[]} table the cheapest first
 * @returns {PriceRow[]}
 */
export function listCandidates (table) {
  const priced = listUndominated(table.filter(({ instances, monthly }) => instances !== null && monthly !== null))
  const best = findBest(priced)
  const headlines = listHeadlines(priced).map(({ row }) => row)
  return [...new Set([...best ? [best] : [], ...headlines, ...cheapestOfEach(priced)])]
}

/** Returns all emulations, that of the recommended offering last. @param {EmulatedOfferings} sizing */
export const listEmulated = ({ refuted = [], emulated = [] }) => [...refuted, ...emulated]

/**
 * Returns whether an emulation is of the offering and the topology of a row.
 * @param {Pick<Emulated, 'offering' | 'topology'>} found
 * @param {Pick<PriceRow, 'offering' | 'topology'>} row
 */
export const isOf = (found, { offering, topology }) =>
  found.offering === offeringName(offering) && found.topology === topology

/**
 * Returns the requests per second of one instance of a row while the spare instances are lost.
 * @param {Pick<PriceRow, 'instances'>} row
 * @param {{ rate: number, spare: number }} goal rate: of all instances
 */
export const toInstanceRate = ({ instances }, { rate, spare }) => rate / Math.max(1, Number(instances) - spare)

/**
 * Returns the share of its windows in which an emulated instance must meet the goal.
 * @param {number} [confidence] of the sizing
 */
export const toEmulatedShare = (confidence = CONFIDENCE) => Math.max(CONFIDENCE, confidence)

/**
 * Returns whether an emulation is of a row, was long enough, and had at least the rate of an instance of that row.
 * @param {Pick<Emulated, 'offering' | 'topology' | 'rate' | 'tooShort'>} found
 * @param {PriceRow} row
 * @param {{ rate: number, spare: number }} goal
 */
export const covers = (found, row, goal) =>
  !found.tooShort && isOf(found, row) && found.rate >= toInstanceRate(row, goal)

/**
 * Returns how certain the numbers of a row are.
 * @param {PriceRow} row
 * @param {Pick<Sizing, 'goal' | 'emulated'>} sizing
 */
export const toCertainty = (row, { goal, emulated = [] }) =>
  emulated.some(found => found.holds && covers(found, row, goal)) ? 'emulated here' : 'estimated'

/**
 * Returns the requests in flight to which a kit limits an instance: those at its capacity if each takes as long as the
 * goal, no more than its provider permits, and no more than an emulation tried last because p99 was above the goal.
 * @param {Pick<PriceRow, 'offering' | 'topology' | 'perInstance'>} row
 * @param {EmulatedOfferings & { goal: Pick<Sizing['goal'], 'p99Ms'> }} sizing
 * @returns {number | null} null: the row has no estimate
 */
export function limitInFlight (row, { goal, ...emulations }) {
  const { perInstance, offering: { mostConcurrency } } = row
  if (!perInstance) return null
  const atLimit = listEmulated(emulations).find(found => isOf(found, row))?.atLimit
  const isLowered = atLimit && (!atLimit.holds || atLimit.inFlight < atLimit.limit)
  const most = isLowered ? atLimit.inFlight : Infinity
  return Math.min(mostConcurrency ?? Infinity, toInFlight(perInstance, goal.p99Ms), most)
}
