/**
 * A comment of a pull request (pure). Every text in it can come from a stranger's record, so that it is escaped as
 * Markdown, and neither mentions an account nor links to a page.
 */
import { withoutControls } from '../errors.js'
import { cell, markdownTable } from './markdown-table.js'
import { textChart } from './text-chart.js'
import { estimateText } from '../shared/format.js'

/** @import { PrintedVerdict } from './verdicts.js' */

/** First line of the comment, by which it is found and rewritten. Markdown does not show it. */
export const MARKER = '<!-- hopbench comment -->'
/** Stands for the address of the results until they have one. */
export const ARTIFACT_URL = 'HOPBENCH_ARTIFACT_URL'

const MOST_ROWS = 30 // Verdicts of a comment. GitHub accepts 65,536 characters.
const LONGEST_TEXT = 500 // Characters of a sentence or a name.
const JOINER = '\u2060' // Invisible, and ends a mention, a reference or an address.
/** Longest spec of hexadecimal digits that GitHub does not link as a commit. */
const LONGEST_HEX = 6
const HASHES = new RegExp(`[0-9a-f]{${LONGEST_HEX}}(?=[0-9a-f])`, 'gi')

/** Escapes a text, so that GitHub finds no mention, reference or address in it. @param {string} text */
const inert = text => cell(withoutControls(text).slice(0, LONGEST_TEXT))
  .replace(/[@#]/g, `$&${JOINER}`)
  .replace(/:\/\//g, `:${JOINER}//`)
  .replace(/gh(?=-\d)/gi, `$&${JOINER}`)
  .replace(HASHES, `$&${JOINER}`)
  .replace(/www\./gi, match => `${match.slice(0, -1)}${JOINER}.`)

/**
 * Prints the comment.
 *
 * @param {object} result
 * @param {string} result.title
 * @param {string} result.answer
 * @param {PrintedVerdict[]} result.verdicts
 * @param {string} result.source run, or the two compared runs
 * @returns {string} Markdown, ends with a line break
 */
export function commentMarkdown ({ title, answer, verdicts, source }) {
  const shown = verdicts.slice(0, MOST_ROWS)
  const chart = textChart(shown)
  const table = markdownTable({
    head: [{ text: 'figure' }, { text: 'ratio', numeric: true }, { text: 'verdict' }],
    rows: []
  })
  const rows = shown.map(({ name, words, ...estimate }) =>
    `| ${inert(name)} | ${estimateText(estimate)} | ${inert(words)} |`)
  const left = verdicts.length - shown.length
  return [
    MARKER,
    `### ${inert(title)}`,
    `**${inert(answer)}**`,
    ...rows.length > 0 ? [[...table, ...rows].join('\n')] : [],
    ...chart.length > 0 ? [['```text', ...chart, '```'].join('\n')] : [],
    ...left > 0 ? [`${left} more verdicts are in the results.`] : [],
    `<sub>${inert(source)} · [all results](${ARTIFACT_URL})</sub>`
  ].join('\n\n') + '\n'
}
