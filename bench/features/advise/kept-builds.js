/** Decides whether the kit of an advice keeps files of earlier builds (pure). */
import { hasOption } from '../../plan/changed-spec.js'
import { sum } from '../../shared/group-by.js'
import { TARGETS } from '../deploy/index.js'

/** @import { AdviceFacts } from '../../types.js' */

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
