/** Parts that several files of errors have in common. */

/**
 * An error of the catalog.
 * @typedef {object} ErrorEntry
 * @property {1 | 2} exit 2: the command was wrong; 1: any other failure.
 * @property {(details: never) => string} what One sentence: what failed.
 * @property {(details: never) => string} remedy What to try.
 */
/** @typedef {{ nearest?: string | null }} Nearest The existing name that is closest to the typed one. */

/** @param {Nearest} d */
export const didYouMean = ({ nearest }) => nearest ? ` Did you mean "${nearest}"?` : ''

/** Refers to the output of a program, which is printed above the remedy. @param {{ output?: string | null }} d */
export const itsWords = ({ output }) => output?.trim() ? 'Its last lines are above' : 'It wrote nothing'

/** @param {number} value */
export const ms = value => `${value.toFixed(2)} ms`
