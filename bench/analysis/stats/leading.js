/**
 * Blocks at the beginning of a start that belong to the warm-up. A leading block is dropped if in every arm its rate is
 * beyond those of all later blocks of the window, on the same side. Rates are lower while caches fill and code is
 * compiled, and higher while a CPU uses burst credit. The rule looks at rates, not at ratios, and treats all arms
 * alike, so it does not favour an arm. After the window the result is final, so further blocks never change which
 * blocks are evaluated.
 */

/** Length of the window, in blocks. With fewer blocks none is dropped. */
export const WINDOW = 12
/** Most blocks to drop. A longer trend is drift, which the pairs of a block cancel. */
export const AT_MOST = 3

/**
 * Counts the leading blocks to drop. Ignores arms without a full window, and arms with at most half of its trials
 * valid.
 *
 * @param {number[][]} series rates of each arm, block by block, of equal lengths; NaN for an invalid trial
 * @param {number} [window] length of the window; at most a quarter of it is dropped
 * @returns {number} 0 to AT_MOST
 */
export function leadingTrend (series, window = WINDOW) {
  const most = Math.floor(AT_MOST * window / WINDOW)
  const windows = series.map(arm => arm.slice(0, window)).filter(arm =>
    arm.length === window && countValid(arm) > window / 2
  )
  const sides = Array.from({ length: most }, (_, block) => computeSide(windows, block))
  const firstKept = sides.findIndex(side => side === 0 || side !== sides[0])
  return firstKept === -1 ? most : firstKept
}

/** @param {number[]} values */
const countValid = values => values.filter(x => !Number.isNaN(x)).length

/**
 * Returns the side of all later blocks on which a block lies.
 *
 * @param {number[][]} windows
 * @param {number} block
 * @returns {number} -1: below all later blocks in every arm; 1: above; 0: neither
 */
function computeSide (windows, block) {
  const validArms = windows.filter(arm => !Number.isNaN(arm[block]))
  // A single arm has an extreme first block by chance in one of six cases.
  if (validArms.length < 2) return 0
  const sides = validArms.map(arm => {
    const later = arm.slice(block + 1).filter(x => !Number.isNaN(x))
    if (arm[block] < Math.min(...later)) return -1
    return arm[block] > Math.max(...later) ? 1 : 0
  })
  return sides.every(side => side === sides[0]) ? sides[0] : 0
}
