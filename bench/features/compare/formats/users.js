import { HopbenchError } from '../../../errors.js'

/** @import { Format } from '../formats.js' */

/** @type {Format} */
export default {
  about: { run: 'responses and errors of users in each second, as CSV' },
  run: async ({ record, samples }) => {
    const csv = (await import('../../../report/page/csv.js')).usersCsv(samples)
    if (csv === null) throw new HopbenchError('no-users', { run: record.run })
    return csv
  }
}
