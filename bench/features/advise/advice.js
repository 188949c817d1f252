/** Judges the contrasts of an advice: what a rule decides by a measured pair of topologies (pure). */
import { hasOption } from '../../plan/changed-spec.js'
import { printContrastWhy } from '../../report/facts/facts.js'
import { capitalize, estimate, estimateText, isNumber, listing, percent, plural } from '../../shared/format.js'

/** @import { AdviceContrast, AdviceState, DecisionKind, OwnFiles, Ruling } from '../../types.js' */

/** Smallest share of the bytes of a response that compression must save. */
export const MIN_SAVED = 0.1
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
 * Returns whether a contrast is valid and has a ratio. A comparison that ended after a few trials has none.
 * @param {AdviceContrast | null} contrast null: not measured
 * @returns {contrast is AdviceContrast}
 */
export const hasRatio = contrast => contrast !== null && contrast.verdict !== 'invalid' && isNumber(contrast.ratio)

/**
 * Decides whether the arm of a contrast, which is the more complex topology, is worth it. An arm that gains less than
 * one instance at the load does not matter, so that the simpler topology wins.
 * @param {AdviceContrast | null} contrast null: not measured
 * @returns {DecisionKind}
 */
export function judge (contrast) {
  if (!hasRatio(contrast)) return 'open'
  if (contrast.verdict === 'slower') return 'do-not'
  if (contrast.verdict === 'no-difference' || isWorthNoInstance(contrast)) return 'no-matter'
  return contrast.verdict === 'faster' ? 'do' : 'open'
}

/** Beginnings of the text of a decision. @type {Record<DecisionKind, (action: string) => string>} */
const LEADS = {
  do: capitalize,
  'do-not': action => `Do not ${action}`,
  'no-matter': action => `You need not ${action}`,
  open: action => `It is open whether to ${action}`
}

/**
 * Returns a ruling with the text of its decision.
 * @param {DecisionKind} decision
 * @param {string} action as in "let nginx send the files"
 * @param {string} reason clause
 * @param {Ruling['because'] & Pick<Ruling, 'changes' | 'line'>} rest
 * @returns {Ruling}
 */
export const decided = (decision, action, reason, { changes, line, ...because }) => ({
  decision,
  text: `${LEADS[decision](action)}: ${reason}.`,
  because,
  changes,
  ...line !== undefined && { line }
})

/**
 * Prints how much an arm serves: a bound where an arm was not saturated.
 * @param {AdviceContrast} contrast
 * @param {string} baseline as a noun
 */
export const ratioText = (contrast, baseline) => `${metricText(contrast)} times the throughput of ${baseline}`

/**
 * Prints a ratio, or its bound.
 * @param {AdviceContrast} contrast
 */
export function metricText (contrast) {
  const { low, high } = estimate(contrast)
  switch (contrast.bound) {
    case 'at-least': return `at least ${low}`
    case 'at-most': return `at most ${high}`
    case 'neither': return estimateText(contrast).replace(/\)$/, ', not saturated)')
    default: return estimateText(contrast)
  }
}

/**
 * Returns the ruling of a contrast.
 * @param {AdviceContrast | null} contrast null: not measured
 * @param {string} action what is decided, as in "let nginx send the files"
 * @param {string} baseline as a noun, as in "the app alone"
 * @returns {Ruling}
 */
export function rule (contrast, action, baseline) {
  const decision = judge(contrast)
  if (!hasRatio(contrast)) {
    const fault = contrast ? UNKNOWN : 'it was not measured'
    return decided(decision, action, fault, { changes: 'A valid measurement of both.' })
  }
  if (decision === 'open' && contrast.bound === 'neither') {
    const fault = 'the load did not keep both topologies busy, so that their rates do not show their capacities'
    return decided(decision, action, fault, { contrast, changes: MORE_CONNECTIONS })
  }
  const more = decision === 'no-matter' ? worthText(contrast) : decision === 'open' ? doubtText(contrast) : ''
  return decided(decision, action, ratioText(contrast, baseline) + more,
    { contrast, changes: CHANGES[decision](contrast) })
}

/** Why a measured pair decides nothing. */
const UNKNOWN = 'the comparison is invalid, or had too few trials for a ratio'
const MORE_CONNECTIONS = 'A comparison by hopbench run with more --connections.'

/** @param {AdviceContrast} contrast */
const worthText = contrast => isWorthNoInstance(contrast)
  ? `, which saves no instance: ${plural(Number(contrast.instances?.baseline), 'instance')} with and without it`
  : ', within the margin'

/**
 * Returns why a ratio decides nothing although its interval may exclude 1.
 * @param {AdviceContrast} contrast
 */
const doubtText = ({ why }) => why && why.code !== 'interval-too-wide' ? `, but ${printContrastWhy({ why })}` : ''

/** Returns what would reverse a decision. @type {Record<DecisionKind, (contrast: AdviceContrast) => string>} */
const CHANGES = {
  do: ({ instances }) =>
    `A load so small that it saves no instance${instances ? '' : ': name it with --rps and --p99'}.`,
  'do-not': () => 'Other requests, with which the ratio is above 1.',
  'no-matter': ({ verdict }) => verdict === 'no-difference'
    ? 'Other requests, with which the difference exceeds the margin.'
    : 'A load at which it saves an instance.',
  open: ({ bound, secondsToSettle }) => isNumber(secondsToSettle) && !bound
    ? `A measurement of about ${plural(Math.ceil(secondsToSettle / 60), 'minute')} in place of this one.`
    : 'A quieter machine, or a longer measurement.'
}

/**
 * Returns the share of the bytes that the arm of a contrast saves.
 * @param {AdviceContrast} contrast
 * @returns {number | null} null: not measured
 */
export const savedShare = ({ bytes: { arm, baseline } }) =>
  arm === null || baseline === null || baseline === 0 ? null : 1 - arm / baseline

/** Prints a share that may be negative. @param {number} share */
export const shareText = share => percent(Math.round(share * 1000) / 1000)

/** Returns what an advice takes over from a file, in a sentence. @param {OwnFiles['files'][number]} file */
export const describeOwnFile = ({ file, keeps, drops }) => `${file}: ${[
  ...keeps.length > 0 ? [`takes over ${listing(keeps)}`] : [],
  ...drops.length > 0 ? [`leaves out ${drops.join('; ')}`] : []
].join('; ') || 'states nothing that an advice uses'}.`
