/**
 * Computes an interval of a proportion by E. B. Wilson (1927), "Probable Inference, the Law of Succession, and
 * Statistical Inference", Journal of the American Statistical Association 22(158), 209-212. Unlike the normal
 * approximation, it holds near 0, where most counts of failures are.
 *
 * @param {number} hits
 * @param {number} trials at least 1
 * @returns {{ low: number, high: number }} with a level of 95 %
 */
export function proportionInterval (hits, trials) {
  const squared = Z * Z
  const middle = (hits + squared / 2) / (trials + squared)
  const half = Z / (trials + squared) * Math.sqrt(hits * (trials - hits) / trials + squared / 4)
  return {
    low: hits === 0 ? 0 : Math.max(0, middle - half),
    high: hits === trials ? 1 : Math.min(1, middle + half)
  }
}

/** Standard deviations of the normal distribution for a level of 95 %. */
const Z = 1.959964
