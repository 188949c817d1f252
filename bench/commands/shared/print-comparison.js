/** What `compare` and `run --baseline` share: two stored runs → words, a Markdown file, an exit code. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { compareRuns, SLOWER_EXIT } from '../../analysis/compare-runs.js'
import { HopbenchError } from '../../errors.js'
import { comparisonMarkdown } from '../../report/comparison-markdown.js'
import { renderComparison } from '../../report/comparison.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { isWritable } from '../../machine/setup/path.js'

/** @import { Run } from '../../analysis/compare-runs.js' */

const STDOUT = '-' // In the place of a file: the standard output.

/** @typedef {object} ComparisonOptions
 * @property {number} [margin] a share: 0.05
 * @property {boolean} [rates] false: rates do not decide, whatever the machine
 * @property {boolean} [strict] what cannot be told fails too
 * @property {string} [markdown] file that takes the comparison as Markdown; "-": printed in place of the text */

/** Before minutes are spent on what could not be written. @param {ComparisonOptions} options
 * @throws {HopbenchError} bad-option */
export function refuseUnwritable ({ markdown }) {
  if (markdown === undefined || markdown === STDOUT) return
  if (!isWritable(dirname(resolve(callerCwd(), markdown)))) throw unwritable(markdown, 'its folder cannot be written')
}

/** @param {Run} before @param {Run} after
 * @param {ComparisonOptions & { json?: boolean, stream: NodeJS.WriteStream }} options stream: takes the words; json:
 * all of it as JSON there
 * @returns {number} exit code: 0, or 3 when something became slower, or with `strict` could not be told
 * @throws {HopbenchError} bad-option where the file cannot be written */
export function tellComparison (before, after, { margin, rates, strict = false, markdown, json = false, stream }) {
  const comparison = compareRuns(before, after, { margin, rates })
  if (markdown !== undefined && markdown !== STDOUT) writeMarkdown(markdown, comparisonMarkdown(comparison))
  if (json) stream.write(`${JSON.stringify(comparison, null, 2)}\n`)
  else if (markdown === STDOUT) stream.write(comparisonMarkdown(comparison))
  else {
    stream.write(
      renderComparison(comparison, { columns: stream.columns ?? 80, color: stream.isTTY && !process.env.NO_COLOR })
    )
  }
  const undecided = strict && comparison.open
  if (undecided && !comparison.slower && !json) stream.write('That fails, as --strict asks.\n')
  return comparison.slower || undecided ? SLOWER_EXIT : 0
}

/** @param {string} file @param {string} text */
function writeMarkdown (file, text) {
  try {
    const path = resolve(callerCwd(), file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  } catch (error) {
    throw unwritable(file, /** @type {Error} */ (error).message)
  }
}

/** @param {string} file @param {string} why */
const unwritable = (file, why) =>
  new HopbenchError('bad-option', {
    option: '--markdown',
    value: file,
    why,
    remedy: 'Name a file in a folder that can be written, or - for the standard output.'
  })
