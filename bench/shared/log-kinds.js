/**
 * Counts log lines by kind (pure). Lines that differ only in numbers are one kind.
 * @import { LogCount } from '../types.js'
 */
import { groupBy, sum } from './group-by.js'

const MAX_KINDS = 10 // Limits of a report: a reader does not need more kinds or longer lines.
const MAX_LETTERS = 240

/**
 * Time and process at the beginning of a line: "2026/11/21 16:03:41 [warn] 12#12: *34 …", "[Sat Nov 21 16:03:41.1 2026]
 * [mpm_event:error] [pid 12:tid 34] …", "[2026-11-21 16:03:41.123][12][warning][main] [source/server/server.cc:34] …"
 */
const PREFIXES = [
  /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d (\[\w+\]) \d+#\d+: (?:\*\d+ )?/,
  /^\[\w{3} \w{3} \d+ [\d:.]+ \d{4}\] (\[[\w:]+\]) \[pid [^\]]*\] (?:\[client [^\]]*\] )?/,
  /^\[\d{4}-\d\d-\d\d [\d:.]+\]\[\d+\](\[\w+\])\[\w+\] (?:\[[^\]]*\] )?/
]
const REQUEST = /, client: .*$/ // Details of the request.

/** Removes from a line what varies within its kind: time, process, request. @param {string} line */
const stripped = line =>
  PREFIXES.reduce((text, prefix) => text.replace(prefix, '$1 '), line).replace(REQUEST, '').trim().slice(0, MAX_LETTERS)

/** @param {string} text */
export const kindOf = text => text.replace(/0x[\da-f]+/gi, 'N').replace(/\d+(\.\d+)*/g, 'N')

/**
 * Counts lines of a log by kind.
 * @param {string[]} lines
 * @param {string | null} [home] folder of the account, which records do not name
 */
export const countLogKinds = (lines, home = null) => joinLogs(lines
  .map(line => ({ text: stripped(home ? line.replaceAll(`${home}/`, '~/') : line), count: 1 }))
  .filter(({ text }) => text !== ''))

/**
 * Joins the counts of many trials.
 * @param {LogCount[]} counts
 * @returns {LogCount[]} the first line of each kind, the most frequent kind first
 */
export const joinLogs = counts => [...groupBy(counts, ({ text }) => kindOf(text)).values()]
  .map(group => ({ text: group[0].text, count: sum(group.map(({ count }) => count)) }))
  .sort((a, b) => b.count - a.count).slice(0, MAX_KINDS)
