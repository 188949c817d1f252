/** A comparison of two runs as Markdown, for the summary of a build or a pull request (pure). */
import { estimateText, percent } from '../shared/format.js'
import { conclusion, listFigures, reasons, VERDICTS } from './comparison-words.js'
import { cell, markdownTable } from './markdown.js'

/** @import { Comparison } from '../analysis/compare-runs.js' */

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
  const sentences = [
    ...others,
    ...reasons(comparison),
    ...only.before.map(name => `${name} is no longer measured.`),
    ...only.after.map(name => `${name} was not measured before.`)
  ]
  return [
    `**${cell(first)}**`,
    '',
    ...markdownTable(comparisonTable(comparison)),
    '',
    ...sentences.map(sentence => `- ${cell(sentence)}`),
    '',
    `<sub>${cell(`${runs.after} against ${runs.before}`)}</sub>`,
    '',
    ...differences.length === 0
      ? []
      : [
        `<details><summary>Differences between them (${differences.length})</summary>`,
        '',
        ...differences.slice(0, MOST_DIFFERENCES)
          .map(({ what, before, after }) => `- ${cell(`${what}: ${before} → ${after}`)}`),
        ...differences.length > MOST_DIFFERENCES ? ['- …'] : [],
        '',
        '</details>',
        ''
        ]
  ].join('\n')
}

/** @param {Comparison} comparison */
export const comparisonTable = comparison => ({
  head: HEAD,
  rows: listFigures(comparison).map(({ name, label, texts, verdict, sees, ...change }) =>
    [`${name}, ${label}`, ...texts, estimateText(change), VERDICTS[verdict], percent(sees)])
})
