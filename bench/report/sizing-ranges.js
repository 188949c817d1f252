/** Prints the instances and prices of a sizing as ranges, where another sizing may find others (pure). */
import { count } from '../shared/format.js'

/** @import { OpenRange, PriceRow } from '../types.js' */

/** Share by which a number of instances may differ from one sizing to the next before a range is printed. */
export const TOLERANCE = 0.15

/**
 * Returns whether another sizing may differ by more than one instance and by more than 15 %.
 * @param {Pick<PriceRow, 'instances' | 'range'>} row
 */
export function hasWideRange ({ instances, range }) {
  if (!range || instances === null) return false
  const { low, high = Infinity } = range.instances
  const tolerated = Math.max(1, TOLERANCE * instances)
  return high - instances > tolerated || instances - low > tolerated
}

/**
 * Returns whether another sizing may find no rate that meets the goal, so that the instances have no upper end.
 * @param {Pick<PriceRow, 'instances' | 'range'>} row
 */
export const hasOpenRange = ({ instances, range }) =>
  instances !== null && range != null && range.instances.high === undefined

/**
 * Prints a range: "4 to 16", "4 or more" if it has no upper end.
 * @param {OpenRange} range
 * @param {(value: number) => string} print
 */
export function rangeText ({ low, high }, print) {
  if (high === undefined) return `${print(low)} or more`
  return low === high ? print(low) : `${print(low)} to ${print(high)}`
}

/**
 * Prints the number of instances, as a range where it is wide: "4 to 16", "4 to more than its 12" if an offering has 12
 * at most.
 * @param {Pick<PriceRow, 'instances' | 'range'>} row
 * @param {string} [more] in place of "more than its "
 */
export function instancesText (row, more = 'more than its ') {
  const { instances, range } = row
  if (!range || !hasWideRange(row)) return count(instances)
  return range.most === undefined
    ? rangeText(range.instances, count)
    : `${count(range.instances.low)} to ${more}${count(range.most)}`
}
