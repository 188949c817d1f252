/** Judges the contrasts of an advice: what a rule decides by a measured pair of topologies (pure). */
import { hasOption } from '../plan/changed-spec.js'
import { estimate, estimateText, isNumber, percent, plural } from '../shared/format.js'

/** @import { AdviceContrast, AdviceState, DecisionKind, Ruling } from '../types.js' */

/** Smallest share of the bytes of a response that compression must save. */
export const LEAST_SAVED = 0.1
/** Options about the files that nginx serves. */
const FILES = ['static', 'gzip_static']

/**
 * Returns whether nginx sends the same files in two topologies.
 * @param {string} spec
 * @param {string} other
 */
export const sendsSameFiles = (spec, other) =>
  FILES.every(option => hasOption(spec, option) === hasOption(other, option))

/**
 * Returns the transport from nginx to the app, which has no pool if the app closes each connection.
 * @param {Pick<AdviceState, 'facts'>} state
 */
export const toTransport = ({ facts }) => facts.app.closesConnections ? 'tcp' : 'keepalive'

/**
 * Finds the measured pair of two topologies.
 * @param {Pick<AdviceState, 'contrasts'>} state
 * @param {string} arm
 * @param {string} baseline
 * @returns {AdviceContrast | null} null: not measured
 */
export const findContrast = ({ contrasts }, arm, baseline) =>
  contrasts.find(contrast => contrast.arm === arm && contrast.baseline === baseline) ?? null

/**
 * Returns whether the whole interval of a contrast needs the same number of instances as its baseline.
 * @param {AdviceContrast} contrast
 */
const isWorthNoInstance = ({ instances }) =>
  instances !== undefined && instances.low === instances.baseline && instances.high === instances.baseline

/**
 * Decides whether the arm of a contrast, which is the more complex topology, is worth it. An arm that gains less than
 * one instance at the load does not matter, so that the simpler topology wins.
 * @param {AdviceContrast | null} contrast null: not measured
 * @returns {DecisionKind}
 */
export function judge (contrast) {
  if (contrast === null || contrast.verdict === 'invalid') return 'open'
  if (contrast.verdict === 'slower') return 'do-not'
  if (contrast.verdict === 'no-difference' || isWorthNoInstance(contrast)) return 'no-matter'
  return contrast.verdict === 'faster' ? 'do' : 'open'
}

/**
 * Prints how much an arm serves compared with its baseline: a bound where one of them was not saturated.
 * @param {AdviceContrast} contrast
 */
export const ratioText = contrast =>
  `${contrast.arm} has ${figureText(contrast)} times the throughput of ${contrast.baseline}`

/**
 * Prints a ratio, or its bound.
 * @param {AdviceContrast} contrast
 */
export function figureText (contrast) {
  const { low, high } = estimate(contrast)
  switch (contrast.bound) {
    case 'at-least': return `at least ${low}`
    case 'at-most': return `at most ${high}`
    case 'neither': return estimateText(contrast).replace(/\)$/, ', not saturated)')
    default: return estimateText(contrast)
  }
}

/**
 * Returns the ruling of a contrast with the words of a rule.
 * @param {AdviceContrast | null} contrast
 * @param {{ subject: string, arm: string, baseline: string }} words subject: what is decided, as in "files from nginx";
 *   arm, baseline: the topologies if nothing was measured
 * @returns {Ruling}
 */
export function rule (contrast, { subject, arm, baseline }) {
  const decision = judge(contrast)
  if (contrast === null || contrast.verdict === 'invalid') {
    const fault = contrast ? 'the comparison is invalid' : `${arm} and ${baseline} were not compared`
    return {
      decision,
      text: `Whether ${subject} gains anything is open, because ${fault}.`,
      because: {},
      changes: 'A valid measurement of both.'
    }
  }
  const size = ratioText(contrast)
  const because = { contrast }
  switch (decision) {
    case 'do':
      return { decision, text: `Yes: ${size}.`, because, changes: toSmallLoad(contrast) }
    case 'do-not':
      return { decision, text: `No: ${size}.`, because, changes: 'Other requests, with which the ratio is above 1.' }
    case 'no-matter':
      return { decision, text: `Not needed: ${size}${worthText(contrast)}.`, because, changes: toGain(contrast) }
    default:
      return contrast.bound === 'neither'
        ? { decision, text: `Open: ${unsaturatedText(contrast)}`, because, changes: MORE_CONNECTIONS }
        : { decision, text: `Too close to call: ${size}.`, because, changes: longerText(contrast) }
  }
}

const MORE_CONNECTIONS = 'A comparison by hopbench run with more --connections.'

/** @param {AdviceContrast} contrast */
const unsaturatedText = ({ arm, baseline }) =>
  `the load did not keep both ${arm} and ${baseline} busy, so that their rates do not show their capacities.`

/** @param {AdviceContrast} contrast */
const worthText = contrast => isWorthNoInstance(contrast)
  ? `, which saves no instance: ${plural(Number(contrast.instances?.baseline), 'instance')} with and without it`
  : ', within the margin'

/** Returns what would reverse a decision for the arm of a contrast. @param {AdviceContrast} contrast */
const toSmallLoad = ({ instances }) => instances
  ? 'A load so small that it saves no instance.'
  : 'A load so small that it saves no instance: name it with --rps and --p99.'

/** Returns what would make the arm of a contrast matter. @param {AdviceContrast} contrast */
const toGain = ({ verdict }) => verdict === 'no-difference'
  ? 'Other requests, with which the difference exceeds the margin.'
  : 'A load at which it saves an instance.'

/** @param {AdviceContrast} contrast */
const longerText = ({ bound, secondsToSettle }) => isNumber(secondsToSettle) && !bound
  ? `A measurement of about ${plural(Math.ceil(secondsToSettle / 60), 'minute')} in place of this one.`
  : 'A quieter machine, or a longer measurement.'

/**
 * Returns the share of the bytes that the arm of a contrast saves.
 * @param {AdviceContrast} contrast
 * @returns {number | null} null: not measured
 */
export const savedShare = ({ bytes: { arm, baseline } }) =>
  arm === null || baseline === null || baseline === 0 ? null : 1 - arm / baseline

/** Prints a share that may be negative. @param {number} share */
export const shareText = share => percent(Math.round(share * 1000) / 1000)
