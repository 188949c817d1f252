/** A selftest as text: the smallest difference that the machine resolves, and checks of the suite itself. */
import { isDifferent } from '../judge/replication.js'
import { isWarmUpTooShort } from '../judge/resolution.js'
import { count, estimateText, listing, percent, plural } from '../shared/format.js'
import { BY_HAND_LEAST } from '../shared/thresholds.js'
import { titledTable } from './table.js'
import { plantedTable, resolutionTable } from './tables/selftest.js'
import { compact, titled, wrap, wrapItems } from './wrap.js'

/** @import { SelfTest, Variances } from '../types.js' */
/** @import { Style } from './wrap.js' */

/**
 * Returns the resolution of the machine in a sentence, or that the selftest failed.
 * @param {SelfTest} selftest
 */
export function selftestAnswer (selftest) {
  if (isWarmUpTooShort(selftest)) {
    return 'The selftest failed: two equal servers were called different, because one of them takes longer to warm up.'
  }
  const { table } = selftest.resolution
  const known = table.filter(({ difference }) => Number.isFinite(difference))
  if (known.length === 0) return 'Too little was measured to estimate what this machine resolves.'
  const differences = known.map(({ minutes, difference }) =>
    `${percent(difference)} in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}`)
  return `This machine resolves ${listing(differences)}: the detectable difference at 80 % power.`
}

/** @param {NonNullable<SelfTest['resolution']['late']>} late */
function lateSentence ({ requests, more, verdict, ...measured }) {
  const result = isDifferent({ verdict })
    ? 'FAILED: found different, because the warm-up of a run ends too early here'
    : verdict === 'no-difference' ? 'found equal' : 'not decided'
  return `Equal after ${count(requests)} requests that cost ${percent(more)} more: ratio ` +
    `${estimateText(measured)}, ${result}.`
}

/**
 * @param {SelfTest} selftest
 * @param {Style} style
 * @returns {string[][]} sections, each of lines
 */
export const selftestText = (selftest, style) => [
  [
    ...titledTable('The smallest difference that this machine resolves', resolutionTable(selftest), style),
    ...wrap(replicationSentences(selftest), style.columns)
  ],
  titledTable('Planted differences: the same server with more CPU time for each request',
    plantedTable(selftest), style),
  titled('The suite itself', wrapItems(suiteSentences(selftest), style), style)
]

/**
 * Returns the rate of false verdicts, the result of the planted warm-up, and how much the ratio of two arms varies.
 * @param {SelfTest} selftest
 * @returns {string[]}
 */
export function replicationSentences ({ resolution: { equal, late, variances } }) {
  const { runs, segments, different } = equal
  return compact([
    segments === 0
      ? 'Equal arms were not measured for long enough to estimate the rate of false verdicts.'
      : `Two equal arms (A/A) were called different in ${count(different)} of ` +
        (runs === undefined ? `${count(segments)} comparisons.` : `${plural(runs, 'independent run')}.`),
    late && lateSentence(late),
    variances && varianceSentence(variances)
  ])
}

/** @param {Variances} variances */
function varianceSentence ({ sliceSd, startSd, runSd, starts, runs }) {
  const part = (/** @type {number | null} */ sd, /** @type {string} */ level, /** @type {string} */ below) => {
    if (sd === null) return `an unknown amount ${level}`
    return sd === 0 ? `no more ${level} than ${below} explain` : `${percent(sd)} ${level}`
  }
  return `The ratio of two arms varies by ${part(sliceSd, 'from block to block', '')}, ` +
    `${part(startSd, 'from start to start', 'blocks')} and ${part(runSd, 'from run to run', 'starts')} ` +
    `(standard deviations; ${plural(runs, 'run')}, ${plural(starts, 'start')}).`
}

/**
 * Returns the checks of counts and open loops, and the noise of the machine.
 * @param {SelfTest} selftest
 * @returns {string[]}
 */
export function suiteSentences ({ counts, byHand, openLoop, noise, seconds }) {
  return compact([
    counts.disagreements.length === 0
      ? `Client and server counted the same requests in all of ${count(counts.arms)} arms.`
      : `Client and server counted differently: ${listing(counts.disagreements)}.`,
    byHand && `Run by the suite autocannon reached ${percent(byHand.ratio)} of its rate when run by hand (` +
      `${byHand.pairs.length} pairs in turn; the suite ` +
      `${byHand.ratio >= BY_HAND_LEAST ? 'costs next to nothing' : 'lowers the rates that it measures'}).`,
    openLoop && openLoopSentence(openLoop),
    `Noise by source: other guests took ${percent(noise.stealShare)} of the CPU time, other programs ` +
    `${percent(noise.otherShare)}; the generator used ${percent(noise.generatorShare)} of its core; ` +
    `the clock's governor is ${noise.governor ?? 'not reported by this system'}` +
    `${noise.virtual ? '; the machine is a virtual one, and shares its cores with others' : ''}.`,
    `It took ${Math.round(seconds)} s.`
  ])
}

/** @param {NonNullable<SelfTest['openLoop']>} openLoop */
function openLoopSentence ({ accuracies, beyond }) {
  const errors = [...new Set(accuracies.map(({ engine }) => engine))].map(name => {
    const own = accuracies.filter(({ engine }) => engine === name)
      .map(({ measured, calculated }) => Math.abs(measured / calculated - 1))
    return `${percent(Math.max(...own))} (${name})`
  })
  const accuracy = errors.length === 0
    ? 'An open loop could not be tried'
    : `An open loop measured calculated latencies with errors of up to ${listing(errors)}`
  return accuracy + (beyond.length > 0
    ? `; ${listing(beyond.map(rate => count(rate)))} req/s are beyond the capacity of the server here.`
    : '.')
}
