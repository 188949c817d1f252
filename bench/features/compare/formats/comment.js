import { kindOf } from '../../../run/kinds.js'
import { commentMarkdown } from '../comment.js'
import comparisonKind, { toTitle } from '../kind.js'

/** @import { Format } from '../formats.js' */

/** @type {Format} */
export default {
  about: {
    run: 'a comment for a pull request, with a chart as text',
    comparison: 'a comment for a pull request, with a chart as text'
  },
  run: ({ record, rates }) => {
    const { diff, experiment, run } = record
    return commentMarkdown({
      title: `hopbench: ${diff ? 'the app with this change, and without it' : experiment}`,
      answer: kindOf(record).answer(record).text,
      verdicts: kindOf(record).findings(record, rates),
      source: diff ? `head: ${diff.head.label}; base: ${diff.base.label}` : run
    })
  },
  comparison: comparison => commentMarkdown({
    title: 'hopbench: compared with the baseline',
    answer: comparisonKind.answer(comparison).text,
    verdicts: comparisonKind.findings(comparison),
    source: toTitle(comparison)
  })
}
