/**
 * Turns the TAP of a test file into a line, the diagnostics of each failure, and totals.
 */
import { Parser } from 'tap-parser'

/** @import { Result } from 'tap-parser' */

/** Of one failure. */
const MOST_LINES = 80
const MOST_COLUMNS = 400

/** @typedef {{ passed: number, failed: number, skipped: number }} Totals of assertions */
/** @typedef {Result & { comments?: string[] }} TestResult and what the test said after it */
/**
 * @typedef {object} FileResult
 * @property {string} file
 * @property {boolean} ok
 * @property {number} seconds
 * @property {number | null} exit code; null: ended by a signal
 * @property {TestResult[]} results every assertion, whatever its depth
 */

/**
 * @param {string} file
 * @param {{ stdout: string, exit: number | null, seconds: number }} ended
 * @returns {FileResult}
 */
export function readResults (file, { stdout, exit, seconds }) {
  const parser = new Parser()
  /** @type {TestResult[]} */
  const results = []
  collect(parser, result => results.push(result))
  let ok = false
  parser.on('complete', complete => { ok = complete.ok })
  parser.end(stdout)
  return { file, ok: ok && exit === 0, exit, seconds, results }
}

/**
 * Calls back for every assertion below a parser, whatever its depth.
 * @param {Parser} parser
 * @param {(result: TestResult) => void} found
 */
function collect (parser, found) {
  /** @type {TestResult | null} */
  let last = null
  parser.on('child', child => collect(child, found))
  parser.on('comment', (/** @type {string} */ comment) => last?.comments?.push(comment))
  parser.on('assert', (/** @type {Result} */ result) => {
    // A subtest's own line repeats what its assertions said already.
    if (result.closingTestPoint) return
    last = Object.assign(result, { comments: [] })
    found(last)
  })
}

/** @param {Result} result */
const isSkipped = ({ skip, todo }) => Boolean(skip || todo)

/** @param {FileResult} file @returns {Totals} one that failed as a whole, and in no assertion, counts as one */
function totalsOf ({ ok, results }) {
  const skipped = results.filter(isSkipped).length
  const failed = results.filter(result => !result.ok && !isSkipped(result)).length
  return { passed: results.length - skipped - failed, failed: failed || (ok ? 0 : 1), skipped }
}

/** @param {FileResult[]} files @returns {Totals} */
export const sumOf = files => files.map(totalsOf).reduce((sum, { passed, failed, skipped }) => ({
  passed: sum.passed + passed, failed: sum.failed + failed, skipped: sum.skipped + skipped
}), { passed: 0, failed: 0, skipped: 0 })

/**
 * @param {(line: string) => void} say
 * @param {FileResult} result
 */
export function sayResults (say, result) {
  const { file, ok, results, seconds, exit } = result
  say(`  ${ok ? 'ok    ' : 'FAILED'} ${file}: ${describeTotals(totalsOf(result))} (${seconds.toFixed(1)} s)`)
  for (const skipped of results.filter(isSkipped)) say(`         skipped ${skipped.fullname}: ${reasonOf(skipped)}`)
  const failed = results.filter(result => !result.ok && !isSkipped(result))
  for (const result of failed) sayFailure(say, result)
  if (!ok && failed.length === 0) {
    const how = exit === null ? 'by a signal' : `with exit code ${exit}`
    say(`         ${results.length} assertions, and it ended ${how}`)
  }
}

/**
 * @param {(line: string) => void} say
 * @param {TestResult} result
 */
function sayFailure (say, { fullname, diag, comments = [] }) {
  say(`         not ok: ${fullname}`)
  const { diff, at, stack, source, ...others } = diag ?? {}
  const where = at?.fileName ? `at ${at.fileName}:${at.lineNumber}:${at.columnNumber}` : ''
  const details = Object.keys(others).length > 0 ? JSON.stringify(others, null, 2) : ''
  const parts = [diff, details, stack || where, source, ...comments]
  const lines = parts.filter(Boolean).join('\n').split('\n').filter(line => line.trim())
  for (const line of lines.slice(0, MOST_LINES)) say(`           ${line.slice(0, MOST_COLUMNS)}`)
  if (lines.length > MOST_LINES) say(`           … ${lines.length - MOST_LINES} more lines`)
}

/** @param {Result} result @returns {string} why it was skipped or is still to do */
function reasonOf ({ skip, todo }) {
  const reason = skip || todo
  return typeof reason === 'string' ? reason : 'no reason given'
}

/** @param {Totals} totals @returns {string} "12 passed, 0 failed, 1 skipped" */
export const describeTotals = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`
