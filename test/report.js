/**
 * Turns the TAP output of a test file into a line, the diagnostics of each failure, and totals.
 */
import { Parser } from 'tap-parser'

/** @import { Result } from 'tap-parser' */

/** Limits of the diagnostics of one failure. */
const MAX_LINES = 80
const MAX_COLUMNS = 400

/** @typedef {{ passed: number, failed: number, skipped: number }} Totals of assertions */
/** @typedef {Result & { comments?: string[] }} TestResult an assertion and the comments that followed it */
/**
 * @typedef {object} FileResult
 * @property {string} file
 * @property {boolean} ok
 * @property {boolean} [isRetry] result of a second run, alone, after the first one failed beside other files
 * @property {number} seconds
 * @property {number | null} exit code; null: ended by a signal
 * @property {TestResult[]} results every assertion, at any depth
 */

/**
 * @param {string} file
 * @param {{ stdout: string, exit: number | null, seconds: number }} outcome of the file's process
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
 * Reads the output of several files in one process, each of which is a subtest.
 * @param {string} stdout
 * @returns {FileResult[]} of the files that have ended
 */
export function readBatch (stdout) {
  const parser = new Parser()
  /** @type {FileResult[]} */
  const files = []
  /** Results of the last file. @type {TestResult[]} */
  let results = []
  parser.on('child', child => {
    /** @type {TestResult[]} */
    const own = results = []
    collect(child, result => own.push(result))
  })
  parser.on('assert', ({ name, ok, time, closingTestPoint }) => {
    if (closingTestPoint) files.push({ file: name, ok, exit: ok ? 0 : 1, seconds: (time ?? 0) / 1000, results })
  })
  parser.end(stdout)
  return files
}

/**
 * Calls back for every assertion below a parser, at every depth.
 * @param {Parser} parser
 * @param {(result: TestResult) => void} onResult
 */
function collect (parser, onResult) {
  /** @type {TestResult | null} */
  let last = null
  parser.on('child', child => collect(child, onResult))
  parser.on('comment', (/** @type {string} */ comment) => last?.comments?.push(comment))
  parser.on('assert', (/** @type {Result} */ result) => {
    // The line of a subtest repeats the results of its assertions.
    if (result.closingTestPoint) return
    last = Object.assign(result, { comments: [] })
    onResult(last)
  })
}

/** @param {Result} result */
const isSkipped = ({ skip, todo }) => Boolean(skip || todo)

/**
 * Counts the assertions of a file. A file that failed without a failed assertion counts as one failure.
 * @param {FileResult} file
 * @returns {Totals}
 */
function countAssertions ({ ok, results }) {
  const skipped = results.filter(isSkipped).length
  const failed = results.filter(result => !result.ok && !isSkipped(result)).length
  return { passed: results.length - skipped - failed, failed: failed || (ok ? 0 : 1), skipped }
}

/**
 * @param {FileResult[]} files
 * @returns {Totals}
 */
export const sumTotals = files => files.map(countAssertions).reduce((sum, { passed, failed, skipped }) => ({
  passed: sum.passed + passed, failed: sum.failed + failed, skipped: sum.skipped + skipped
}), { passed: 0, failed: 0, skipped: 0 })

/**
 * Finds the files that failed beside other files and passed when they were run again, alone.
 * @param {FileResult[]} results
 */
export const findRetried = results => results.filter(({ ok, isRetry }) => ok && isRetry).map(({ file }) => file)

/**
 * @param {string[]} files result of findRetried
 * @returns {string[]} lines; empty without such a file
 */
export function describeRetried (files) {
  if (files.length === 0) return []
  const count = files.length === 1 ? '1 file' : `${files.length} files`
  return [`${count} passed only when run again, alone:`, ...files.map(file => `  ${file}`)]
}

/**
 * @param {(line: string) => void} print
 * @param {FileResult} result
 */
export function printResults (print, result) {
  const { file, ok, results, seconds, exit } = result
  const totals = describeTotals(countAssertions(result))
  print(`  ${ok ? 'ok    ' : 'FAILED'} ${file}: ${totals} (${seconds.toFixed(1)} s)`)
  for (const skipped of results.filter(isSkipped)) print(`         skipped ${skipped.fullname}: ${getReason(skipped)}`)
  const failed = results.filter(result => !result.ok && !isSkipped(result))
  for (const result of failed) printFailure(print, result)
  if (!ok && failed.length === 0) {
    const end = exit === null ? 'by a signal' : `with exit code ${exit}`
    print(`         ${results.length} assertions, and it ended ${end}`)
  }
}

/**
 * @param {(line: string) => void} print
 * @param {TestResult} result
 */
function printFailure (print, { fullname, diag, comments = [] }) {
  print(`         not ok: ${fullname}`)
  const { diff, at, stack, source, ...others } = diag ?? {}
  const location = at?.fileName ? `at ${at.fileName}:${at.lineNumber}:${at.columnNumber}` : ''
  const details = Object.keys(others).length > 0 ? JSON.stringify(others, null, 2) : ''
  const parts = [diff, details, stack || location, source, ...comments]
  const lines = parts.filter(Boolean).join('\n').split('\n').filter(line => line.trim())
  for (const line of lines.slice(0, MAX_LINES)) print(`           ${line.slice(0, MAX_COLUMNS)}`)
  if (lines.length > MAX_LINES) print(`           … ${lines.length - MAX_LINES} more lines`)
}

/**
 * Returns the reason for which an assertion was skipped or is still to be written.
 * @param {Result} result
 * @returns {string}
 */
function getReason ({ skip, todo }) {
  const reason = skip || todo
  return typeof reason === 'string' ? reason : 'no reason given'
}

/**
 * @param {Totals} totals
 * @returns {string} "12 passed, 0 failed, 1 skipped"
 */
export const describeTotals = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`
