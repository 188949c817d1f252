/** Decides by the clock what an advice still measures (pure). */

/** Time of a whole advice, in seconds, as --help promises it. */
const MOST_SECONDS = { quick: 180, full: 480 }
/** Time that the start and the checks of the kit take, in seconds. */
const KIT_SECONDS = 17
/** Time that a sizing takes, in seconds. */
export const SIZING_SECONDS = 57

/**
 * Returns whether a measurement, with what has to follow it, would end too late.
 *
 * @param {object} advice
 * @param {boolean} advice.quick
 * @param {number} advice.elapsedSeconds since its start
 * @param {number} advice.neededSeconds of the measurement and of those after it
 */
export const isTooLate = ({ quick, elapsedSeconds, neededSeconds }) =>
  elapsedSeconds + neededSeconds + KIT_SECONDS > MOST_SECONDS[quick ? 'quick' : 'full']
