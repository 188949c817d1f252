/** What the noise of the first blocks made of the length of a slice, in words.
 * @import { Plan, RunRecord } from '../types.js' */
import { budgetFor, count, duration, halfWidth, isNumber, percent } from '../plan/format.js'
import { differenceFound } from '../plan/sample-size.js'

/** Said in the middle of a run. @param {Pick<Plan, 'adaptive' | 'targets'>} plan one whose length of a slice is chosen
 */
export function chosenSentence ({ adaptive, targets }) {
  const { seconds, changed, noise, expected } = adaptive?.chosen ?? {}
  if (!noise || !expected) return 'Too few slices counted to tell the noise: they stay as long as they are.'
  const length = `Slices ${changed ? 'are' : 'stay'} ${seconds} s long${changed ? ' from here on' : ''}`
  if (adaptive?.detect && !expected.enough) {
    const needed = expected.neededSeconds === null
      ? ''
      : ` ${percent(adaptive.detect)} would take about ` +
        `${duration(budgetFor(targets.budgetSeconds + expected.neededSeconds - expected.wallSeconds))}.`
    return `${length}; what is left of the time tells about ${percent(expected.difference)} apart.${needed}`
  }
  return `${length}; about ${count(expected.blocks)} blocks, another ${duration(expected.wallSeconds)}, tell ` +
    `${percent(expected.difference)} apart.`
}

/** Said at the end of one. @param {Pick<RunRecord, 'plan' | 'contrasts'>} record
 * @returns {string | null} null: nothing was to be chosen, or it was not yet */
export function adaptiveSentence ({ plan: { adaptive }, contrasts }) {
  if (!adaptive?.chosen) return null
  const { seconds, changed } = adaptive.chosen
  const found = contrasts.flatMap(contrast => {
    const half = halfWidth(contrast)
    return half !== null && isNumber(half) ? [differenceFound(half, contrast.level)] : []
  })
  const length = `Slices were ${seconds} s long, ` + (changed
    ? `chosen by the noise of the first ${adaptive.lookBlocks} blocks, which do not count.`
    : 'as usual: no other length is better by a fifth in the noise here.')
  return found.length > 0
    ? `${length} Differences of ${percent(Math.max(...found))} or more would be told apart 4 times in 5.`
    : length
}
