/**
 * Proportions of trials that come in clusters, such as requests in rollouts: a cluster loses many requests or none.
 */
import { betaQuantile, tQuantile } from './student.js'

/**
 * Computes an interval by C. J. Clopper, E. S. Pearson (1934), "The Use of Confidence or Fiducial Limits Illustrated in
 * the Case of the Binomial", Biometrika 26(4), 404-413, with the effective number of trials of E. L. Korn, B. I.
 * Graubard (1998), "Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from
 * Survey Data", Survey Methodology 24(2), 193-201. Without a hit, or with a single cluster, the variation between
 * clusters is unknown and all trials are taken as independent.
 *
 * @param {{ hits: number, trials: number }[]} clusters independent of each other
 * @param {number} level confidence level
 * @returns {{ share: number, low: number, high: number, isClustered: boolean }} isClustered: whether the interval
 *   includes the variation between clusters
 */
export function clusteredInterval (clusters, level) {
  const [hits, trials] = (/** @type {const} */ (['hits', 'trials'])).map(key =>
    clusters.reduce((sum, cluster) => sum + cluster[key], 0))
  if (trials === 0) return { share: NaN, low: 0, high: 1, isClustered: false }
  const share = hits / trials
  const isClustered = clusters.length > 1 && hits > 0 && hits < trials
  const effective = isClustered ? countEffective(clusters, { share, trials, level }) : trials
  const tail = (1 - level) / 2
  const positives = share * effective
  return {
    share,
    low: hits === 0 ? 0 : betaQuantile(tail, positives, effective - positives + 1),
    high: hits === trials ? 1 : betaQuantile(1 - tail, positives + 1, effective - positives),
    isClustered
  }
}

/**
 * Returns the number of independent trials with the variance of the clusters.
 * @param {{ hits: number, trials: number }[]} clusters
 * @param {{ share: number, trials: number, level: number }} all
 */
function countEffective (clusters, { share, trials, level }) {
  const squares = clusters.reduce((sum, cluster) => sum + (cluster.hits - share * cluster.trials) ** 2, 0)
  const variance = squares / trials ** 2 * clusters.length / (clusters.length - 1)
  const p = (1 + level) / 2
  const degrees = (tQuantile(p, trials - 1) / tQuantile(p, clusters.length - 1)) ** 2
  return variance === 0 ? trials : Math.min(trials, share * (1 - share) / variance * degrees)
}
