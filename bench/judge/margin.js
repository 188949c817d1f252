/** Position of an interval relative to a margin. All verdicts use it (pure). */

/** @import { Interval } from '../types.js' */

/**
 * Returns a range around 1 that is symmetric on the log scale.
 *
 * @param {number} margin as a share
 * @returns {Interval}
 */
export const withinMargin = margin => ({ low: 1 / (1 + margin), high: 1 + margin })

/**
 * @param {{ low: number | null, high: number | null }} interval null: unknown
 * @param {Interval} range
 * @returns {'within' | 'below' | 'above' | 'across'} within: also if the ends are equal
 */
export function placeOf ({ low, high }, range) {
  const [from, to] = [low ?? 0, high ?? Infinity]
  if (from >= range.low && to <= range.high) return 'within'
  if (to < range.low) return 'below'
  return from > range.high ? 'above' : 'across'
}

/**
 * Returns whether an interval shows a difference of any size.
 *
 * @param {{ low: number | null, high: number | null }} interval null: unknown
 */
export const excludesOne = interval => ['below', 'above'].includes(placeOf(interval, withinMargin(0)))

/** Status of a claim by the place of the interval relative to the claimed range. */
export const STATUS_BY_PLACE =
  /** @type {const} */ ({ within: 'confirmed', below: 'refuted', above: 'refuted', across: 'inconclusive' })

/** @type {Record<ReturnType<typeof placeOf>, 'within' | 'wholly outside' | 'partly outside'>} */
export const PLACE_WORDS =
  { within: 'within', below: 'wholly outside', above: 'wholly outside', across: 'partly outside' }
