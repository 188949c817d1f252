/** Words for arms that were not in their steady state. */
import { duration, percent } from '../../shared/format.js'

/** @import { NotSteady } from '../../types.js' */

/** @type {Record<NotSteady['role'], string>} */
const ROLE_NOUNS = { load: 'load generator', proxy: 'proxy', server: 'server' }

/** Prints a change: "rises by 8 %". @param {number} change as a share */
export const changeText = change => `${change < 0 ? 'falls' : 'rises'} by ${percent(Math.abs(change))}`

/**
 * Prints which part of an arm had not reached its steady state.
 * @param {NotSteady} params
 * @returns {string} a clause
 */
export const stillChangedText = ({ arm, role, change, seconds }) =>
  `after ${duration(seconds)} of warm-up the CPU time per request of the ${ROLE_NOUNS[role]} of ${arm} still ` +
  `${change < 0 ? 'fell' : 'rose'} by ${percent(Math.abs(change))}`
