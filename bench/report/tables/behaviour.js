/** Tables of the plays of a scenario. */
import { countFailures } from '../../judge/plays.js'
import { proportionInterval } from '../../judge/stats/proportion.js'
import { count, interval, isNumber, listing, micros, NONE, plural } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'
import { column } from '../table.js'
import { NO_TURN, whyInvalid } from './arms.js'

/** @import { ArmResult, DelaySummary, PlaysResult, RunRecord, Table } from '../../types.js' */

/** Requests to which failures are related, so that one in a thousand is a whole number. */
const PER = 10_000
const MOST_POSITIONS = 8 // Positions with failures that a sentence lists.

/**
 * @typedef {object} KindRow requests of one kind over all positions
 * @property {ArmResult} arm
 * @property {string} kind
 * @property {number} requests
 * @property {number} failures
 * @property {Record<string, number>} counts by outcome
 * @property {{ at: number, requests: number, failures: number }[]} positions
 */

/**
 * Adds up the groups of an arm that differ only in their positions.
 * @param {ArmResult} arm
 * @returns {KindRow[]}
 */
export function listKinds (arm) {
  const groups = groupBy(arm.plays?.groups ?? [], ({ name }) => name)
  return [...groups].map(([kind, same]) => {
    const outcomes = [...new Set(same.flatMap(({ counts }) => Object.keys(counts)))]
    const counts = Object.fromEntries(outcomes.map(outcome =>
      [outcome, same.reduce((sum, { counts }) => sum + (counts[outcome] ?? 0), 0)]))
    return {
      arm,
      kind,
      requests: same.reduce((sum, { requests }) => sum + requests, 0),
      failures: countFailures(arm, counts),
      counts,
      positions: same.flatMap(({ at, requests, counts }) =>
        at === undefined ? [] : [{ at, requests, failures: countFailures(arm, counts) }])
    }
  })
}

/** Returns failures per 10,000 requests with their interval. @param {Pick<KindRow, 'failures' | 'requests'>} row */
export function toFailureRate ({ failures, requests }) {
  const { low, high } = proportionInterval(failures, Math.max(1, requests))
  const rate = requests > 0 ? failures / requests * PER : NaN
  return { rate, low: low * PER, high: high * PER }
}

/** @param {Pick<KindRow, 'failures' | 'requests'>} row */
export function printFailureRate (row) {
  const { rate, low, high } = toFailureRate(row)
  if (!isNumber(rate)) return NONE
  return row.failures === 0 ? `0 (up to ${print(high)})` : `${print(rate)} (${interval(print(low), print(high))})`
}

/** @param {number} value */
const print = value => value >= 100 ? count(value) : String(Number(value.toPrecision(2)))

/** @param {ArmResult} arm without a valid play */
const whyNot = arm => whyInvalid(arm) ?? NO_TURN

/** @param {{ arm: ArmResult }} row */
const toInvalid = ({ arm }) => arm.plays ? null : `not measured: ${whyNot(arm)}`

/**
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {Table<KindRow>}
 */
export const outcomesTable = ({ arms }) => ({
  rows: arms.flatMap(arm => arm.plays
    ? listKinds(arm)
    : [{ arm, kind: '', requests: 0, failures: 0, counts: {}, positions: [] }]),
  columns: [
    column('arm', ({ arm }) => arm.name, { left: true }),
    column('requests', ({ kind }) => kind, { left: true }),
    column('sent', ({ arm, requests }) => arm.plays ? count(requests) : NONE),
    column('failed', ({ arm, failures }) => arm.plays ? count(failures) : NONE),
    column('failed per 10,000', printFailureRate),
    ...arms.some(({ plays }) => !plays)
      ? [column({ page: 'why not' }, (/** @type {KindRow} */ { arm }) => arm.plays ? '' : whyNot(arm), { left: true })]
      : []
  ],
  names: 2,
  instead: toInvalid
})

/**
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {Table<{ arm: string, kind: string, at?: number, delay: string, summary: DelaySummary }>}
 */
export function delaysTable ({ arms }) {
  const rows = arms.flatMap(({ name: arm, plays }) => plays?.groups.flatMap(({ name: kind, at, delays = {} }) =>
    Object.entries(delays).map(([delay, summary]) => ({ arm, kind, at, delay, summary }))) ?? [])
  return {
    rows,
    columns: [
      column('arm', ({ arm }) => arm, { left: true }),
      column('requests', ({ kind, at }) => at === undefined ? kind : `${kind} at ${at}`, { left: true }),
      column('delay', ({ delay }) => delay, { left: true }),
      column('count', ({ summary }) => count(summary.count)),
      column({ text: 'p50', page: 'p50, ms' }, ({ summary }) => micros(summary.p50)),
      column({ text: 'p99', page: 'p99, ms' }, ({ summary }) => micros(summary.p99)),
      column({ text: 'max', page: 'max, ms' }, ({ summary }) => micros(summary.max))
    ],
    names: 3
  }
}

/**
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {Table<PlaysResult['figures'][number] & { arm: string }>}
 */
export const figuresTable = ({ arms }) => ({
  rows: arms.flatMap(({ name: arm, plays }) => plays?.figures.map(figure => ({ arm, ...figure })) ?? []),
  columns: [
    column('arm', ({ arm }) => arm, { left: true }),
    column('figure', ({ name, unit }) => `${name}, ${unit}`, { left: true }),
    column('median', ({ value }) => micros(value)),
    column('plays', ({ low, high }) => low === high ? micros(low) : interval(micros(low), micros(high)))
  ],
  names: 2
})

/**
 * Lists the failures of each kind of request by outcome and by position, and the evidence of each arm.
 * @param {Pick<RunRecord, 'arms'>} record
 */
export const outcomeSentences = ({ arms }) => arms.flatMap(arm => [
  ...listKinds(arm).flatMap(row => row.failures === 0 ? [] : [failureSentence(row)]),
  ...arm.plays?.evidence.map(fact => `${arm.name}: ${fact}`) ?? []
])

/** @param {KindRow} row */
function failureSentence ({ arm, kind, counts, positions }) {
  const outcomes = Object.entries(counts).filter(([outcome, n]) => n > 0 && countFailures(arm, { [outcome]: n }) > 0)
  const kinds = listing(outcomes.map(([outcome, n]) => `${count(n)} × ${outcome}`))
  const failed = positions.filter(({ failures }) => failures > 0).sort((a, b) => a.at - b.at)
  if (failed.length === 0) return `${arm.name}, ${kind}: ${kinds}`
  const shown = failed.slice(0, MOST_POSITIONS).map(({ at, requests, failures }) =>
    `${count(failures)} of ${count(requests)} at ${at}`)
  const rest = failed.length > MOST_POSITIONS ? [plural(failed.length - MOST_POSITIONS, 'further position')] : []
  return `${arm.name}, ${kind}: ${kinds}; ${listing([...shown, ...rest])} ${arm.load.scenario?.axis ?? ''}`.trim()
}
