/** What Locust leaves behind, its CSV files and its log, as a measurement (pure).
 * @import { ErrorCounts, Latency, Measurement, UserPoint } from '../../../types.js' */
import { parse } from 'csv-parse/sync'

const ALL = 'Aggregated' // The row of all requests together, in both files.
/** The least that has to be in each file: a version that calls them otherwise is none that is known here. */
const COLUMNS = {
  stats: ['Name', 'Request Count', 'Failure Count', 'Max Response Time', 'Requests/s', 'Average Content Size', '50%',
    '90%', '95%', '99%'],
  history: ['Timestamp', 'User Count', 'Name', '50%', '95%', '100%', 'Total Request Count', 'Total Failure Count'],
  failures: ['Error', 'Occurrences']
}

/** How its client calls what went wrong, by what it means. What is none of these broke the connection.
 * @type {[keyof ErrorCounts, RegExp][]} */
const KINDS = [
  ['non2xx', /BadStatusCode|HTTPError|status code|^HTTP \d{3}/i],
  ['timeouts', /time(d ?)?out/i]
]
/** Addresses and numbers differ from one to the next where the kind is the same. */
const ADDRESS = /https?:\/\/[^\s'",)]+/g

/** @param {{ stats: string | null, history: string | null, failures: string | null, log: string }} files null: it is
 * not there @returns {Measurement}
 * @throws {TypeError} where a file is missing, cut off, or of a version that is not known */
export function measurementOf ({ stats, history, failures: failed, log }) {
  const total = rowsOf('stats', stats).find(row => row.Name === ALL)
  if (!total) throw new TypeError(`Locust's report has no row "${ALL}"`)
  const failures = rowsOf('failures', failed).map(row => ({
    kind: kindOf(row.Error),
    count: countOf(row, 'Occurrences')
  }))
  const points = rowsOf('history', history).filter(row => row.Name === ALL)
  const requests = countOf(total, 'Request Count')
  const errors = errorsOf(failures)
  const answers = requests - errors.timeouts - errors.resets
  return {
    requests: answers,
    errors,
    // It counts the bytes of bodies only.
    bytes: null,
    seconds: requests > 0 ? requests / numberOf(total, 'Requests/s') : null,
    latencyMs: answers > 0 ? latencyOf(total) : null,
    users: secondBySecond(points),
    failures: joined(failures),
    notes: notesOf(log)
  }
}

/** @param {keyof typeof COLUMNS} file @param {string | null} text @returns {Record<string, string>[]} */
function rowsOf (file, text) {
  if (text === null) throw new TypeError(`Locust has left no ${file}`)
  /** @type {Record<string, string>[]} */
  const rows = parse(text, {
    columns: header => checked(file, header),
    skip_empty_lines: true,
    relax_column_count: false
  })
  return rows
}

/** @param {keyof typeof COLUMNS} file @param {string[]} header */
function checked (file, header) {
  const missing = COLUMNS[file].find(name => !header.includes(name))
  if (missing !== undefined) throw new TypeError(`Locust's ${file} have no column "${missing}"`)
  return header
}

/** @param {Record<string, string>} row @param {string} column */
function numberOf (row, column) {
  const value = row[column]?.trim() ? Number(row[column]) : NaN
  if (!(Number.isFinite(value) && value >= 0)) throw new TypeError(`Locust's column "${column}" holds "${row[column]}"`)
  return value
}

/** @param {Record<string, string>} row @param {string} column */
function countOf (row, column) {
  const value = numberOf(row, column)
  if (!Number.isInteger(value)) {
    throw new TypeError(`Locust's column "${column}" holds "${row[column]}", which is no number of things`)
  }
  return value
}

/** "N/A" until something was answered. @param {Record<string, string>} row @param {string} column */
const msOf = (row, column) => row[column] === 'N/A' ? null : numberOf(row, column)

/** @param {Record<string, string>} total @returns {Latency | null} */
function latencyOf (total) {
  const [p50, p90, p95, p99] = ['50%', '90%', '95%', '99%'].map(column => msOf(total, column))
  if (p50 === null || p90 === null || p95 === null || p99 === null) return null
  // The longest is reported as it was, the others rounded: they may come out above it.
  return {
    p50,
    p90,
    p95,
    p99,
    max: Math.max(numberOf(total, 'Max Response Time'), p99),
    rate: null,
    source: 'Locust, users that wait'
  }
}

/** @param {string} error */
const kindOf = error => error.replace(ADDRESS, 'the address').replace(/0x[\da-f]+/gi, '0x…').trim()

/** @param {{ kind: string, count: number }[]} failures */
function joined (failures) {
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const { kind, count } of failures) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  return [...kinds].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count)
}

/** @param {{ kind: string, count: number }[]} failures @returns {ErrorCounts} */
function errorsOf (failures) {
  const errors = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
  for (const { kind, count } of failures) errors[KINDS.find(([, words]) => words.test(kind))?.[0] ?? 'resets'] += count
  return errors
}

/** Counts between two rows, over the time between them. Workers report theirs now and then: what came with one row is
 * spread over the rows before it that had nothing. @param {Record<string, string>[]} rows @returns {UserPoint[]} */
function secondBySecond (rows) {
  const counted = rows.map(row => ({
    at: numberOf(row, 'Timestamp'),
    users: countOf(row, 'User Count'),
    requests: countOf(row, 'Total Request Count'),
    failures: countOf(row, 'Total Failure Count'),
    // As long as it has not looked back, it says that the longest took no time.
    p50: msOf(row, '100%') ? msOf(row, '50%') : null,
    p95: msOf(row, '100%') ? msOf(row, '95%') : null
  }))
  // Before the first user there is nobody, and once its time is over nobody any more: what is reported then is no whole
  // second.
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

/** A line of its log: "[2026-11-21 16:03:41,123] machine/WARNING/root: CPU usage above 90%!" */
const LOG_LINE = /^\[[^\]]*\] \S*\/(WARNING|ERROR|CRITICAL)\/[^:]*: (.*)$/
const MOST_NOTES = 10 // More are not read.

/** @param {string} log @returns {string[]} what it warned of, each once */
const notesOf = log =>
  [...new Set(log.split('\n').flatMap(line => LOG_LINE.exec(line.trim())?.[2] ?? []))].slice(0, MOST_NOTES)
