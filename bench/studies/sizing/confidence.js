/** The rate that a given share of the windows holds (pure). Whether a window holds the goal is a matter of chance near
 * the capacity: the chance falls with the rate as a logistic curve of its logarithm, fitted to all trials of the
 * searches by maximum likelihood on a grid (D. R. Cox 1958, The regression analysis of binary sequences). */

/** How gradually the chance falls, as a standard scale of the logarithm of the rate. Below the first no trials can show
 * it from a step: searches end 4 % around it. */
const SCALES = [0.01, 0.015, 0.02, 0.03, 0.045, 0.07, 0.1, 0.15]
/** Scales are as likely as each other before anything is seen, but a step that a few trials allow is no proof of one:
 * each step away from the middle of the list costs so much of the logarithm of the likelihood. */
const PRIOR = 0.15
const MIDDLE = 3
/** Middles that are tried: so far around the capacity that was found, as shares of it. */
const AROUND = 0.3
const STEPS = 120

/** @param {{ rate: number, holds: boolean }[]} trials @param {number} middle the rate that half of the windows hold
 * @param {number} share of the windows that are to hold, 0.5 to 0.99 @returns {number} as a share of `middle` */
export function factorHeldBy (trials, middle, share) {
  if (share === 0.5) return 1
  const near = trials.filter(({ rate }) => Math.abs(Math.log(rate / middle)) < 2 * AROUND)
  let best = { likelihood: -Infinity, scale: SCALES[MIDDLE] }
  for (const [i, scale] of SCALES.entries()) {
    for (let step = 0; step <= STEPS; step++) {
      const center = Math.log(middle) + AROUND * (2 * step / STEPS - 1)
      const likelihood = likelihoodOf(near, center, scale) - PRIOR * Math.abs(i - MIDDLE)
      if (likelihood > best.likelihood) best = { likelihood, scale }
    }
  }
  return Math.exp(-best.scale * Math.log(share / (1 - share)))
}

/** @param {{ rate: number, holds: boolean }[]} trials @param {number} center @param {number} scale */
const likelihoodOf = (trials, center, scale) => trials.reduce((sum, { rate, holds }) => {
  const x = (center - Math.log(rate)) / scale
  // log of 1 / (1 + e^-x), for holding, and of what is left of 1 for not.
  return sum - Math.log1p(Math.exp(Math.max(-500, Math.min(500, holds ? -x : x))))
}, 0)
