/** Estimates the rate that a given share of the windows holds (pure). Near the capacity a window holds the goal with a
 * probability that falls with the rate, as a logistic curve of the rate's logarithm. The curve is fitted to all trials
 * of the searches by maximum likelihood on a grid (D. R. Cox 1958, The regression analysis of binary sequences). */

/** @import { SizedTopology } from '../../../types.js' */

/** Scales of the logistic curve that are tried. Smaller ones look like a step, because searches end within 4 %. */
const SCALES = [0.01, 0.015, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15]
const MIDDLE = 3
/** Penalty on the log-likelihood for each scale between the tried one and the middle one, because a few trials are
 * compatible with a step without proving it. */
const PRIOR = 0.15
/** Largest distance of the tried centers from the capacity, as a logarithm. */
const AROUND = 0.3
const STEPS = 120
/** Bound that keeps the exponential function finite. */
const MAX_EXPONENT = 500

/**
 * Computes the rate that a share of the windows holds.
 *
 * @param {{ rate: number, holds: boolean }[]} trials
 * @param {number} capacity the rate that half of the windows hold
 * @param {number} share from 0.5 to 0.99
 * @returns {number} the rate as a share of the capacity
 */
function factorHeldBy (trials, capacity, share) {
  if (share === 0.5) return 1
  const near = trials.filter(({ rate }) => Math.abs(Math.log(rate / capacity)) < 2 * AROUND)
  let best = { likelihood: -Infinity, scale: SCALES[MIDDLE] }
  for (const [i, scale] of SCALES.entries()) {
    for (let step = 0; step <= STEPS; step++) {
      const center = Math.log(capacity) + AROUND * (2 * step / STEPS - 1)
      const likelihood = computeLogLikelihood(near, center, scale) - PRIOR * Math.abs(i - MIDDLE)
      if (likelihood > best.likelihood) best = { likelihood, scale }
    }
  }
  return Math.exp(-best.scale * Math.log(share / (1 - share)))
}

/**
 * Lowers the rate that a search finds, at which half of the windows hold the goal, so that a share `confidence` of the
 * windows holds it.
 *
 * @param {SizedTopology['capacity']} capacity
 * @param {{ rate: number, holds: boolean }[]} trials
 * @param {number} confidence
 */
export function lowerToConfidence (capacity, trials, confidence) {
  const { rate, low, high } = capacity
  const factor = factorHeldBy(trials, rate, confidence)
  return { ...capacity, rate: factor * rate, low: factor * low, high: factor * high }
}

/**
 * @param {{ rate: number, holds: boolean }[]} trials
 * @param {number} center
 * @param {number} scale
 */
const computeLogLikelihood = (trials, center, scale) => trials.reduce((sum, { rate, holds }) => {
  const x = (center - Math.log(rate)) / scale
  // Holding has the probability 1 / (1 + e^-x), not holding 1 / (1 + e^x).
  const exponent = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, holds ? -x : x))
  return sum - Math.log1p(Math.exp(exponent))
}, 0)
