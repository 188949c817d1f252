import { listMetrics } from '../../../report/comparison-words.js'
import { toCsv } from '../../../report/page/csv-text.js'

/** @import { Format } from '../formats.js' */

const COMPARISON_COLUMNS = [
  'kind', 'name', 'before', 'after', { key: 'ratio', header: 'change' }, 'low', 'high', 'level', 'verdict',
  { key: 'sees', header: 'wouldHaveFound' }
]

/** @type {Format} */
export default {
  about: { run: 'one line per arm', comparison: 'one line per compared figure' },
  run: async ({ record }) => (await import('../../../report/page/csv.js')).tableCsv(record),
  comparison: comparison => toCsv(listMetrics(comparison), COMPARISON_COLUMNS)
}
