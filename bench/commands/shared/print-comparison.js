/** Text, files and exit code of a comparison, for `compare` and `run --baseline`. */
import { SLOWER_EXIT } from '../../analysis/compare-runs.js'
import { comparisonMarkdown } from '../../report/comparison-markdown.js'
import { renderComparison } from '../../report/comparison.js'
import { printComparisonFacts } from '../../report/facts/facts.js'
import { terminal } from '../../studies/show-record.js'

/** @import { Comparison } from '../../analysis/compare-runs.js' */

/** Formats of an exported comparison. */
export const COMPARISON_FORMATS = {
  json: 'the comparison',
  csv: 'one line per compared figure',
  markdown: 'the table, for the summary of a build',
  svg: 'the chart of changes',
  html: 'table and chart as one self-contained page'
}

/**
 * @param {Comparison} comparison
 * @returns {Record<keyof typeof COMPARISON_FORMATS, () => string | Promise<string>>}
 */
export const textsOfComparison = comparison => ({
  json: () => `${JSON.stringify(printComparisonFacts(comparison), null, 2)}\n`,
  csv: async () => (await importPage()).comparisonCsv(comparison),
  markdown: () => comparisonMarkdown(comparison),
  svg: async () => (await importPage()).comparisonSvg(comparison),
  html: async () => (await importPage()).comparisonPage(comparison)
})

/** Imported on demand, because charts take time to load. */
const importPage = () => import('../../report/page/comparison-page.js')

/**
 * Prints a comparison on the terminal.
 *
 * @param {Comparison} comparison
 * @param {{ strict?: boolean, stream: NodeJS.WriteStream }} options
 */
export function printComparison (comparison, { strict = false, stream }) {
  stream.write(renderComparison(comparison, terminal(stream)))
  if (strict && comparison.open && !comparison.slower) stream.write('Inconclusive: exit code 3, because of --strict.\n')
}

/**
 * @param {Comparison} comparison
 * @param {{ strict?: boolean }} options strict: an inconclusive comparison fails, too
 * @returns {number} exit code: 0, or 3 if an arm became slower
 */
export const exitOf = ({ slower, open }, { strict = false }) => slower || (strict && open) ? SLOWER_EXIT : 0
