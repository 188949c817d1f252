import { kindOf } from '../../kinds.js'

/** @import { Format } from '../shared/formats.js' */

/** @type {Format} */
export default {
  about: { run: 'the tables, for a pull request', comparison: 'the table, for the summary of a build' },
  // The verdict comes first, because it decides whether a build fails.
  run: async ({ record }) => {
    const text = (await import('../../report/markdown.js')).markdown(record, kindOf(record))
    return record.diff ? `${(await import('../../report/diff-text.js')).diffMarkdown(record.diff)}\n${text}` : text
  },
  comparison: async comparison => (await import('../../report/comparison-markdown.js')).comparisonMarkdown(comparison)
}
