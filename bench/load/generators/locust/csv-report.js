/** Reads Locust's CSV files and log as a measurement (pure). */
import { groupBy, sum } from '../../../shared/group-by.js'
import { latencyWithoutRate } from '../../engine-reports.js'

/** @import { ErrorCounts, Latency, Measurement, UserPoint } from '../../../types.js' */

/** A field with or without quotes, and the separator after it. */
const FIELD = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y
const ALL = 'Aggregated' // The row of all requests together, in both files.
/** Columns that each file must have. A version of Locust with other names is not supported. */
const COLUMNS = {
  stats: ['Name', 'Request Count', 'Failure Count', 'Max Response Time', 'Requests/s', 'Average Content Size', '50%',
    '90%', '95%', '99%'],
  history: ['Timestamp', 'User Count', 'Name', '50%', '95%', '100%', 'Total Request Count', 'Total Failure Count'],
  failures: ['Error', 'Occurrences']
}

/** Words in the client's errors, by their meaning. All other errors are broken connections.
 * @type {[keyof ErrorCounts, RegExp][]} */
const KINDS = [['non2xx', /BadStatusCode|HTTPError|status code|^HTTP \d{3}/i], ['timeouts', /time(d ?)?out/i]]
/** Addresses differ between errors of the same kind. */
const ADDRESS = /https?:\/\/[^\s'",)]+/g

/**
 * @param {{ stats: string | null, history: string | null, failures: string | null, log: string }} files null: missing
 * @returns {Measurement}
 * @throws {TypeError} a file is missing, cut off, or of another version
 */
export function toMeasurement ({ stats, history, failures: failed, log }) {
  const total = rowsOf('stats', stats).find(row => row.Name === ALL)
  if (!total) throw new TypeError(`Locust's report has no row "${ALL}"`)
  const failures = rowsOf('failures', failed).map(row => ({
    kind: toErrorKind(row.Error),
    count: countOf(row, 'Occurrences')
  }))
  const points = rowsOf('history', history).filter(row => row.Name === ALL)
  const requests = countOf(total, 'Request Count')
  const errors = countErrors(failures)
  const answers = requests - errors.timeouts - errors.resets
  return {
    requests: answers,
    errors,
    // Locust counts the bytes of bodies only.
    bytes: null,
    seconds: requests > 0 ? requests / numberOf(total, 'Requests/s') : null,
    latencyMs: answers > 0 ? latencyOf(total) : null,
    users: secondBySecond(points),
    failures: groupFailures(failures),
    notes: notesOf(log)
  }
}

/**
 * @param {keyof typeof COLUMNS} file
 * @param {string | null} text
 * @returns {Record<string, string>[]}
 */
function rowsOf (file, text) {
  if (text === null) throw new TypeError(`Locust has left no ${file}`)
  const [header = [], ...rows] = readCsv(text)
  const missing = COLUMNS[file].find(name => !header.includes(name))
  if (missing !== undefined) throw new TypeError(`Locust's ${file} have no column "${missing}"`)
  return rows.map(row => Object.fromEntries(header.map((name, i) => [name, row[i]])))
}

/**
 * @param {Record<string, string>} row
 * @param {string} column
 */
function numberOf (row, column) {
  const value = row[column]?.trim() ? Number(row[column]) : NaN
  if (!(Number.isFinite(value) && value >= 0)) throw new TypeError(`Locust's column "${column}" holds "${row[column]}"`)
  return value
}

/**
 * @param {Record<string, string>} row
 * @param {string} column
 */
function countOf (row, column) {
  const value = numberOf(row, column)
  if (!Number.isInteger(value)) {
    throw new TypeError(`Locust's column "${column}" holds "${row[column]}", which is no number of things`)
  }
  return value
}

/**
 * Reads milliseconds; null: "N/A", before the first response.
 * @param {Record<string, string>} row
 * @param {string} column
 */
const msOf = (row, column) => row[column] === 'N/A' ? null : numberOf(row, column)

/**
 * @param {Record<string, string>} total
 * @returns {Latency | null}
 */
function latencyOf (total) {
  const percentiles = ['50%', '90%', '95%', '99%'].map(column => msOf(total, column) ?? NaN)
  if (percentiles.some(Number.isNaN)) return null
  // Percentiles are rounded, so that they may exceed the exact maximum.
  const max = Math.max(numberOf(total, 'Max Response Time'), ...percentiles)
  return latencyWithoutRate([...percentiles, max], 'Locust, users that wait')
}

/** @param {string} error */
const toErrorKind = error => error.replace(ADDRESS, 'the address').replace(/0x[\da-f]+/gi, '0x…').trim()

/** @param {{ kind: string, count: number }[]} failures */
const groupFailures = failures => [...groupBy(failures, ({ kind }) => kind)]
  .map(([kind, group]) => ({ kind, count: sum(group.map(({ count }) => count)) })).sort((a, b) => b.count - a.count)

/**
 * @param {{ kind: string, count: number }[]} failures
 * @returns {ErrorCounts}
 */
function countErrors (failures) {
  const errors = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
  for (const { kind, count } of failures) errors[KINDS.find(([, words]) => words.test(kind))?.[0] ?? 'resets'] += count
  return errors
}

/**
 * Returns rates between rows. Workers report periodically, so the counts of a row are spread over the rows before it
 * that have no new counts.
 * @param {Record<string, string>[]} rows
 * @returns {UserPoint[]}
 */
function secondBySecond (rows) {
  const counted = rows.map(row => ({
    at: numberOf(row, 'Timestamp'),
    users: countOf(row, 'User Count'),
    requests: countOf(row, 'Total Request Count'),
    failures: countOf(row, 'Total Failure Count'),
    // Locust prints a maximum of 0 before its first reading.
    p50: msOf(row, '100%') ? msOf(row, '50%') : null,
    p95: msOf(row, '100%') ? msOf(row, '95%') : null
  }))
  // Excludes rows before the first user and after the last one, which are not whole seconds.
  const first = counted.findIndex(({ users, requests }) => users > 0 || requests > 0)
  const last = counted.findLastIndex(({ users }) => users > 0)
  const whole = first === -1 ? [] : counted.slice(first, last + 1)
  const start = counted[first - 1]?.at ?? (whole[0]?.at ?? 0) - 1
  /** @type {UserPoint[]} */
  const points = []
  let from = { at: start, requests: 0, failures: 0 }
  /** @type {typeof counted} */
  let open = []
  for (const row of whole) {
    if (row.at <= (open.at(-1) ?? from).at) continue
    open.push(row)
    if (row.requests === from.requests && row !== whole.at(-1)) continue
    const seconds = row.at - from.at
    points.push(...open.map(({ at, users, p50, p95 }) => ({
      second: at - start,
      users,
      rps: (row.requests - from.requests) / seconds,
      failures: (row.failures - from.failures) / seconds,
      p50,
      p95
    })))
    from = row
    open = []
  }
  return points
}

/** A line of Locust's log: "[2026-11-21 16:03:41,123] machine/WARNING/root: CPU usage above 90%!" */
const LOG_LINE = /^\[[^\]]*\] \S*\/(WARNING|ERROR|CRITICAL)\/[^:]*: (.*)$/
const MAX_NOTES = 10 // Warnings that are kept.

