import { kindOf } from '../../../run/kinds.js'
import { markdown, reportMarkdown } from '../../../report/markdown.js'
import comparisonKind from '../kind.js'

/** @import { Format } from '../formats.js' */

/** @type {Format} */
export default {
  about: { run: 'the tables, for a pull request', comparison: 'the table, for the summary of a build' },
  run: ({ record }) => markdown(record, kindOf(record)),
  comparison: comparison => reportMarkdown(comparison, comparisonKind)
}
