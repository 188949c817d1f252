/** @import { Format } from '../formats.js' */

/** @type {Format} */
export default {
  about: { run: 'one line per trial, as CSV' },
  run: async ({ samples }) => (await import('../../../report/page/csv.js')).samplesCsv(samples)
}
