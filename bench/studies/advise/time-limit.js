/** Decides by the clock which comparisons an advice still makes (pure). */

/** Time of a whole advice, in seconds, as --help promises it. */
const MOST_SECONDS = { quick: 180, full: 480 }
/** Time that a sizing takes, in seconds. */
const SIZE_SECONDS = 60
/** Time that the start and the checks of the kit take, in seconds. */
const KIT_SECONDS = 25

/**
 * Returns whether a further comparison would not end in time. The first one is always made.
 *
 * @param {object} advice
 * @param {boolean} advice.quick
 * @param {boolean} advice.isSized whether a sizing follows
 * @param {number} advice.elapsedSeconds since its start
 * @param {number} advice.longestSeconds of the comparisons before; 0: there was none
 */
export function isTooLate ({ quick, isSized, elapsedSeconds, longestSeconds }) {
  const needed = longestSeconds + KIT_SECONDS + (isSized ? SIZE_SECONDS : 0)
  return longestSeconds > 0 && elapsedSeconds + needed > MOST_SECONDS[quick ? 'quick' : 'full']
}
