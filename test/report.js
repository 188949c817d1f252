/**
 * Turns tap's output into a line for each test file, the diagnostics of each failure, and totals.
 */
import { Parser } from 'tap-parser'

/** @typedef {{ passed: number, failed: number, skipped: number }} Totals */
/** @typedef {import('tap-parser').Result} Result */

/**
 * @param {(line: string) => void} say
 * @returns {{ parser: Parser, totals: () => Totals | null }} write tap's output into `parser`;
 *   `totals` is null when tap did not end with its own summary
 */
export function reportTap (say) {
  const parser = new Parser()
  /** @type {Totals | null} */
  let totals = null
  /** @type {Result[]} */
  let results = []
  let name = ''
  parser.on('child', child => {
    name = child.name
    collect(child, result => results.push(result))
  })
  parser.on('assert', (/** @type {Result} */ file) => {
    // A file that ran out of time may end under the name "timeout!": its subtest has the real one.
    sayFile(say, name || file.name, file, results)
    results = []
    name = ''
  })
  parser.on('comment', (/** @type {string} */ comment) => { totals = readTotals(comment) ?? totals })
  return { parser, totals: () => totals }
}

/**
 * Calls back for every assertion below a parser, whatever its depth.
 * @param {Parser} parser
 * @param {(result: Result) => void} found
 */
function collect (parser, found) {
  parser.on('child', child => collect(child, found))
  parser.on('assert', (/** @type {Result} */ result) => {
    // A subtest's own line repeats what its assertions said already.
    if (!result.closingTestPoint) found(result)
  })
}

/**
 * tap's summary: "# { total: 7, pass: 3, fail: 1, todo: 1, skip: 2 }".
 * @param {string} comment
 * @returns {Totals | null}
 */
function readTotals (comment) {
  if (!/^# \{ total: \d+/.test(comment)) return null
  const count = (/** @type {string} */ name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(comment)?.[1] ?? 0)
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') }
}

/**
 * @param {(line: string) => void} say
 * @param {string} name
 * @param {Result} file
 * @param {Result[]} results
 */
function sayFile (say, name, file, results) {
  const skipped = results.filter(result => result.skip || result.todo)
  const failed = results.filter(result => !result.ok && !skipped.includes(result))
  const passed = results.length - skipped.length - failed.length
  const seconds = file.time === null ? '' : ` (${(file.time / 1000).toFixed(1)} s)`
  say(`  ${file.ok ? 'ok    ' : 'FAILED'} ${name}: ${describeTotals({ passed, failed: failed.length, skipped: skipped.length })}${seconds}`)
  for (const result of skipped) say(`         skipped ${result.fullname}: ${reasonOf(result)}`)
  for (const result of failed) sayFailure(say, result)
  if (!file.ok && failed.length === 0) sayFailure(say, file)
}

/**
 * @param {(line: string) => void} say
 * @param {Result} result
 */
function sayFailure (say, { fullname, diag }) {
  say(`         not ok: ${fullname}`)
  // How tap starts every file says nothing about why this one failed.
  const { diff, at, stack, source, stdio, cwd, command, args, externalID, jobId, ...others } = diag ?? {}
  const where = at?.fileName ? `at ${at.fileName}:${at.lineNumber}:${at.columnNumber}` : ''
  const parts = [diff, Object.keys(others).length > 0 ? JSON.stringify(others, null, 2) : '', stack || where, source]
  for (const line of parts.filter(Boolean).join('\n').split('\n')) if (line.trim()) say(`           ${line}`)
}

/** @param {Result} result @returns {string} why it was skipped or is still to do */
function reasonOf ({ skip, todo }) {
  const reason = skip || todo
  return typeof reason === 'string' ? reason : 'no reason given'
}

/** @param {Totals} totals @returns {string} "12 passed, 0 failed, 1 skipped" */
export const describeTotals = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
