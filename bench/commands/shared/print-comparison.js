/** Text and exit code of a comparison, for `compare` and `run --baseline`. */
import { SLOWER_EXIT } from '../../judge/compare-runs.js'
import { renderComparison } from '../../report/comparison.js'
import { terminal } from '../../studies/show-record.js'

/** @import { Comparison } from '../../judge/compare-runs.js' */

/**
 * Prints a comparison on the terminal.
 *
 * @param {Comparison} comparison
 * @param {{ strict?: boolean, stream: NodeJS.WriteStream }} options
 */
export function printComparison (comparison, { strict = false, stream }) {
  stream.write(renderComparison(comparison, terminal(stream)))
  if (strict && comparison.open && !comparison.slower) stream.write('Inconclusive: exit code 3, because of --strict.\n')
}

/**
 * @param {Comparison} comparison
 * @param {{ strict?: boolean }} options strict: an inconclusive comparison fails, too
 * @returns {number} exit code: 0, or 3 if an arm became slower
 */
export const exitOf = ({ slower, open }, { strict = false }) => slower || (strict && open) ? SLOWER_EXIT : 0
