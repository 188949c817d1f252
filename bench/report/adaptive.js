/** What the noise of the first blocks made of the length of a slice, in words.
 * @import { Plan, RunRecord } from '../types.js' */
import { budgetFor, count, duration, halfWidth, isNumber, percent } from '../plan/format.js'
import { differenceFound } from '../plan/sample-size.js'

/** Said in the middle of a run. @param {Pick<Plan, 'adaptive' | 'targets'>} plan one whose length of a slice is chosen
 */
export function chosenSentence ({ adaptive, targets }) {
  const { seconds, changed, noise, expected } = adaptive?.chosen ?? {}
  if (!noise || !expected) return 'Too few valid slices to estimate the noise: their length stays as it is.'
  const length = `Slices ${changed ? 'are' : 'stay'} ${seconds} s long${changed ? ' from here on' : ''}`
  if (adaptive?.detect && !expected.enough) {
    const needed = expected.neededSeconds === null
      ? ''
      : ` ${percent(adaptive.detect)} would take about ` +
        `${duration(budgetFor(targets.budgetSeconds + expected.neededSeconds - expected.wallSeconds))}.`
    return `${length}; detectable difference in the remaining time: about ${percent(expected.difference)}.${needed}`
  }
  return `${length}; about ${count(expected.blocks)} blocks, another ${duration(expected.wallSeconds)}; detectable ` +
    `difference: ${percent(expected.difference)}.`
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
    ? `chosen by the noise of the first ${adaptive.lookBlocks} blocks, which are discarded.`
    : 'the default: with the noise here no other length is better by a fifth.')
  return found.length > 0
    ? `${length} Detectable difference at 80 % power: ${percent(Math.max(...found))}.`
    : length
}
