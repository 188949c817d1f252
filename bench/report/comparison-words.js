/** The result of a comparison of two runs, or of two states of an app, in sentences and columns (pure). */
import { ended, estimateText, interval, listing, NONE, percent } from '../shared/format.js'
import { unitOf } from '../shared/units.js'
import { printChangeWhy } from './facts/facts.js'
import { printReason } from './facts/reason-texts.js'
import { changeParts, printChange } from './phrases.js'
import { column } from './table.js'
import { compact } from './wrap.js'

/** @import { ComparedArm, ComparedPair, Comparison } from '../judge/runs/compare-runs.js' */
/** @import { Change, Column, Verdict } from '../types.js' */

/** Words for verdicts that have others than their names. @type {Partial<Record<Verdict, string>>} */
const WORDS = { 'no-difference': 'as before', invalid: 'not measured' }
/** Words for the verdicts of costs. @type {typeof WORDS} */
const COST_WORDS = { ...WORDS, faster: 'cheaper', slower: 'costlier' }

/**
 * Prints the verdict of a change: "slower", of a cost "costlier", of figures that are not comparable "not compared".
 *
 * @param {Pick<Change, 'verdict' | 'worse' | 'ratio'>} change
 */
export function printVerdict ({ verdict, worse, ratio }) {
  if (verdict === 'inconclusive' && ratio === null) return 'not compared'
  return (worse === 'higher' ? COST_WORDS : WORDS)[verdict] ?? verdict
}

/** @type {(pair: { arm: string, baseline: string }) => string} */
const pairName = ({ arm, baseline }) => `${arm} ÷ ${baseline}`

/** Change, interval, verdict and power. A change that is counted has no interval. @type {Column<Change>[]} */
export const changeColumns = [
  column('change', change => change.ratio === null ? NONE : changeParts(change).share),
  column('interval', change => (change.low === change.high ? null : changeParts(change).range) ?? NONE),
  column('verdict', printVerdict, { left: true }),
  column({ page: 'detectable' }, ({ sees }) => percent(sees))
]

/**
 * Lists all figures of a comparison: ratios, CPU times and rates.
 * @param {Comparison} comparison
 */
export function listMetrics ({ contrasts, costs, arms, unit }) {
  const { per, perSecond, print } = unitOf(unit)
  const printRate = (/** @type {ComparedArm['rates'][number]} */ rate) =>
    rate ? `${print(rate.median)} (${interval(print(rate.low || NaN), print(rate.high))})` : NONE
  const toMetric = (/** @type {string} */ kind, /** @type {string} */ label, /** @type {ComparedPair} */ pair) => ({
    ...pair,
    kind,
    label,
    name: pairName(pair),
    before: pair.before.ratio,
    after: pair.after.ratio,
    texts: [pair.before, pair.after].map(estimateText)
  })
  return [
    ...contrasts.map(pair => toMetric('ratio', 'relative throughput', pair)),
    ...costs.map(pair => toMetric('cpu', `CPU time for each ${per}`, pair)),
    ...arms.map(arm => ({ ...arm, kind: 'rate', label: perSecond, name: arm.arm, texts: arm.rates.map(printRate) }))
  ]
}

/**
 * Leaves out the rates of runs on different machines, which do not decide.
 * @param {Comparison} comparison
 */
export const listDeciding = comparison =>
  listMetrics(comparison).filter(({ kind }) => kind !== 'rate' || comparison.ratesApart === null)

/**
 * Returns what changed, in the sentences that decide the exit code.
 * @param {Comparison} comparison
 */
export const comparisonAnswer = comparison => changeAnswer(listDeciding(comparison)
  .filter(({ decides }) => decides)
  .map(({ name, label, ...figure }) => ({ ...figure, name: figure.kind === 'ratio' ? name : `${name} in ${label}` })),
comparison)

/** Figures that an answer names, unless they are slower. The table has all of them. */
const MAX_NAMED = 4

/** @typedef {Pick<Change, 'verdict' | 'ratio' | 'low' | 'high' | 'why'> & { name: string }} NamedChange */

/** @param {NamedChange} figure */
const toChange = figure => `${figure.name} ${printChange(figure)}`

/** @param {NamedChange} figure */
function toOpen (figure) {
  const { range } = changeParts(figure)
  return range === null ? figure.name : `${figure.name} (${range})`
}

/** Names figures, or the number of many. @type {(figures: NamedChange[], print?: typeof toChange) => string} */
const nameMetrics = (figures, print = toChange) =>
  figures.length > MAX_NAMED ? `${figures.length} figures` : listing(figures.map(print))

/**
 * Words changes by their verdicts, in the sentences that decide the exit code.
 * @param {NamedChange[]} figures those that decide
 * @param {{ margin: number, sees: number | null }} comparison
 * @returns {string[]} at least one
 */
