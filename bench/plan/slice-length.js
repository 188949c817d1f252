/** How long a slice is, and how many blocks are looked at before its length is chosen (pure). */

/** Of a slice where nothing is chosen: longer buys next to nothing on most machines, for beyond it the noise is no
 * longer white (docs/method.md). */
export const USUAL_SECONDS = 0.5

const FREEDOM = 20 // Degrees of freedom of the noise: its sd is then known within a sixth.
const FEWEST_BLOCKS = 4

/** How many blocks are looked at: each has as many independent ratios as arms beside the first. @param {number} arms */
export const blocksToLookAt = arms => Math.max(FEWEST_BLOCKS, Math.ceil(FREEDOM / Math.max(1, arms - 1)) + 1)
