/**
 * The ratio of a contrast with its interval: within one start, over several starts, or at the block that decided it
 * (pure).
 */
import { computeOverStarts, findDecision, groupByStart } from './starts.js'
import { lag1 } from './stats/autocorrelation.js'
import { computeBlockRatios, pairedRatio } from './stats/paired.js'
import { judgeInterval } from './verdict.js'

/** @import { Contrast } from '../types.js' */
/** @import { Rates, Starts } from './starts.js' */
/** @import { Paired } from './stats/paired.js' */

/**
 * Computes the ratio over several starts if the contrast was measured in more than one start, or else within one.
 *
 * @param {{ byArm: Rates, startOf: ReadonlyMap<number, number>, starts: Starts | null, wider?: number }} run starts:
 *   null if processes were not replaced; wider: factor by which the interval within one start is widened
 * @param {[string, string]} contrast arm and baseline
 * @param {number} level confidence level
 * @returns {Paired & Pick<Contrast, 'starts' | 'df' | 'within' | 'decidedAtBlock'>}
 */
export function computeContrastRatio ({ byArm, startOf, starts, wider }, [arm, baseline], level) {
  const ratios = computeBlockRatios(byArm.get(arm) ?? new Map(), byArm.get(baseline) ?? new Map(), startOf)
  const groups = groupByStart(ratios)
  if (!starts || groups.length < 2) return pairedRatio(ratios.map(({ logRatio }) => logRatio), level, wider)
  const { centre, half, df, withinHalf, means } = computeOverStarts(starts, [arm, baseline], groups, level)
  const residuals = groups.flatMap((group, start) => group.map(logRatio => logRatio - means[start]))
  const decision = findDecision(ratios, level)
  const overStarts = {
    ...toInterval(centre, half),
    blocks: ratios.length,
    pooled: groups.length,
    lag1: lag1(residuals),
    starts: groups.length,
    df,
    within: toInterval(centre, withinHalf),
    decidedAtBlock: decision?.block ?? null
  }
  // A decision ends the measurement of a contrast, so its interval stays the interval of the contrast.
  if (!decision || judgeInterval(overStarts).verdict !== 'inconclusive') return overStarts
  return { ...overStarts, ...decision.interval, df: null }
}

/**
 * Converts a symmetric interval of a log-ratio to one of the ratio.
 *
 * @param {number} centre
 * @param {number} half half-width
 */
const toInterval = (centre, half) =>
  ({ ratio: Math.exp(centre), low: Math.exp(centre - half), high: Math.exp(centre + half) })
