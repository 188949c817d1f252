/** Exit code of `hopbench diff` (pure). */
import { SLOWER_EXIT } from '../../judge/compare-runs.js'

/** @import { RunDiff } from '../../types.js' */

/** Exit code of a comparison that was not measured. */
const FAILED_EXIT = 1

/**
 * Returns the exit code of a comparison. Percentiles that were to be measured and were not make it fail, as a rate
 * without a valid trial does.
 *
 * @param {Pick<RunDiff, 'figures' | 'slower' | 'open'> | undefined} diff undefined: there is no comparison
 * @param {{ succeeded: boolean, failOn: 'slower' | 'inconclusive' | 'never' }} run succeeded: the run did
 */
export function toDiffExit (diff, { succeeded, failOn }) {
  if (!succeeded || !diff) return FAILED_EXIT
  if (diff.figures.some(({ figure, verdict }) => figure === 'p99' && verdict === 'invalid')) return FAILED_EXIT
  return failOn !== 'never' && (diff.slower || (failOn === 'inconclusive' && diff.open)) ? SLOWER_EXIT : 0
}
