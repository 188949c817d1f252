/** How the noise of a block's log-ratio depends on the length of a slice, from slices that were read again and again
 * while they ran (pure). Part of the noise is white: it shrinks as a slice grows. The rest comes anew with every slice,
 * however long it is: where the scheduler puts a process, what the host gives to others for a while. Alternating more
 * often is all that helps there. @import { Sample } from '../../types.js' */

/** @typedef {object} Noise variance of a block's log-ratio = white / seconds + floor
 * @property {number} white seconds
 * @property {number} floor
 * @property {number} freedom degrees of freedom of the variances
 * @property {{ seconds: number, sd: number }[]} curve as it was seen, of slices cut off after so long */

/** @param {Sample[]} samples valid ones that were read every STEP_SECONDS, see `parts` @param {number} stepSeconds
 * @returns {Noise | null} null: too few to say */
export function noiseOf (samples, stepSeconds) {
  const rows = completeBlocks(samples)
  const [first] = rows
  const freedom = first ? (rows.length - 1) * (first.length - 1) : 0
  if (freedom < LEAST_FREEDOM) return null
  const steps = Math.min(...rows.flat().map(({ length }) => length))
  const curve = Array.from({ length: steps }, (_, step) => ({
    seconds: (step + 1) * stepSeconds,
    sd: Math.sqrt(2 * residualVariance(rows.map(row => row.map(parts => Math.log(parts[step])))))
  })).filter(({ sd }) => sd > 0 && Number.isFinite(sd))
  return curve.length < 2 ? null : { ...fit(curve), freedom, curve }
}

/** Below it a variance is not known within a factor of two. */
const LEAST_FREEDOM = 6

/** Blocks in which every arm has a slice that counts. @param {Sample[]} samples
 * @returns {number[][][]} by block and arm: rates over the first step, the first two … */
function completeBlocks (samples) {
  const arms = [...new Set(samples.map(({ arm }) => arm))]
  const blocks = [...new Set(samples.map(({ block }) => block))]
  return blocks.flatMap(block => {
    const row = arms.map(arm => samples.find(sample => sample.arm === arm && sample.block === block))
    return row.every(sample => sample && !sample.invalid && (sample.parts?.length ?? 0) > 1)
      ? [row.map(sample => /** @type {number[]} */ (/** @type {Sample} */ (sample).parts))]
      : []
  })
}

/** What is left of the values when each arm's mean and each block's mean are taken out: the variance of one of them, as
 * in a two-way table without replication (G. W. Snedecor, W. G. Cochran, Statistical Methods, 1980, 14.4). What all
 * arms of a block have in common cancels in a ratio, so it is no noise of it.
 * @param {number[][]} table by block and arm */
function residualVariance (table) {
  const mean = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0) / values.length
  const ofArm = table[0].map((_, arm) => mean(table.map(row => row[arm])))
  const ofAll = mean(ofArm)
  const squares = table.reduce((sum, row) => {
    const ofBlock = mean(row)
    return sum + row.reduce((sum, value, arm) => sum + (value - ofBlock - ofArm[arm] + ofAll) ** 2, 0)
  }, 0)
  return squares / ((table.length - 1) * (table[0].length - 1))
}

/** White noise and floor by least squares, each variance weighed by its own size, for that is what its error goes with.
 * Neither is negative: where one would be, the other explains all. @param {{ seconds: number, sd: number }[]} curve */
function fit (curve) {
  const sum = (/** @type {(x: number, y: number, w: number) => number} */ of) =>
    curve.reduce((total, { seconds, sd }) => total + of(1 / seconds, sd ** 2, sd ** -4), 0)
  const [w, wx, wxx, wy, wxy] = [sum((x, y, w) => w), sum((x, y, w) => w * x), sum((x, y, w) => w * x * x),
    sum((x, y, w) => w * y), sum((x, y, w) => w * x * y)]
  const white = (w * wxy - wx * wy) / (w * wxx - wx * wx)
  const floor = (wy - white * wx) / w
  if (white < 0) return { white: 0, floor: wy / w }
  if (floor < 0) return { white: wxy / wxx, floor: 0 }
  return { white, floor }
}
