/** The ratio of a contrast with its interval, within one start or over several starts, and its drift (pure). */
import { computeDrift } from './drift.js'
import { computeOverStarts, findDecision, groupByStart } from './starts.js'
import { lag1 } from './stats/dependence.js'
import { computeBlockRatios, pairedRatio } from './stats/paired.js'

/** @import { Contrast } from '../types.js' */
/** @import { Rates, Starts } from './starts.js' */
/** @import { Paired } from './stats/paired.js' */

/**
 * Computes the ratio over several starts if the contrast was measured in more than one start, or else within one.
 *
 * @param {object} run
 * @param {Rates} run.byArm
 * @param {ReadonlyMap<number, number>} run.startOf
 * @param {Starts | null} run.starts null: processes were not replaced
 * @param {boolean} run.isWarm whether a start serves several blocks, so that a block has a position in its start
 * @param {number} [run.wider] factor by which the interval within one start is widened
 * @param {[string, string]} contrast arm and baseline
 * @param {number} level confidence level
 * @returns {Paired & Pick<Contrast, 'starts' | 'df' | 'within' | 'drift' | 'decidedAtBlock'>}
 */
export function computeContrastRatio ({ byArm, startOf, starts, isWarm, wider }, [arm, baseline], level) {
  const ratios = computeBlockRatios(byArm.get(arm) ?? new Map(), byArm.get(baseline) ?? new Map(), startOf)
  const groups = groupByStart(ratios)
  const drift = isWarm ? computeDrift(ratios) : null
  if (!starts || groups.length < 2) {
    const within = pairedRatio(ratios.map(({ logRatio }) => logRatio), level, wider)
    // A single start among several, where an arm was warm in no other, does not show the variation between starts.
    const isOneOfSeveral = groups.length === 1 && new Set(startOf.values()).size > 1
    return { ...within, ...isOneOfSeveral && { low: 0, high: Infinity, starts: 1 }, ...drift && { drift } }
  }
  const { centre, half, df, withinHalf, means } =
    computeOverStarts(starts, [arm, baseline], groups, level, { isRate: true })
  const residuals = groups.flatMap((group, start) => group.map(logRatio => logRatio - means[start]))
  return {
    ...toInterval(centre, half),
    blocks: ratios.length,
    pooled: groups.length,
    lag1: lag1(residuals),
    starts: groups.length,
    df,
    within: toInterval(centre, withinHalf),
    ...drift && { drift },
    decidedAtBlock: findDecision(ratios, level)?.block ?? null
  }
}

/** Factor from the ratio to an end of its interval from which on it states nothing. With two starts that differ and one
 * degree of freedom, Student's t can reach factors of a million. */
const MAX_FACTOR = 10

/**
 * Converts a symmetric interval of a log-ratio to one of the ratio.
 *
 * @param {number} centre
 * @param {number} half half-width
 */
const toInterval = (centre, half) => half < Math.log(MAX_FACTOR)
  ? { ratio: Math.exp(centre), low: Math.exp(centre - half), high: Math.exp(centre + half) }
  : { ratio: Math.exp(centre), low: 0, high: Infinity }
