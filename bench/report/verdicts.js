/** The verdicts of a run or a comparison in one shape, for exports that other programs read (pure). */
import { capitalize, ended, estimateText, level, percent } from '../shared/format.js'
import { toRecord } from '../shared/group-by.js'
import { printVerdict } from './comparison-words.js'
import { printChangeWhy, printContrastWhy } from './facts/facts.js'

/** @import { Change, ChangeWhy, DiffMetric, Finding, RunRecord, Verdict } from '../types.js' */
/** @typedef {Finding['outcome']} Outcome */

/** @type {Record<Verdict, Outcome>} */
const OUTCOMES = {
  faster: 'passed',
  'no-difference': 'passed',
  slower: 'slower',
  inconclusive: 'open',
  invalid: 'failed'
}

/**
 * Lists the verdicts of a run: of the rates that --fail-if-slower compares, else of the contrasts.
 *
 * @param {Pick<RunRecord, 'contrasts'>} record
 * @param {DiffMetric[]} [rates] of --fail-if-slower
 * @returns {Finding[]}
 */
export const listRunVerdicts = (record, rates) => rates
  ? rates.filter(({ decides }) => decides).map(figure =>
    toFinding(figure, `${figure.arm} ÷ ${figure.baseline}, throughput`))
  : listContrastVerdicts(record)

/**
 * Returns the verdict about a change.
 *
 * @param {Change} figure
 * @param {string} name
 * @returns {Finding}
 */
export const toFinding = (figure, name) => toPrinted({ ...figure, name }, {
  words: printVerdict(figure),
  outcome: OUTCOMES[figure.verdict],
  why: toReason(figure)
})

/** @param {Pick<RunRecord, 'contrasts'>} record */
const listContrastVerdicts = ({ contrasts }) => contrasts.map(contrast =>
  toPrinted({ ...contrast, name: `${contrast.arm} ÷ ${contrast.baseline}, throughput` }, {
    words: contrast.verdict === 'no-difference' ? 'no difference' : contrast.verdict,
    outcome: OUTCOMES[contrast.verdict],
    why: printContrastWhy(contrast)
  }))

/**
 * Returns why a figure of a comparison is undecided: the recorded reason, else the slowdown that it can detect.
 *
 * @param {{ why: ChangeWhy | null, verdict: Verdict, sees: number | null }} figure
 */
function toReason ({ why, verdict, sees }) {
  if (why !== null) return printChangeWhy(why)
  return OUTCOMES[verdict] === 'open' && sees !== null
    ? `slowdowns of ${percent(sees)} and more are detectable`
    : null
}

/**
 * @param {{ name: string, ratio: number | null, low: number | null, high: number | null, level: number }} figure
 * @param {{ words: string, outcome: Outcome, why: string | null }} verdict
 * @returns {Finding}
 */
const toPrinted = ({ name, ratio, low, high, level: confidence }, { words, outcome, why }) => {
  const estimate = ratio === null ? '' : `: ${estimateText({ ratio, low, high })}, ${level(confidence)} CI`
  const reason = why ? ` ${capitalize(ended(why))}` : ''
  return { name, ratio, low, high, words, outcome, text: `${name} is ${words}${estimate}.${reason}` }
}

/**
 * Counts verdicts by outcome.
 *
 * @param {Finding[]} verdicts
 * @returns {Record<Outcome, number>}
 */
export const countOutcomes = verdicts => toRecord(['slower', 'passed', 'open', 'failed'],
  counted => verdicts.filter(({ outcome }) => outcome === counted).length)
