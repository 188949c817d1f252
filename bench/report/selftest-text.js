/** What this machine resolves, as text. @import { SelfTest, Variances } from '../types.js'
 * @import { Style } from './text.js' */
import { count, listing, percent, plural, rate } from '../shared/format.js'
import { BY_HAND_LEAST, ENGINE_AGREEMENT } from '../shared/thresholds.js'
import { textTable } from './table.js'
import { plantedTable, resolutionTable } from './tables/selftest.js'
import { wrap } from './wrap.js'

/** The answer in a sentence. @param {SelfTest} selftest */
export function selftestAnswer ({ resolution: { table } }) {
  const found = table.filter(({ difference }) => Number.isFinite(difference))
  if (found.length === 0) return 'Too little was measured to estimate what this machine resolves.'
  return `This machine resolves ${
    listing(found.map(({ minutes, difference }) =>
      `${percent(difference)} in ` +
      `${minutes === 1 ? 'a minute' : `${minutes} minutes`}`
    ))
  }: the detectable difference at 80 % power.`
}

/** @param {SelfTest} selftest @param {Style} style @returns {string[][]} sections, each of lines */
export const selftestText = (selftest, style) => [
  [style.colors.bold('The smallest difference that this machine resolves'),
    ...textTable(resolutionTable(selftest), style),
    ...replicationWords(selftest).flatMap(text => wrap(text, style.columns))],
  [style.colors.bold('Planted differences: the same server with more CPU time for each request'),
    ...textTable(plantedTable(selftest), style)],
  [style.colors.bold('The suite itself'),
    ...words(selftest).flatMap(text => wrap(text, style.columns, { first: '- ' }))]
]

/** @param {SelfTest} selftest @returns {string[]} sentences */
export function replicationWords ({ resolution: { equal, variances } }) {
  const { runs } = equal
  return [
    equal.segments === 0
      ? 'Equal arms were not measured for long enough to estimate the rate of false verdicts.'
      : `Two equal arms (A/A) were called different in ${count(equal.different)} of ` +
        (runs === undefined ? `${count(equal.segments)} comparisons.` : `${plural(runs, 'independent run')}.`),
    ...variances ? [varianceSentence(variances)] : []
  ]
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

/** @param {SelfTest} selftest @returns {string[]} */
export function words ({ counts, engines, byHand, openLoop, noise, seconds }) {
  return [
    counts.disagreements.length === 0
      ? `Client and server counted the same requests in all of ${count(counts.arms)} arms.`
      : `Client and server counted differently: ${listing(counts.disagreements)}.`,
    ...byHand
      ? [
          `Run by the suite autocannon reached ${percent(byHand.ratio)} of its rate when run by hand (` +
          `${byHand.pairs.length} pairs in turn; the suite ` +
          `${byHand.ratio >= BY_HAND_LEAST ? 'costs next to nothing' : 'takes part of what it measures'}).`
        ]
      : [],
    ...engines ? [enginesSentence(engines)] : [],
    ...openLoop ? [openLoopSentence(openLoop)] : [],
    `Noise by source: other guests took ${percent(noise.stealShare)} of the CPU time, other programs ` +
    `${percent(noise.otherShare)}; the generator used ${percent(noise.generatorShare)} of its core; ` +
    `the clock's governor is ${noise.governor ?? 'not reported by this system'}` +
    `${noise.virtual ? '; the machine is a virtual one, and shares its cores with others' : ''}.`,
    `It took ${Math.round(seconds)} s.`
  ]
}

/** @param {NonNullable<SelfTest['engines']>} engines */
function enginesSentence (engines) {
  const shown = engines.filter(({ rps }) => rps)
  const bound = shown.filter(({ bound }) => bound === 'load').map(({ name }) => name)
  const limit = Math.log(1 + ENGINE_AGREEMENT)
  const apart = shown.filter(({ toMiddle }) => toMiddle && Math.abs(Math.log(toMiddle.ratio)) > limit)
    .map(({ name }) => name)
  const within = percent(ENGINE_AGREEMENT)
  return [
    `Engines in turn on one topology: ${listing(shown.map(({ name, rps }) => `${name} ${rate(rps?.median)} req/s`))}`,
    ...bound.length > 0 ? [`${listing(bound)} ${bound.length === 1 ? 'was' : 'were'} the bottleneck`] : [],
    apart.length > 0
      ? `${listing(apart)} more than ${within} from the median of the others.`
      : `all others within ${within} of their median.`
  ].join('; ')
}

/** @param {NonNullable<SelfTest['openLoop']>} openLoop */
function openLoopSentence ({ accuracies, beyond }) {
  const off = accuracies.map(({ measured, calculated }) => Math.abs(measured / calculated - 1))
  const accuracy = accuracies.length === 0
    ? 'An open loop could not be tried'
    : `An open loop measured ${accuracies.length} ${accuracies.length === 1 ? 'latency' : 'latencies'} ` +
      `known by calculation with errors of up to ${percent(Math.max(...off))}`
  return accuracy + (beyond.length > 0
    ? `; ${listing(beyond.map(rate => count(rate)))} req/s are beyond what the server can serve here.`
    : '.')
}
