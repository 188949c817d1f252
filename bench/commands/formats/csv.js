/** @import { Format } from '../shared/formats.js' */

/** @type {Format} */
export default {
  about: { run: 'one line per arm', comparison: 'one line per compared figure' },
  run: async ({ record }) => (await import('../../report/page/csv.js')).tableCsv(record),
  comparison: async comparison => (await import('../../report/page/comparison-page.js')).comparisonCsv(comparison)
}
