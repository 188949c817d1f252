/** Options of `hopbench size` that change an answer, for the command that repeats it (pure). */
import { isOwn } from '../plan/word.js'
import { CONFIDENCE, EXAMPLE_EXTRA_MIB, HEADROOM, NEW_CONNECTIONS, SPARE } from '../shared/thresholds.js'

/** @import { Deployed, Sizing } from '../types.js' */

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

/**
 * Returns the options of the goal of a sizing.
 * @param {Pick<Sizing, 'goal' | 'topologies'>} sizing
 */
export function listSizeOptions ({ goal, topologies }) {
  const { rate, p99Ms, profile, newConnections = NEW_CONNECTIONS, mostInstances = null, memoryExtraMiB = {} } = goal
  const changed = topologies.find(({ word, topology: { server } }) => server &&
    memoryExtraMiB[word] !== undefined && memoryExtraMiB[word] !== (isOwn(server) ? 0 : EXAMPLE_EXTRA_MIB))
  return [
    ...['--rps', String(rate), '--p99', `${p99Ms}ms`],
    ...listMargins({ ...goal, fewest: goal.fewestInstances }),
    ...unlessDefault('--profile', profile?.name ?? '', (profile?.name ?? 'constant') === 'constant'),
    ...unlessDefault('--max', mostInstances ?? '', mostInstances === null),
    ...unlessDefault('--new-connections', shareWord(newConnections), newConnections === NEW_CONNECTIONS),
    ...changed ? ['--memory-extra', String(memoryExtraMiB[changed.word])] : []
  ]
}
