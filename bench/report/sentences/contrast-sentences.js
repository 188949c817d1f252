/** Notes on the verdicts of a run (pure). */
import { countValidTrials } from '../../judge/stopping-rule.js'
import { isNumber, level, listing, plural } from '../../shared/format.js'
import { contrast as word, getEffect } from '../phrases.js'
import { compact } from '../wrap.js'

/** @import { ArmResult, Contrast, RunRecord } from '../../types.js' */

const COMPARABLE_BLOCKS = 2 // An arm with fewer than half of another's blocks may have been measured much earlier.

/**
 * Explains the table of contrasts: the level of its intervals, and the contrasts that are open, bounds or invalid.
 * @param {Pick<RunRecord, 'contrasts' | 'arms' | 'plan' | 'unit'>} record
 * @returns {string[]}
 */
export function contrastSentences ({ contrasts, arms, plan, unit }) {
  const withInterval = contrasts.filter(contrast => !['invalid', 'unknown'].includes(getEffect(contrast)) &&
    isNumber(contrast.low) && isNumber(contrast.high))
  return compact([
    withInterval.length > 0 && intervalSentence(withInterval, plan.targets.adjusted),
    ...contrasts.filter(isUnexplained).map(contrast => word(contrast, { arms, unit }, 'line')),
    contrasts.length > 0 && blocksSentence(arms)
  ])
}

/**
 * Returns whether the table does not show all of a contrast.
 * @param {Contrast} contrast
 */
const isUnexplained = ({ verdict, oneSided, why }) =>
  verdict === 'inconclusive' || verdict === 'invalid' || oneSided !== null || why !== null

/**
 * @param {Contrast[]} contrasts at least one
 * @param {boolean} isAdjusted
 */
function intervalSentence (contrasts, isAdjusted) {
  const together = isAdjusted && contrasts.length > 1 ? ', so that all of them hold together at 95 %' : ''
  return `Each interval is a ${level(contrasts[0].level)} CI from ` +
    `${blocksText(contrasts.map(({ blocks }) => blocks))}${together}.`
}

/** Prints a number of blocks, or its range. @param {number[]} blocks */
function blocksText (blocks) {
  const [fewest, most] = [Math.min(...blocks), Math.max(...blocks)]
  return fewest === most ? plural(most, 'block') : `${fewest} to ${plural(most, 'block')}`
}

/**
 * Reports that arms have very different numbers of blocks. Decided arms are no longer measured, while the speed of the
 * machine may change.
 * @param {ArmResult[]} arms
 */
function blocksSentence (arms) {
  const blocks = arms.filter(({ invalid }) => !invalid).map(countValidTrials)
  return Math.min(...blocks) < Math.max(...blocks) / COMPARABLE_BLOCKS &&
    `Rates and CPU times are those of each arm's own ${blocksText(blocks)}: between them the machine's speed may ` +
    'change, so compare two arms by their ratio.'
}

/**
 * Names the verdicts that are about latency, because an arm was not saturated, and how to measure capacity.
 * @param {Pick<RunRecord, 'contrasts' | 'arms' | 'protocol'>} record
 * @returns {string[]} one sentence at most
 */
export function saturationSentence ({ contrasts, arms, protocol }) {
  const shown = contrasts.filter(({ measures, verdict }) =>
    measures === 'hand-off latency' && ['faster', 'slower', 'no-difference'].includes(verdict))
  if (shown.length === 0) return []
  const names = listing(shown.map(({ arm, baseline }) => `${arm} against ${baseline}`))
  const subject = shown.length === contrasts.length && shown.length > 1
    ? 'All of these verdicts show'
    : `${names} show${shown.length > 1 ? '' : 's'}`
  const most = Math.max(...arms.map(({ load }) => load.connections))
  const option = protocol === 'ladder' ? '' : ` (--connections ${2 * most})`
  return [`${subject} hand-off latency, not capacity, since at least one arm was not saturated: try more connections` +
    `${option}.`]
}
