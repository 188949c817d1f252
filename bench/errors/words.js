/** Parts of sentences that several errors have in common. */

/** @typedef {{ nearest?: string | null }} Nearest the known name that is close to what was typed, if there is one */

/** @param {Nearest} d */
export const didYouMean = ({ nearest }) => nearest ? ` Did you mean "${nearest}"?` : ''

/** The program's own lines are printed above the remedy, if it had any. @param {{ output?: string | null }} d */
export const itsWords = ({ output }) => output?.trim() ? 'Its last lines are above' : 'It wrote nothing'

export const ms = (/** @type {number} */ value) => `${value.toFixed(2)} ms`