/** Returns the different warnings of a log. @param {string} log */
const notesOf = log =>
  [...new Set(log.split('\n').flatMap(line => LOG_LINE.exec(line.trim())?.[2] ?? []))].slice(0, MAX_NOTES)

/**
 * Reads all rows, without empty lines. Every row must have as many fields as the first one.
 *
 * @param {string} text
 * @returns {string[][]}
 * @throws {TypeError} a quote is missing, or a row has another number of fields
 */
export function readCsv (text) {
  /** @type {string[][]} */
  const rows = []
  /** @type {string[]} */
  let row = []
  for (let at = 0; at < text.length || row.length > 0;) {
    FIELD.lastIndex = at
    const field = FIELD.exec(text)
    if (!field) throw new TypeError(`line ${rows.length + 1} of the CSV has a wrong quote`)
    const [whole, quoted, plain, separator] = field
    at += whole.length
    row.push(quoted?.replaceAll('""', '"') ?? plain)
    if (separator === ',') continue
    if (row.length > 1 || whole.trim() !== '') rows.push(row)
    row = []
  }
  const uneven = rows.findIndex(({ length }) => length !== rows[0].length)
  if (uneven >= 0) throw new TypeError(`line ${uneven + 1} of the CSV has ${rows[uneven].length} fields`)
  return rows
}
