/** Bencher Metric Format: https://bencher.dev/docs/reference/bencher-metric-format/ (pure). */
import { kindOf } from '../../../run/kinds.js'
import { groupBy } from '../../../shared/group-by.js'

/** @import { Metric } from '../../../types.js' */
/** @import { Format } from '../formats.js' */

const MAX_NAME = 1024 // Characters of a benchmark's name that Bencher accepts.

/** @param {Metric} figure */
const toMetric = ({ value, low, high }) => ({
  value,
  ...low !== null && { lower_value: low },
  ...high !== null && { upper_value: high }
})

/** @type {Format} */
export default {
  about: { run: 'rates, CPU time, memory and ratios in Bencher Metric Format' },
  run: ({ record }) => {
    const benchmarks = [...groupBy(kindOf(record).metrics(record), ({ subject }) => subject)]
      .map(([subject, metrics]) =>
        [subject.slice(0, MAX_NAME), Object.fromEntries(metrics.map(metric => [metric.measure, toMetric(metric)]))])
    return `${JSON.stringify(Object.fromEntries(benchmarks), null, 2)}\n`
  }
}
