/** What a machine's own noise allows to tell, from arms that are equal and arms that differ by a known amount (pure).
 * @import { Plan, Resolution, Sample } from '../types.js' */
import { excludesOne } from './margin.js'
import { blockLogRatios } from './stats/block-ratios.js'
import { halfWidth, pairedRatio } from './stats/paired.js'
import { validBlocks } from './summary.js'
import { verdictOf } from './verdict.js'
import { differenceFound } from '../plan/sample-size.js'
import { LEVEL } from '../plan/thresholds.js'

const SEGMENT = 12 // As many blocks as a default run must have.
export const MINUTES = [1, 5, 20]

/** @param {object} input @param {Plan} input.plan @param {Sample[]} input.samples
 * @param {string[]} input.equal names of arms that are the same
 * @param {{ arm: string, more: number, expected: number }[]} input.planted arms that are to be told apart from the
 * first of those
 * @param {{ setupSeconds: number, blockSeconds: number }} input.timing wall time that two arms and a twin would take
 * @returns {Resolution} */
export function resolutionOf ({ plan, samples, equal, planted, timing }) {
  const { byArm } = validBlocks(plan, samples)
  const logRatios = (/** @type {string} */ arm, /** @type {string} */ baseline) =>
    blockLogRatios(byArm.get(arm) ?? new Map(), byArm.get(baseline) ?? new Map())
  const pairs = equal.flatMap((arm, i) => equal.slice(0, i).map(other => logRatios(arm, other)))
  return {
    table: MINUTES.map(minutes => differenceIn(minutes, pairs, timing)),
    equal: calledDifferent(pairs),
    planted: planted.map(({ arm, more, expected }) => ({ more, expected, ...found(logRatios(arm, equal[0])) }))
  }
}

/** Half-widths shrink with the square root of the blocks; what neighbours have in common is in the interval already.
 * @param {number} minutes @param {number[][]} pairs log-ratios of equal arms, by block
 * @param {{ setupSeconds: number, blockSeconds: number }} timing */
function differenceIn (minutes, pairs, { setupSeconds, blockSeconds }) {
  const blocks = Math.max(0, Math.floor((minutes * 60 - setupSeconds) / blockSeconds))
  const halves = pairs.map(ratios =>
    Math.log(1 + halfWidth(pairedRatio(ratios, LEVEL))) * Math.sqrt(ratios.length / blocks)
  )
  const half = halves.reduce((a, b) => a + b, 0) / halves.length
  return { minutes, blocks, difference: differenceFound(Math.expm1(half), LEVEL) }
}

/** @param {number[][]} pairs */
function calledDifferent (pairs) {
  const segments = pairs.flatMap(ratios =>
    Array.from({ length: Math.floor(ratios.length / SEGMENT) }, (_, i) =>
      ratios.slice(i * SEGMENT, (i + 1) * SEGMENT))
  )
  const different = segments.filter(ratios =>
    ['faster', 'slower'].includes(verdictOf(pairedRatio(ratios, LEVEL)).verdict)
  )
  return { segments: segments.length, different: different.length, blocks: SEGMENT }
}

/** @param {number[]} ratios */
function found (ratios) {
  const { ratio, low, high } = pairedRatio(ratios, LEVEL)
  const apart = ratios.map((_, i) => excludesOne(pairedRatio(ratios.slice(0, i + 1), LEVEL)))
  const lastTogether = apart.lastIndexOf(false)
  return {
    ratio,
    low,
    high,
    verdict: verdictOf({ ratio, low, high }).verdict,
    foundAfter: lastTogether === apart.length - 1 ? null : lastTogether + 2
  }
}
