/** The ratio of a contrast with its interval: within one start, over several, or as it was decided (pure). */
import { contrastOver, decidedAt, groupsOf, ratiosByBlock } from './starts.js'
import { lag1 } from './stats/autocorrelation.js'
import { pairedRatio } from './stats/paired.js'
import { verdictOf } from './verdict.js'

/** @import { Contrast } from '../types.js' @import { Paired } from './stats/paired.js' */
/** @import { Rates, Starts } from './starts.js' */

/** @typedef {Paired & Pick<Contrast, 'starts' | 'df' | 'within' | 'decidedAtBlock'>} ContrastRatio */

/** @param {{ byArm: Rates, startOf: ReadonlyMap<number, number>, starts: Starts | null, wider?: number }} run starts:
 * null where processes were not replaced; wider: factor of the widening for one start
 * @param {[string, string]} contrast arm and baseline
 * @param {number} level confidence: 0.99 @returns {ContrastRatio} */
export function contrastRatio ({ byArm, startOf, starts, wider }, [arm, baseline], level) {
  const none = /** @type {Map<number, number>} */ (new Map())
  const ratios = ratiosByBlock(byArm.get(arm) ?? none, byArm.get(baseline) ?? none, startOf)
  const paired = pairedRatio(ratios.map(({ logRatio }) => logRatio), level, wider)
  const groups = groupsOf(ratios)
  if (!starts || groups.length < 2) return paired
  const { centre, half, df, withinHalf, means } = contrastOver(starts, [arm, baseline], groups, level)
  const decided = decidedAt(ratios, level)
  const over = {
    ...intervalOf(centre, half),
    blocks: ratios.length,
    pooled: groups.length,
    lag1: lag1(groups.flatMap((group, g) => group.map(x => x - means[g]))),
    starts: groups.length,
    df,
    within: intervalOf(centre, withinHalf),
    decidedAtBlock: decided?.block ?? null
  }
  // What was decided was measured no more: its own interval says why.
  if (!decided || verdictOf(over).verdict !== 'inconclusive') return over
  return { ...over, ...decided.interval, df: null }
}

/** @param {number} centre @param {number} half */
const intervalOf = (centre, half) =>
  ({ ratio: Math.exp(centre), low: Math.exp(centre - half), high: Math.exp(centre + half) })
