/** How many blocks at the start still belong to the warm-up. A leading block is dropped when in every arm it lies
 * beyond all blocks that follow it in the first WINDOW, on the same side: below them while caches fill and code is
 * compiled, above them while a CPU still runs on credit. Only throughput itself is looked at, never a ratio, and the
 * rule treats all arms alike: it cannot favour one. After WINDOW blocks the answer is final, so that going on measuring
 * never changes which blocks count. */

/** The blocks that are looked at; with fewer nothing is dropped. */
export const WINDOW = 12
/** What still trends after this many blocks is drift, and that the pairs take care of. */
export const AT_MOST = 3

/** @param {number[][]} series for each arm its throughput block by block, all of one length; NaN where it was not valid
 * @param {number} [window] how many blocks are looked at; a quarter of them is dropped at most
 * @returns {number} how many leading blocks to drop: 0 to AT_MOST */
export function leadingTrend (series, window = WINDOW) {
  const most = Math.floor(AT_MOST * window / WINDOW)
  const windows = series.map(arm => arm.slice(0, window)).filter(arm =>
    arm.length === window && countValid(arm) > window / 2
  )
  const sides = Array.from({ length: most }, (_, block) => sideOfRest(windows, block))
  const end = sides.findIndex(side => side === 0 || side !== sides[0])
  return end === -1 ? most : end
}

/** @param {number[]} values */
const countValid = values => values.filter(x => !Number.isNaN(x)).length

/**
 * @param {number[][]} windows
 * @param {number} block
 * @returns {number} -1: in every arm below all later blocks; 1: above; 0: neither
 */
function sideOfRest (windows, block) {
  const voters = windows.filter(arm => !Number.isNaN(arm[block]))
  // One arm alone has an extreme first block once in six times by chance.
  if (voters.length < 2) return 0
  const sides = voters.map(arm => {
    const rest = arm.slice(block + 1).filter(x => !Number.isNaN(x))
    if (arm[block] < Math.min(...rest)) return -1
    return arm[block] > Math.max(...rest) ? 1 : 0
  })
  return sides.every(side => side === sides[0]) ? sides[0] : 0
}
