/** Where an interval lies against a margin: the one rule behind every verdict (pure). */

/** @import { Interval } from '../types.js' */

/** As far below 1 as above it, for ratios. @param {number} margin as a share @returns {Interval} */
export const withinMargin = margin => ({ low: 1 / (1 + margin), high: 1 + margin })

/** @param {{ low: number | null, high: number | null }} interval an end that is null may be anywhere
 * @param {Interval} range @returns {'within' | 'below' | 'above' | 'across'} within also where the ends meet */
export function placeOf ({ low, high }, range) {
  const [from, to] = [low ?? 0, high ?? Infinity]
  if (from >= range.low && to <= range.high) return 'within'
  if (to < range.low) return 'below'
  return from > range.high ? 'above' : 'across'
}

/** Does an interval show a difference, however small? @param {{ low: number | null, high: number | null }} interval */
export const excludesOne = interval => ['below', 'above'].includes(placeOf(interval, withinMargin(0)))
