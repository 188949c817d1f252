import comparisonKind, { toTitle } from '../kind.js'

/** @import { Format } from '../formats.js' */

/** @type {Format} */
export default {
  about: { run: 'the report as one self-contained page', comparison: 'table and chart as one self-contained page' },
  run: async run => (await import('../../../run/report-file.js')).pageOf(run),
  comparison: async comparison => (await import('../../../report/page/sections-page.js'))
    .sectionsPage(comparison, comparisonKind, toTitle(comparison))
}