export function changeAnswer (figures, comparison) {
  const select = (/** @type {Verdict[]} */ ...verdicts) => figures.filter(({ verdict }) => verdicts.includes(verdict))
  const [worse, better, same] = [select('slower'), select('faster'), select('no-difference')]
  const open = select('inconclusive', 'invalid')
  const lost = lostText(open)
  // Beside a slower figure no sentence has the reasons of others.
  const unexplained = worse.length > 0 ? select('inconclusive') : open.filter(({ why }) => why === null)
  const beyond = `by more than ${percent(comparison.margin)}`
  if (figures.length === 0) return ['There was nothing to compare.']
  if (worse.length + open.length === 0) {
    return [better.length > 0
      ? `FASTER ${beyond}: ${nameMetrics(better)}.`
      : `NOT SLOWER ${beyond}: ${nameMetrics(same)}.`]
  }
  return compact([
    worse.length > 0
      ? `SLOWER ${beyond}: ${listing(worse.map(toChange))}.`
      : undecidedText(comparison, lost ?? toReason(open)),
    better.length > 0 && `Faster ${beyond}: ${nameMetrics(better)}.`,
    worse.length > 0 && lost,
    unexplained.length > 0 && `Inconclusive: ${nameMetrics(unexplained, toOpen)}.`
  ])
}

/**
 * Returns why a comparison is undecided: a reason, else what it can detect.
 *
 * @param {{ sees: number | null, margin: number }} comparison
 * @param {string | null} reason a sentence
 */
function undecidedText ({ sees, margin }, reason) {
  const power = sees === null
    ? 'this comparison has too few blocks to detect a slowdown of any size'
    : `this comparison detects slowdowns of ${percent(sees)} and more`
  return `UNDECIDED: ${reason ?? `${power}; --margin is ${percent(margin)}.`}`
}

/**
 * Returns why a figure was not measured.
 * @param {NamedChange[]} figures
 * @returns {string | null} null: all were measured
 */
function lostText (figures) {
  const lost = figures.find(({ verdict }) => verdict === 'invalid')
  if (!lost?.why) return null
  return ended(lost.why.code === 'arm-invalid'
    ? `${lost.why.params.arm} was not measured: ${printReason(lost.why.params.reason)}`
    : `${lost.name} was not measured: ${printChangeWhy(lost.why)}`)
}

/**
 * Returns why figures are undecided, other than by their noise.
 * @param {NamedChange[]} open
 * @returns {string | null} a sentence
 */
function toReason (open) {
  if (open.some(({ why }) => why?.code === 'one-start')) {
    return `a first look of one start: ${listing(open.map(toChange))}.`
  }
  const hidden = open.find(({ why }) => why !== null)
  return hidden?.why ? ended(`${hidden.name}: ${printChangeWhy(hidden.why)}`) : null
}

/**
 * Returns what the comparison can detect, and what its intervals include.
 * @param {Comparison} comparison
 * @returns {string[]}
 */
export function comparisonLimits (comparison) {
  const isCompared = listDeciding(comparison).some(({ decides }) => decides)
  const { sees } = comparison
  return compact([
    isCompared && (sees === null
      ? 'Some figures had too few blocks to detect a slowdown of any size.'
      : `Detectable slowdown of any figure at 80 % power: ${percent(sees)}.`),
    startsSentence(comparison),
    ...basis(comparison)
  ])
}

/**
 * @param {Comparison} comparison
 * @returns {string | null} null: no arm is compared
 */
function startsSentence ({ runs, starts: { before, after }, startsEachTrial, arms }) {
  if (arms.length === 0) return null
  if (startsEachTrial) return 'Each trial has new processes, so the intervals include the variation between starts.'
  if (before > 1 && after > 1) return `The intervals are over starts: ${before} before, ${after} now.`
  if (before < 2 && after < 2) {
    return 'Both runs have one start, so the intervals do not include the variation between starts.'
  }
  const single = before < after ? runs.before : runs.after
  return `${single} has one start: how far another one may differ is estimated from the starts of the other run.`
}

/**
 * Explains which figures decide, and what the intervals do not include.
 * @param {Comparison} comparison
 * @returns {string[]}
 */
function basis ({ ratesApart, contrasts, differences }) {
  if (ratesApart === null) {
    return ['The intervals include the noise within each run, but not changes between runs, such as the speed of a ' +
      `shared machine${differences.length > 0 ? ', and these two runs differ in their set-up' : ''}.`]
  }
  // Without rates a reader cannot see which arm of the pair has changed.
  const isFaster = contrasts.some(({ verdict }) => verdict === 'faster')
  return compact([
    `Rates did not decide, because ${printChangeWhy(ratesApart)}: ` +
      "ratios within each run and CPU time against the baseline's did.",
    contrasts.length === 0 &&
      'A run of one arm has no ratios: give it a second one that does not change, as in hopbench run http-json ' +
      './my-app.js.',
    isFaster && 'An arm that became faster against its baseline may instead have a baseline that became slower.'
  ])
}

/**
 * Lists why figures are not compared, each reason once.
 * @param {Comparison} comparison
 */
export const reasons = comparison => [...new Set(listDeciding(comparison).flatMap(figure =>
  figure.why === null ? [] : [`${figure.name} is ${printVerdict(figure)}: ${printChangeWhy(figure.why)}.`]))]
