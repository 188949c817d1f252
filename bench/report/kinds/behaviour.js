/** Runs of scenarios, which count how requests end. */
import { capitalize, count, isNumber, listing, micros, plural } from '../../shared/format.js'
import { NO_MEASUREMENT, nothingValid, runAnswer } from '../answer.js'
import {
  delaysTable, figuresTable, listKinds, outcomesTable, outcomeSentences, printFailureRate, toFailureRate
} from '../tables/behaviour.js'
import { compact } from '../wrap.js'
import { logSections, originSection, run } from './run.js'

/** @import { ArmResult, Bar, ChartBlock, ChartLine, Kind, RunRecord, Section } from '../../types.js' */

/** @typedef {{ name: string, requests: number, failures: number }} Failed requests of an arm and failures among them */

const MOST_NAMED = 4 // Arms in an answer, whose three lines on a terminal a table follows.
const MOST_WITH_INTERVAL = 2 // Arms with the interval of their failure rate.
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
    { id: 'figures', title: 'Further figures of the plays', blocks: [figuresTable(record)], brief: true },
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
  if (figure !== undefined) {
    const found = record.arms.flatMap(({ name, plays }) =>
      plays?.figures.filter(({ name }) => name === figure).map(({ value, low, high, unit }) =>
        ({ name, value, low, high, unit })) ?? [])
    return { bars: found, unit: `${figure}, ${found[0]?.unit ?? ''}` }
  }
  if (delay !== undefined) {
    return { bars: record.arms.flatMap(arm => toDelayBar(arm, record)), unit: `p99 of the ${delay} delay, ms` }
  }
  const bars = record.arms.flatMap(arm => {
    const kinds = answeredKinds(arm, record)
    const sum = (/** @type {'requests' | 'failures'} */ key) => kinds.reduce((total, kind) => total + kind[key], 0)
    const { rate, low, high } = toFailureRate({ requests: sum('requests'), failures: sum('failures') })
    return isNumber(rate) ? [{ name: arm.name, value: rate, low, high }] : []
  })
  return { bars, unit: group === undefined ? FAILED : `${FAILED} (${group})` }
}

/**
 * @param {ArmResult} arm
 * @param {RunRecord} record
 * @returns {Bar[]} empty: the arm has no such delay
 */
function toDelayBar ({ name, plays }, { plan: { answer: { delay = '', group } = {} } }) {
  const found = plays?.groups.flatMap(({ name: kind, delays }) =>
    group === undefined || kind === group ? delays?.[delay]?.p99 ?? [] : []) ?? []
  if (found.length === 0) return []
  const value = Math.max(...found)
  return [{ name, value, low: value, high: value }]
}

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
  if (figure !== undefined) return figuresAnswer(figure, played, record)
  return delay === undefined ? failuresAnswer(played, record) : delaysAnswer(delay, played, record)
}

/** Lists clauses about arms. @param {string[]} clauses the highest figure first */
function listClauses (clauses) {
  if (clauses.length <= MOST_NAMED) return listing(clauses)
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
  const sum = (/** @type {'requests' | 'failures'} */ key) => kinds.reduce((total, kind) => total + kind[key], 0)
  return { name: toTitledName(arm, record), requests: sum('requests'), failures: sum('failures') }
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
  const print = failed.length > MOST_WITH_INTERVAL
    ? (/** @type {Failed} */ arm) => count(Math.round(toFailureRate(arm).rate))
    : printFailureRate
  const heldNames = held.length > MOST_NAMED - 1
    ? plural(held.length, 'arm')
    : listing(held.map(({ name, requests }) => `${name} (of ${count(requests)})`))
  return compact([
    failed.length > 0 &&
      `Of 10,000 requests${kind} fail: ${listClauses(failed.map(arm => `${print(arm)} with ${arm.name}`))}.`,
    held.length > 0 && `No request${kind} failed with ${heldNames}.`
  ]).join(' ')
}

/**
 * Reports a figure of each arm, the highest first.
 * @param {string} figure
 * @param {ArmResult[]} played
 * @param {RunRecord} record
 */
function figuresAnswer (figure, played, record) {
  const found = played.flatMap(arm => {
    const measured = arm.plays?.figures.find(({ name }) => name === figure)
    return measured ? [{ ...measured, name: toTitledName(arm, record) }] : []
  }).sort((a, b) => b.value - a.value)
  if (found.length === 0) return NO_MEASUREMENT
  const [{ unit }] = found
  const print = unit === '%' ? (/** @type {number} */ value) => `${twoDigits.format(value)} %` : micros
  return `${capitalize(figure)}${unit === '%' ? '' : `, ${unit}`}: ${
    listClauses(found.map(({ name, value }) => `${print(value)} with ${name}`))}.`
}

/**
 * Reports the p99 of a delay of each arm, the longest first.
 * @param {string} delay
 * @param {ArmResult[]} played
 * @param {RunRecord} record
 */
function delaysAnswer (delay, played, record) {
  const { group } = record.plan.answer ?? {}
  const found = played.flatMap(arm => {
    const measured = arm.plays?.groups.filter(({ name, delays }) => delays?.[delay] && (group ?? name) === name) ?? []
    const p99 = Math.max(...measured.flatMap(({ delays }) => delays?.[delay].p99 ?? []))
    return measured.length > 0 ? [{ name: toTitledName(arm, record), p99 }] : []
  }).sort((a, b) => b.p99 - a.p99)
  if (found.length === 0) return NO_MEASUREMENT
  const clauses = found.map(({ name, p99 }) => `${micros(p99)} ms with ${name}`)
  return `The 99th percentile of the ${delay} delay is ${listClauses(clauses)}.`
}
