/** The suggestion behind "Did you mean …?". */
import { distance } from 'fastest-levenshtein'

/**
 * The known name closest to what was typed, if it is close enough to be a slip of the keys.
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

/** Two letters swapped count as two edits, so two are always forgiven, and one in three of a long name. */
const allowance = (/** @type {string} */ typed) => Math.max(2, Math.floor(typed.length / 3))

/** The beginning of a name is no slip but an abbreviation: nearer than any edit but one. */
const slips = (/** @type {string} */ typed, /** @type {string} */ candidate) =>
  typed.length > 1 && candidate.startsWith(typed)
    ? Math.min(1, candidate.length - typed.length)
    : distance(typed, candidate)
