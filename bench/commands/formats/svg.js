import { HopbenchError } from '../../errors.js'
import { kindOf } from '../../kinds.js'

/** @import { Format } from '../shared/formats.js' */

/** @type {Format} */
export default {
  about: { run: 'the main chart', comparison: 'the chart of changes' },
  run: async ({ record }) => {
    const { renderSvg } = await import('../../report/page/page.js')
    const svg = renderSvg(record, kindOf(record))
    if (svg === null) throw new HopbenchError('nothing-to-draw', { run: record.run })
    return svg
  },
  comparison: async comparison => (await import('../../report/page/comparison-page.js')).comparisonSvg(comparison)
}
