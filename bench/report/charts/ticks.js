/** Ticks of a scale of ratios. The ticks of the chart library leave a short scale with a single 1. */

const LABEL_PIXELS = 48 // Least distance of two labels.

const steps = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ step) =>
  Array.from({ length: Math.round((to - from) / step) + 1 }, (_, i) => Number((from + i * step).toFixed(3)))

/** Possible ticks, from the finest to the coarsest. */
const SCALES = [
  steps(0.8, 1.2, 0.01),
  steps(0.5, 2, 0.05),
  steps(0.1, 3, 0.1),
  [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100],
  [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100],
  [0.01, 0.1, 1, 10, 100]
]

/**
 * Returns the ticks of the finest scale that covers the domain and whose labels do not overlap.
 * @param {[number, number]} domain
 * @param {number} pixels width of the domain
 */
export function ratioTicks ([low, high], pixels) {
  const toPixel = (/** @type {number} */ value) => Math.log(value / low) / Math.log(high / low) * pixels
  const inDomain = (/** @type {number[]} */ scale) => scale.filter(value => value >= low && value <= high)
  const fitting = SCALES.find(scale => {
    const pixels = inDomain(scale).map(toPixel)
    const isCovering = scale[0] <= low && scale[scale.length - 1] >= high
    return isCovering && pixels.slice(1).every((pixel, i) => pixel - pixels[i] >= LABEL_PIXELS)
  })
  return inDomain(fitting ?? SCALES[SCALES.length - 1])
}
