/** Runs of scenarios, which count how requests end. */
import { NONE, capitalize, count, interval, isNumber, listing, micros, plural } from '../../shared/format.js'
import { NO_MEASUREMENT, nothingValid, runAnswer } from '../answer.js'
import { compact } from '../wrap.js'
import { logSections, originSection, run } from './run.js'
import { countFailures, sumCounts } from '../../judge/plays.js'
import { proportionInterval } from '../../judge/stats/quantile.js'
import { groupBy, sum } from '../../shared/group-by.js'
import { column } from '../table.js'
import { NO_TURN, whyInvalid } from '../tables/arms.js'

/** @import { ArmResult, Bar, ChartBlock, ChartLine, DelaySummary, Kind, PlaysResult } from '../../types.js' */
/** @import { RunRecord, Section, Table } from '../../types.js' */

/** Requests to which failures are related, so that one in a thousand is a whole number. */
const PER = 10_000
const MAX_POSITIONS = 8 // Positions with failures that a sentence lists.

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
    const counts = sumCounts(same)
    return {
      arm,
      kind,
      requests: sum(same.map(({ requests }) => requests)),
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
function printFailureRate (row) {
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
const outcomesTable = ({ arms }) => ({
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
function delaysTable ({ arms }) {
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
const metricsTable = ({ arms }) => ({
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
const outcomeSentences = ({ arms }) => arms.flatMap(arm => [
  ...listKinds(arm).flatMap(row => row.failures === 0 ? [] : [failureSentence(row)]),
  ...arm.plays?.evidence.map(fact => `${arm.name}: ${fact}`) ?? []
])

/** @param {KindRow} row */
function failureSentence ({ arm, kind, counts, positions }) {
  const outcomes = Object.entries(counts).filter(([outcome, n]) => n > 0 && countFailures(arm, { [outcome]: n }) > 0)
  const kinds = listing(outcomes.map(([outcome, n]) => `${count(n)} × ${outcome}`))
  const failed = positions.filter(({ failures }) => failures > 0).sort((a, b) => a.at - b.at)
  if (failed.length === 0) return `${arm.name}, ${kind}: ${kinds}`
  const shown = failed.slice(0, MAX_POSITIONS).map(({ at, requests, failures }) =>
    `${count(failures)} of ${count(requests)} at ${at}`)
  const rest = failed.length > MAX_POSITIONS ? [plural(failed.length - MAX_POSITIONS, 'further position')] : []
  return `${arm.name}, ${kind}: ${kinds}; ${listing([...shown, ...rest])} ${arm.load.scenario?.axis ?? ''}`.trim()
}

/** @typedef {{ name: string, requests: number, failures: number }} Failed requests of an arm and failures among them */

const MAX_NAMED = 4 // Arms in an answer, whose three lines on a terminal a table follows.
const MAX_WITH_INTERVAL = 2 // Arms with the interval of their failure rate.
const twoDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 })
/** Names of arms in a sentence. @type {Record<string, string>} */
const TITLES = {
  direct: 'no proxy',
  haproxy: 'HAProxy',
  caddy: 'Caddy',
  apache: 'Apache',
  varnish: 'Varnish',
  envoy: 'Envoy',
  traefik: 'Traefik'
}

const FAILED = 'failed requests per 10,000'

/** @type {Kind} */
export default { ...run, kind: 'behaviour', answer: runAnswer(behaviourAnswer), sections, mainChart: answeredChart }

/**
 * @param {RunRecord} record
 * @returns {Section[]}
 */
function sections (record) {
  const chart = positionsChart(record)
  const outcomes = [outcomesTable(record), ...outcomeSentences(record)]
  return [
    {
      id: 'outcomes',
      title: 'Outcomes of the requests, with 95 % intervals',
      blocks: [...chart ? [chart] : [], ...outcomes],
      brief: true
    },
    { id: 'delays', title: 'Delays in ms, over all plays', blocks: [delaysTable(record)], brief: true },
    { id: 'figures', title: 'Further figures of the plays', blocks: [metricsTable(record)], brief: true },
    originSection(record),
    ...logSections(record)
  ]
}

/**
 * Returns the chart of failures by position, or the bars where no request failed at a position.
 * @param {RunRecord} record
 * @returns {ChartBlock | null} null: nothing to draw
 */
function positionsChart (record) {
  const { figure, delay } = record.plan.answer ?? {}
  const lines = failureLines(record)
  if (figure === undefined && delay === undefined && lines.length > 0) {
    const axis = record.arms[0].load.scenario?.axis ?? 'position'
    return { chart: 'lines', lines, axes: { x: axis, y: FAILED }, label: `${FAILED} by ${axis}` }
  }
  return answeredChart(record)
}

/**
 * Returns the chart of the answered figure of each arm.
 * @param {RunRecord} record
 * @returns {ChartBlock | null} null: nothing to draw
 */
function answeredChart (record) {
  const { bars, unit } = answeredBars(record)
  return bars.length === 0 ? null : { chart: 'bars', bars, unit, label: unit }
}

/**
 * Returns a line for each kind of request of an arm that failed at some position.
 * @param {RunRecord} record
 * @returns {ChartLine[]}
 */
const failureLines = record => record.arms.flatMap(arm => answeredKinds(arm, record)
  .filter(({ positions, failures }) => positions.length > 0 && failures > 0)
  .map(({ kind, positions }) => ({
    name: `${arm.name}, ${kind}`,
    points: positions.map(position => ({ x: position.at, y: toFailureRate(position).rate })).sort((a, b) => a.x - b.x),
    end: null
  })))

/**
 * @param {RunRecord} record
 * @returns {{ bars: Bar[], unit: string }}
 */
function answeredBars (record) {
  const { figure, delay, group } = record.plan.answer ?? {}
  if (figure !== undefined || delay !== undefined) {
    const found = listAnswered(record.arms, record)
    const bars = found.map(({ arm, unit, ...bar }) => ({ name: arm.name, ...bar }))
    return { bars, unit: figure === undefined ? `p99 of the ${delay} delay, ms` : `${figure}, ${found[0]?.unit ?? ''}` }
  }
  const bars = record.arms.flatMap(arm => {
    const { rate, low, high } = toFailureRate(countFailed(arm, record))
    return isNumber(rate) ? [{ name: arm.name, value: rate, low, high }] : []
  })
  return { bars, unit: group === undefined ? FAILED : `${FAILED} (${group})` }
}

/**
 * Returns the figure of each arm that the experiment's "answer" names, or the p99 of the delay.
 * @param {ArmResult[]} arms
 * @param {RunRecord} record
 * @returns {{ arm: ArmResult, value: number, low: number, high: number, unit: string }[]} those that were measured
 */
const listAnswered = (arms, { plan: { answer: { figure, delay = '', group } = {} } }) => arms.flatMap(arm => {
  if (figure !== undefined) {
    return arm.plays?.figures.filter(({ name }) => name === figure)
      .map(({ value, low, high, unit }) => ({ arm, value, low, high, unit })) ?? []
  }
  const p99s = arm.plays?.groups.flatMap(({ name, delays }) =>
    (group ?? name) === name ? delays?.[delay]?.p99 ?? [] : []) ?? []
  const value = Math.max(...p99s)
  return p99s.length > 0 ? [{ arm, value, low: value, high: value, unit: 'ms' }] : []
})

/**
 * Returns the answer of a run by the experiment's "answer": a figure of each arm, the p99 of a delay, or, without
 * either, the failed requests. Names the highest two and the lowest of many arms.
 * @param {RunRecord} record
 * @returns {string} one or two sentences
 */
export function behaviourAnswer (record) {
  const { figure, delay } = record.plan.answer ?? {}
  const played = record.arms.filter(({ plays }) => plays)
  if (played.length === 0) return nothingValid(record)
  if (figure === undefined && delay === undefined) return failuresAnswer(played, record)
  const found = listAnswered(played, record).sort((a, b) => b.value - a.value)
  if (found.length === 0) return NO_MEASUREMENT
  const list = (/** @type {(value: number) => string} */ print) =>
    listClauses(found.map(({ arm, value }) => `${print(value)} with ${toTitledName(arm, record)}`))
  if (figure === undefined) return `The 99th percentile of the ${delay} delay is ${list(ms => `${micros(ms)} ms`)}.`
  const [{ unit }] = found
  return unit === '%'
    ? `${capitalize(figure)}: ${list(value => `${twoDigits.format(value)} %`)}.`
    : `${capitalize(figure)}, ${unit}: ${list(micros)}.`
}

/** Lists clauses about arms. @param {string[]} clauses the highest figure first */
function listClauses (clauses) {
  if (clauses.length <= MAX_NAMED) return listing(clauses)
  const [first, second, ...others] = clauses
  const between = plural(others.length - 1, 'further arm')
  return `${listing([first, second, ...others.slice(-1)])}, with ${between} between them`
}

/**
 * Returns the name of an arm in a sentence: that of the experiment, or its own with the titles of programs.
 * @param {ArmResult} arm
 * @param {RunRecord} record
 */
const toTitledName = ({ name }, { plan: { answer: { names = {} } = {} } }) => Object.hasOwn(names, name)
  ? names[name]
  : name.replace(/[a-z]+/g, spec => Object.hasOwn(TITLES, spec) ? TITLES[spec] : spec)

/**
 * Returns the kinds of requests that the answer is about: those of its group, or all.
 * @param {ArmResult} arm
 * @param {RunRecord} record
 */
const answeredKinds = (arm, { plan: { answer: { group } = {} } }) =>
  listKinds(arm).filter(({ kind }) => group === undefined || kind === group)

/**
 * Counts the requests of an arm that the answer is about, and the failures among them.
 * @param {ArmResult} arm
 * @param {RunRecord} record
 * @returns {Failed}
 */
function countFailed (arm, record) {
  const kinds = answeredKinds(arm, record)
  const requests = sum(kinds.map(kind => kind.requests))
  return { name: toTitledName(arm, record), requests, failures: sum(kinds.map(({ failures }) => failures)) }
}

/**
 * Reports the failure rates, the highest first, and the arms without a failure.
 * @param {ArmResult[]} played arms with valid plays
 * @param {RunRecord} record
 */
function failuresAnswer (played, record) {
  const arms = played.map(arm => countFailed(arm, record)).filter(arm => arm.requests > 0)
  if (arms.length === 0) return NO_MEASUREMENT
  const failed = arms.filter(({ failures }) => failures > 0)
    .sort((a, b) => b.failures / b.requests - a.failures / a.requests)
  const held = arms.filter(({ failures }) => failures === 0)
  const { group } = record.plan.answer ?? {}
  const kind = group === undefined ? '' : ` (${group})`
  const print = failed.length > MAX_WITH_INTERVAL
    ? (/** @type {Failed} */ arm) => count(Math.round(toFailureRate(arm).rate))
    : printFailureRate
  const heldNames = held.length > MAX_NAMED
    ? plural(held.length, 'arm')
    : listing(held.map(({ name, requests }) => held.length < MAX_NAMED ? `${name} (of ${count(requests)})` : name))
  return compact([
    failed.length > 0 &&
      `Of 10,000 requests${kind} fail: ${listClauses(failed.map(arm => `${print(arm)} with ${arm.name}`))}.`,
    held.length > 0 && `No request${failed.length > 0 ? '' : kind} failed with ${heldNames}.`
  ]).join(' ')
}
