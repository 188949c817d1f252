/** Figures in the format of the GitHub action github-action-benchmark, whose files have one direction (pure). */
import { kindOf } from '../../../run/kinds.js'

/** @import { Metric } from '../../../types.js' */
/** @import { Format } from '../formats.js' */

/**
 * Prints the figures of one direction.
 *
 * @param {Metric[]} metrics
 * @param {Metric['better']} direction
 * @returns {string} JSON
 */
export function benchmarkAction (metrics, direction) {
  const entries = metrics.filter(({ better }) => better === direction)
    .map(({ subject, measure, unit, value, low, high }) => ({
      name: `${subject}: ${measure}`,
      unit,
      value,
      ...low !== null && high !== null && {
        // The action reads a sign and one number, so an interval that is not symmetric is its wider side. Its parser
        // rejects a number of one digit, so that trailing zeros remain.
        range: `± ${Math.max(high - value, value - low).toPrecision(3)}`,
        extra: `interval: ${low} to ${high}`
      }
    }))
  return `${JSON.stringify(entries, null, 2)}\n`
}

/** @type {Format} */
export default {
  about: { run: 'CPU time, memory and p99 for github-action-benchmark, tool customSmallerIsBetter' },
  run: ({ record }) => benchmarkAction(kindOf(record).metrics(record), 'smaller')
}
