/** A comparison of two runs as Markdown, for the summary of a build or a pull request (pure). */
import { estimateText, percent } from '../shared/format.js'
import { conclusion, listFigures, printVerdict, reasons } from './comparison-words.js'
import { markdownTemplate } from './templates.js'

/** @import { Comparison } from '../judge/compare-runs.js' */

const template = markdownTemplate('comparison-markdown.hbs')
const MOST_DIFFERENCES = 40 // Lines of differences; whole configurations would hide the rest of a build's summary.

const HEAD = ['figure', 'before', 'now', 'change', 'verdict', 'detectable'].map(text =>
  ({ text, numeric: text !== 'figure' && text !== 'verdict' }))

/**
 * @param {Comparison} comparison
 * @returns {string} ends with a line break
 */
export function comparisonMarkdown (comparison) {
  const { runs, differences, only } = comparison
  const [first, ...others] = conclusion(comparison)
  return template({
    first,
    table: comparisonTable(comparison),
    sentences: [
      ...others,
      ...reasons(comparison),
      ...only.before.map(name => `${name} is no longer measured.`),
      ...only.after.map(name => `${name} was not measured before.`)
    ],
    runs: `${runs.after} against ${runs.before}`,
    differences,
    shown: differences.slice(0, MOST_DIFFERENCES).map(({ what, before, after }) => `${what}: ${before} → ${after}`),
    isShortened: differences.length > MOST_DIFFERENCES
  })
}

/** @param {Comparison} comparison */
export const comparisonTable = comparison => ({
  head: HEAD,
  rows: listFigures(comparison).map(({ name, label, texts, sees, ...change }) =>
    [`${name}, ${label}`, ...texts, estimateText(change), printVerdict(change), percent(sees)])
})
