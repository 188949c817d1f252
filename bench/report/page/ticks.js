/** Numbers for a scale of ratios: the library's own leave a short one with a single 1. */

const PIXELS_A_LABEL = 48 // Between two of these labels there must be room for one.

const steps = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ step) =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Number((from + i * step).toFixed(3)))

/** From the finest to the coarsest. */
const SCALES = [
  steps(0.8, 1.2, 0.01),
  steps(0.5, 2, 0.05),
  steps(0.1, 3, 0.1),
  [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100],
  [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100],
  [0.01, 0.1, 1, 10, 100]
]

/** @param {[number, number]} domain @param {number} pixels that the domain fills @returns {number[]} rising */
export function ratioTicks ([low, high], pixels) {
  const place = (/** @type {number} */ value) => Math.log(value / low) / Math.log(high / low) * pixels
  const inside = SCALES.map(scale => scale.filter(value => value >= low && value <= high))
  // A scale counts from one end of the domain to the other only if it reaches both.
  const fitting = inside.findIndex((values, i) =>
    reaches(SCALES[i], low, high) &&
    values.slice(1).every((value, j) => place(value) - place(values[j]) >= PIXELS_A_LABEL)
  )
  return inside[fitting === -1 ? inside.length - 1 : fitting]
}

/** @type {(scale: number[], low: number, high: number) => boolean} */
const reaches = (scale, low, high) => scale[0] <= low && scale[scale.length - 1] >= high
