/** Service times of an instance, by their measured mean and bursts. */

/** @import { Random } from '../../shared/random.js' */

/** CPU time of a burst in seconds, where it was not measured: that of a garbage collection. */
const DEFAULT_PAUSE = 0.02
/** Upper bound for the share of CPU time spent in bursts, as in an app that allocates much. */
const MOST_IN_BURSTS = 0.7

/**
 * Returns a function that draws service times. Most requests cost the same; one in n also waits for a burst P, such as
 * a garbage collection. The index of dispersion I gives n: P²/n = c(I − c), where c is the mean.
 *
 * @param {{ mean: number, dispersion?: number | null, pause?: number | null }} measured seconds
 * @returns {(random: Random) => number}
 */
export function toService ({ mean, dispersion, pause }) {
  const burst = pause || DEFAULT_PAUSE
  const excess = dispersion ? Math.max(0, mean * (dispersion - mean)) : 0
  const probability = Math.min(excess / burst ** 2, MOST_IN_BURSTS * mean / burst)
  const usual = mean - probability * burst
  return random => random() < probability ? usual + burst : usual
}
