/** Finds the suggestion for "Did you mean …?". */
import { distance } from 'fastest-levenshtein'

/**
 * Returns the known name that is closest to the typed one, if it is close enough to be a typing error.
 * @param {string} name as typed
 * @param {Iterable<string>} known
 * @returns {string | undefined}
 */
export function nearest (name, known) {
  const typed = name.toLowerCase()
  const [best] = [...known]
    .map(candidate => ({ candidate, slips: slips(typed, candidate.toLowerCase()) }))
    .filter(({ candidate, slips }) => slips <= allowance(typed) && slips < Math.max(typed.length, candidate.length))
    .sort((a, b) => a.slips - b.slips)
  return best?.candidate
}

/**
 * Returns the largest accepted distance. Two swapped letters count as two edits, so two are always accepted, and one in
 * three letters of a long name.
 */
const allowance = (/** @type {string} */ typed) => Math.max(2, Math.floor(typed.length / 3))

/** Returns the distance. The beginning of a name counts as an abbreviation, at most one edit away. */
const slips = (/** @type {string} */ typed, /** @type {string} */ candidate) =>
  typed.length > 1 && candidate.startsWith(typed)
    ? Math.min(1, candidate.length - typed.length)
    : distance(typed, candidate)
