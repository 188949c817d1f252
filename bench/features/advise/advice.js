/**
 * Judges what was measured for an advice: what a rule decides by a pair of topologies, what compression saves, and
 * which files of earlier builds can be kept.
 */
import { hasOption, withOption } from '../../plan/changed-spec.js'
import { printContrastWhy } from '../../report/facts/facts.js'
import { capitalize, count, estimate, estimateText, isNumber, listing, percent, plural } from '../../shared/format.js'
import { sum } from '../../shared/group-by.js'
import { MONTH_HOURS } from '../../shared/units.js'
import { TARGETS } from '../deploy/index.js'

/** @import { AdviceContrast, AdviceFacts, AdviceState, DecisionKind, OwnFiles, Ruling } from '../../types.js' */

/** The topology before any decision: the app alone, because the simplest topology wins where nothing shows a gain. */
export const SIMPLEST = 'app'
/** Smallest share of the bytes of a response that compression must save. */
const MIN_SAVED = 0.1
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
const savedShare = ({ bytes: { arm, baseline } }) =>
  arm === null || baseline === null || baseline === 0 ? null : 1 - arm / baseline

/** Prints a share that may be negative. @param {number} share */
const shareText = share => percent(Math.round(share * 1000) / 1000)

/** Returns what an advice takes over from a file, in a sentence. @param {OwnFiles['files'][number]} file */
export const describeOwnFile = ({ file, keeps, drops }) => `${file}: ${[
  ...keeps.length > 0 ? [`takes over ${listing(keeps)}`] : [],
  ...drops.length > 0 ? [`leaves out ${drops.join('; ')}`] : []
].join('; ') || 'states nothing that an advice uses'}.`

const MONTH_SECONDS = MONTH_HOURS * 3600
const GB = 1e9

/** The load and the offering, from which prices follow. @typedef {Pick<AdviceState, 'load' | 'sizing'>} Priced */

/**
 * Computes what the bytes that an arm saves cost as traffic.
 * @param {AdviceContrast} contrast
 * @param {Priced} state
 * @returns {number | null} a month, in the currency of the offering; null: a price is unknown
 */
function computeSavedTraffic ({ requests, bytes: { arm, baseline } }, { load: { rps }, sizing }) {
  if (!sizing || rps === null || sizing.perGb === null || arm === null || baseline === null) return null
  const { perGb, freeGb } = sizing
  const toPrice = (/** @type {number} */ bytes) =>
    perGb * Math.max(0, rps * MONTH_SECONDS * bytes / requests / GB - freeGb)
  return toPrice(baseline) - toPrice(arm)
}

/**
 * Returns the price of an instance without traffic.
 * @param {Priced} state
 * @returns {number | null} a month; null: unknown
 */
const getInstancePrice = ({ sizing }) => sizing && sizing.monthly !== null ? sizing.monthly / sizing.instances : null

/**
 * Returns whether the traffic that an arm saves costs more than an instance.
 * @param {AdviceContrast} contrast
 * @param {Priced} state
 */
export function isWorthAnInstance (contrast, state) {
  const [saved, price] = [computeSavedTraffic(contrast, state), getInstancePrice(state)]
  return saved !== null && price !== null && saved > price
}

/**
 * Decides whether a topology should compress.
 *
 * @param {AdviceContrast | null} contrast null: not measured
 * @param {Priced} state
 * @param {{ action: string, isFree: (contrast: AdviceContrast) => boolean }} words action: as in "let nginx compress
 *   responses"; isFree: whether it costs no instance
 * @returns {Ruling}
 */
export function ruleOnCompression (contrast, state, { action, isFree }) {
  const saved = contrast && savedShare(contrast)
  if (!hasRatio(contrast) || saved === null) {
    return decided('open', action, `it was not measured${contrast ? ' validly' : ''}`,
      { ...contrast && { contrast }, changes: 'A valid measurement with and without it.' })
  }
  const figures = `it saves ${shareText(saved)} of the bytes, at ${ratioText(contrast, 'the same without it')}`
  if (saved < MIN_SAVED) return decided('do-not', action, figures, { contrast, changes: 'Larger responses of text.' })
  if (isFree(contrast)) return decided('do', action, figures, { contrast, changes: 'A slower measurement with it.' })
  const [saving, price] = [computeSavedTraffic(contrast, state), getInstancePrice(state)]
  if (saving === null || price === null || !contrast.instances) {
    return decided('open', action, figures, {
      contrast,
      changes: state.load.rps === null
        ? 'The load and the prices: --rps, --p99 and --provider.'
        : 'A sizing, and published prices of traffic and of instances.'
    })
  }
  const spent = (contrast.instances.low - contrast.instances.baseline) * price
  const toText = (/** @type {number} */ amount) => `${count(Math.round(amount))} ${state.sizing?.currency}`
  const sums = `${figures}; ${toText(saving)} of traffic a month against ${toText(spent)} of instances`
  return saving >= spent
    ? decided('do', action, sums, { contrast, changes: 'Traffic that costs less than CPU time.' })
    : decided('do-not', action, sums, {
      contrast,
      changes: 'A higher price of traffic, or clients on slow networks, for whom fewer bytes are faster.'
    })
}

/**
 * Returns whether the whole interval of a contrast needs no further instance. Without instances the ratio decides,
 * unless an arm that was not saturated makes the true ratio lower or unknown.
 * @param {AdviceContrast} contrast
 */
export const needsNoInstance = ({ instances, low, bound }) =>
  instances ? instances.low <= instances.baseline : low >= 1 && bound !== 'at-most' && bound !== 'neither'

/**
 * Finds the measured pair with and without files that are compressed ahead of time, with any other options.
 * @param {Pick<AdviceState, 'contrasts'>} state
 * @returns {AdviceContrast | null} null: not measured
 */
export const findCompressedFiles = ({ contrasts }) => contrasts.findLast(({ arm, baseline }) =>
  !hasOption(baseline, 'gzip_static') && arm === withOption(baseline, 'gzip_static')) ?? null

/** Earlier builds whose files a kit keeps: those of pages that are open during two further rollouts. */
const BUILDS = 2

/** Returns the number of files with hashes in their names. @param {Pick<AdviceFacts, 'folders'>} facts */
export const countHashed = ({ folders }) => sum(folders.map(({ hashed }) => hashed))

/**
 * Returns how many earlier builds a kit keeps.
 * @param {string} spec
 * @param {Pick<AdviceFacts, 'folders' | 'platform'>} facts
 * @returns {number | undefined} undefined: none, because no file needs it, nginx sends no files, or the kit cannot
 */
export const countKeptBuilds = (spec, facts) =>
  countHashed(facts) > 0 && hasOption(spec, 'static') && TARGETS[facts.platform.target].whyNoBuilds === undefined
    ? BUILDS
    : undefined
