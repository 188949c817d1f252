/** Options of `hopbench size` that change an answer, for the command that repeats it (pure). */
import { offeringName } from '../analysis/offering-choice.js'
import { isOwn } from '../plan/word.js'
import { CONFIDENCE, EXAMPLE_EXTRA_MIB, HEADROOM, NEW_CONNECTIONS, SPARE } from '../shared/thresholds.js'

/** @import { Deployed, Sizing } from '../types.js' */

/** Reason of a CPU that is assumed because of --assume-vcpu. */
export const ASSUMED_BY_OPTION = 'set with --assume-vcpu'
/** Confidence of sizings of versions that did not store it. */
const OLD_CONFIDENCE = 0.5

/** Prints a share as an option takes it: "95%". @param {number} share */
const shareWord = share => `${Number((share * 100).toFixed(2))}%`

/** @type {(option: string, value: string | number, isDefault: boolean) => string[]} */
const unlessDefault = (option, value, isDefault) => isDefault ? [] : [option, String(value)]

/**
 * Returns the margins that differ from the defaults.
 * @param {{ headroom: number, confidence?: number, spare?: number, fewest: number }} goal
 */
const listMargins = ({ headroom, confidence = OLD_CONFIDENCE, spare, fewest }) => [
  ...unlessDefault('--headroom', shareWord(headroom), headroom === HEADROOM),
  ...unlessDefault('--confidence', shareWord(confidence), confidence === CONFIDENCE),
  ...unlessDefault('--spare', spare ?? SPARE, (spare ?? SPARE) === SPARE),
  ...unlessDefault('--min', fewest, fewest === 1 + (spare ?? SPARE))
]

/**
 * Returns the options of the goal of a deployed instance.
 * @param {Deployed['goal']} goal
 */
export const listDeployedOptions = goal =>
  ['--rps', String(goal.rate), '--p99', `${goal.p99Ms}ms`, ...listMargins(goal)]

/** @type {(option: string, values: string[]) => string[]} */
const withValues = (option, values) => values.length > 0 ? [option, ...values] : []

/**
 * Returns the options that chose offerings and their CPU. "…" replaces a file.
 * @param {Pick<Sizing, 'goal' | 'table'>} sizing
 */
function listChoices ({ goal: { offerings: { plans = [], providers = [], hasFile = false } = {} }, table }) {
  const assumptions = table.flatMap(({ offering }) => offering.assumed?.why === ASSUMED_BY_OPTION
    ? [`${offeringName(offering)}=${offering.assumed.low}`]
    : [])
  return [
    ...withValues('--plan', plans),
    ...withValues('--provider', providers),
    ...withValues('--assume-vcpu', [...new Set(assumptions)]),
    ...hasFile ? ['--plans', '…'] : []
  ]
}

/**
 * Returns the options of a sizing that change its result. Options with several values are first, because a topology
 * after such an option would be one of its values.
 * @param {Sizing} sizing
 */
export function listSizeOptions (sizing) {
  const { goal, topologies, verification } = sizing
  const { rate, p99Ms, profile, newConnections = NEW_CONNECTIONS, mostInstances = null, memoryExtraMiB = {} } = goal
  const changed = topologies.find(({ word, topology: { server } }) => server &&
    memoryExtraMiB[word] !== undefined && memoryExtraMiB[word] !== (isOwn(server) ? 0 : EXAMPLE_EXTRA_MIB))
  const soakSeconds = topologies.find(({ soak }) => soak)?.soak?.seconds
  return [
    ...listChoices(sizing),
    ...['--rps', String(rate), '--p99', `${p99Ms}ms`],
    ...listMargins({ ...goal, fewest: goal.fewestInstances }),
    ...unlessDefault('--profile', profile?.name ?? '', (profile?.name ?? 'constant') === 'constant'),
    ...unlessDefault('--max', mostInstances ?? '', mostInstances === null),
    ...unlessDefault('--new-connections', shareWord(newConnections), newConnections === NEW_CONNECTIONS),
    ...changed ? ['--memory-extra', String(memoryExtraMiB[changed.word])] : [],
    ...soakSeconds ? ['--soak', `${Math.round(soakSeconds)}s`] : [],
    ...verification ? ['--verify'] : []
  ]
}
