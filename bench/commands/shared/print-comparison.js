/** What `compare` and `run --baseline` share: two stored runs → words, files, an exit code. */
import { compareRuns, SLOWER_EXIT } from '../../analysis/compare-runs.js'
import { comparisonMarkdown } from '../../report/comparison-markdown.js'
import { renderComparison } from '../../report/comparison.js'
import { terminal } from '../../studies/show-record.js'

/** @import { Comparison, Run } from '../../analysis/compare-runs.js' */

/** What a comparison can be written as. */
export const COMPARISON_FORMATS = {
  json: 'the comparison',
  csv: 'a line for each figure that is compared',
  markdown: 'the table, for the summary of a build',
  svg: 'the chart of changes',
  html: 'both as one self-contained page'
}

/**
 * @param {Comparison} comparison
 * @returns {Record<keyof typeof COMPARISON_FORMATS, () => string | Promise<string>>}
 */
export const textsOfComparison = comparison => ({
  json: () => `${JSON.stringify(comparison, null, 2)}\n`,
  csv: async () => (await page()).comparisonCsv(comparison),
  markdown: () => comparisonMarkdown(comparison),
  svg: async () => (await page()).comparisonSvg(comparison),
  html: async () => (await page()).comparisonPage(comparison)
})

/** What draws takes a while to load. */
const page = () => import('../../report/page/comparison-page.js')

/**
 * @param {Run} before
 * @param {Run} after
 * @param {{ margin?: number, rates?: boolean }} options rates: false: rates do not decide, whatever the machine
 */
export const comparisonOf = (before, after, { margin, rates }) => compareRuns(before, after, { margin, rates })

/**
 * The words, for a terminal.
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
 * @param {{ strict?: boolean }} options strict: what is inconclusive fails too
 * @returns {number} exit code: 0, or 3 when something became slower
 */
export const exitOf = ({ slower, open }, { strict = false }) => slower || (strict && open) ? SLOWER_EXIT : 0
