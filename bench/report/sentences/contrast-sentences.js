/** Notes on the verdicts of a run (pure). */
import { countValidTrials } from '../../judge/stopping-rule.js'
import { estimate, isNumber, level, listing, percent, plural } from '../../shared/format.js'
import { contrastLine, distanceFromOne, getEffect } from '../phrases.js'
import { compact } from '../wrap.js'
import { excludesOne } from '../../judge/margin.js'
import { hasOneStart } from '../../plan/plan.js'

/** @import { ArmResult, ByRole, Contrast, RunRecord, StandsApart } from '../../types.js' */

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
    ...contrasts.filter(isUnexplained).map(contrast => contrastLine(contrast, { arms, unit })),
    contrasts.length > 0 && blocksSentence(arms),
    unwarmSentence(arms)
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

/** Fewest starts whose variation is reported. Two starts have a single degree of freedom for each pair of arms. */
const MIN_STARTS = 3
const ONE_START = 'One start: another start of the same processes may shift ratios by a percent or two, ' +
  'occasionally by far more.'

/**
 * Names the starts that are left out because an arm was not warm.
 * @param {ArmResult[]} arms
 */
function unwarmSentence (arms) {
  const counts = arms.flatMap(({ name, unwarmStarts }) => unwarmStarts ? [`${unwarmStarts} of ${name}`] : [])
  return counts.length > 0 && `Left out are starts in which an arm was not warm at the limit: ${listing(counts)}.`
}

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
  if (starts < MIN_STARTS) return ''
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

/** Cores of an arm with a proxy, as a multiple of those of the app alone. */
const PROXY_ARM_CORES = 2

/**
 * Returns one paragraph with the projected ratios of all contrasts between an app alone and behind a proxy: in total,
 * and per core, because the arm with a proxy has more cores. Empty if the served side has several cores, or no contrast
 * qualifies.
 * @param {Pick<RunRecord, 'arms' | 'contrasts' | 'environment'>} record
 * @returns {string[]} one paragraph at most
 */
export function projectionSentences ({ arms, contrasts, environment: { cores } }) {
  if (cores.served.length > 1) return []
  const clauses = contrasts.filter(({ verdict }) => verdict !== 'invalid').flatMap(contrast => {
    const [arm, baseline] = [contrast.arm, contrast.baseline].map(name => arms.find(arm => arm.name === name))
    const ratio = projectRatio(contrast, arm, baseline)
    if (ratio === null) return []
    const [perCore, words] = arm?.topology.proxy
      ? [ratio / PROXY_ARM_CORES, 'two cores instead of one']
      : [ratio * PROXY_ARM_CORES, 'one core instead of two']
    return [`${contrast.arm} would serve about ${perCore.toFixed(2)} times as much per core as ${contrast.baseline} ` +
      `(${ratio.toFixed(2)} times in total, with ${words})`]
  })
  if (clauses.length === 0) return []
  return [`Proxy and app shared one core here. With one core each, ${listing(clauses)}. This is projected from the ` +
    'CPU time per request. If the app runs one process per core, both alone and behind the proxy, the measured ratio ' +
    'holds instead.']
}

/**
 * Projects the ratio of an app alone and the same app behind a proxy to a core for each process.
 *
 * With P and S seconds of CPU time per request, proxy and server that saturate one core together serve 1 / (P + S)
 * requests per second. With a core each, the slower of the two limits the rate to 1 / max(P, S). So the rate rises by
 * the factor (P + S) / max(P, S). Applies these factors to the measured ratio, because it was measured in the same
 * blocks, whereas CPU times of two arms may come from blocks between which the speed of the machine changed. If an arm
 * did not saturate its core, its rate does not measure capacity, and the CPU times are compared instead.
 *
 * @param {Pick<Contrast, 'ratio' | 'measures'>} contrast of the two arms
 * @param {ArmResult} [arm]
 * @param {ArmResult} [baseline]
 * @returns {number | null} null: not one app alone and behind a proxy with one process each, or their CPU time is
 * unknown
 */
export function projectRatio ({ ratio, measures }, arm, baseline) {
  if (!arm || !baseline || Boolean(arm.topology.proxy) === Boolean(baseline.topology.proxy)) return null
  if (!isOneProcess(arm) || !isOneProcess(baseline)) return null
  if (arm.topology.server?.name !== baseline.topology.server?.name) return null
  const [cpu, baselineCpu] = [arm.cpuMicrosPerRequest, baseline.cpuMicrosPerRequest]
  if (!cpu || !baselineCpu) return null
  return measures === 'capacity' && isNumber(ratio)
    ? ratio * computeSpeedup(cpu) / computeSpeedup(baselineCpu)
    : getLargerMicros(baselineCpu) / getLargerMicros(cpu)
}

/**
 * Returns the CPU time per request of the slower of proxy and server, which limits the rate with one core each.
 * @param {Omit<ByRole, 'load'>} micros CPU time per request
 */
const getLargerMicros = ({ proxy, server }) => Math.max(proxy, server)

/**
 * Computes the factor by which the rate rises if proxy and server have one core each instead of one together.
 * @param {Omit<ByRole, 'load'>} micros CPU time per request
 */
const computeSpeedup = micros => (micros.proxy + micros.server) / getLargerMicros(micros)

/** Returns whether proxy and server have one process each. @param {ArmResult} arm */
const isOneProcess = ({ topology: { proxy, server } }) =>
  server?.instances === 1 && Number(proxy?.options.workers ?? 1) === 1
