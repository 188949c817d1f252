/** Starts of a run and the noise of its machine as sentences (pure). */
import { excludesOne } from '../../judge/margin.js'
import { hasOneStart } from '../../plan/plan.js'
import { estimate, isNumber, listing, percent, plural } from '../../shared/format.js'
import { distanceFromOne } from '../phrases.js'
import { compact } from '../wrap.js'

/** @import { RunRecord, StandsApart } from '../../types.js' */

/** Fewest starts whose variation is reported. Two starts have a single degree of freedom for each pair of arms. */
const LEAST_STARTS = 3
const ONE_START = 'One start: another start of the same processes may shift ratios by a percent or two, ' +
  'occasionally by far more.'

/**
 * Reports the starts of all processes, the noise between and within them, and the blocks after which verdicts were
 * decided.
 * @param {Pick<RunRecord, 'noise' | 'standsApart' | 'contrasts' | 'plan'>} record
 * @returns {string[]}
 */
function startSentences ({ noise, standsApart = [], contrasts, plan }) {
  if (!noise) return hasOneStart(plan) ? [ONE_START] : []
  // A contrast whose load was the bottleneck has no verdict, although its decision was counted.
  const decided = contrasts.flatMap(({ arm, baseline, decidedAtBlock, verdict }) =>
    isNumber(decidedAtBlock) && !['inconclusive', 'invalid'].includes(verdict)
      ? [`${arm} against ${baseline} after ${plural(decidedAtBlock + 1, 'block')}`]
      : [])
  return compact([
    `The intervals come from ${plural(noise.starts, 'start')} of all processes${noiseClause(noise)}.`,
    decided.length > 0 && `Decided: ${listing(decided)}.`,
    ...standsApart.map(outlierSentence)
  ])
}

/**
 * Returns how much the ratio of two arms varied, as the end of a sentence. Empty: too few starts for an estimate.
 * @param {NonNullable<RunRecord['noise']>} noise
 */
function noiseClause ({ starts, startSd, sliceSd }) {
  if (starts < LEAST_STARTS) return ''
  const between = startSd === 0 ? 'no more than blocks explain' : `by ${percent(startSd)}`
  return `: between starts the ratio of two arms varied ${between}, between blocks of one start by ${percent(sliceSd)}`
}

/** @param {StandsApart} outlier */
function outlierSentence ({ arm, start, factor, fromBlock }) {
  const since = fromBlock === null ? '' : `, from block ${fromBlock + 1} on`
  return `Start ${start + 1} of ${arm} is an outlier: ${factor.toFixed(2)} times as fast as its other starts` +
    `${since}. It is not discarded.`
}

/**
 * Reports the differences that may be noise.
 * @param {Pick<RunRecord, 'noiseFloor' | 'noise' | 'standsApart' | 'contrasts' | 'plan' | 'protocol'>} record
 * @returns {string[]}
 */
export function noiseSentences (record) {
  const { plan: { twin }, noiseFloor, contrasts } = record
  if (contrasts.length === 0 && !twin) return []
  return [...twin ? [noiseFloorSentence(noiseFloor, twin.of)] : [], ...startSentences(record)]
}

/**
 * @param {RunRecord['noiseFloor']} noiseFloor
 * @param {string} name of the arm with a twin
 */
function noiseFloorSentence (noiseFloor, name) {
  if (!noiseFloor || !isNumber(noiseFloor.ratio)) {
    return `The noise floor of this run is unknown: too few valid blocks of ${name} and its twin.`
  }
  const { ratio, interval } = estimate(noiseFloor)
  const floor = `Noise floor (A/A): ${name} against its own twin measured ${ratio} (${interval})`
  const distance = percent(distanceFromOne(noiseFloor))
  return excludesOne(noiseFloor)
    ? `${floor}, which excludes 1: differences below ${distance} are inconclusive.`
    : `${floor}: differences of up to ${distance} may be noise.`
}
