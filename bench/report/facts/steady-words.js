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
export const stillChangedText = ({ arm, role, change, seconds }) => {
  const process = `the ${ROLE_NOUNS[role]} of ${arm}`
  const after = `after ${duration(seconds)} of warm-up`
  return change === null
    ? `${after} ${process} had used too little CPU time to have compiled its code`
    : `${after} the CPU time per request of ${process} still fell by ${percent(-change)}`
}
