/** The answer of a run with a scenario, in one or two sentences (pure). */
import { capitalize, count, listing, micros, plural } from '../shared/format.js'
import { listKinds, printFailureRate, toFailureRate } from './tables/behaviour.js'
import { listUnseparated } from './unseparated.js'
import { compact } from './wrap.js'

/** @import { ArmResult, RunRecord } from '../types.js' */

/** @typedef {{ record: RunRecord, brief: boolean, requests?: string, unit?: string }} Form */

/** @typedef {{ name: string, requests: number, failures: number }} Failed requests of an arm and failures among them */

const NOT_MEASURED = 'There is no valid measurement.'
const MOST_NAMED = 4 // Arms in a brief answer, whose three lines on a terminal a table follows.
const MOST_WITH_INTERVAL = 2 // Arms with the interval of their failure rate in a brief answer.
/** Name of the figure in bench/scenarios/reload.js that counts failures. */
const FAILED_REQUESTS = 'failed requests'
const OTHER_LIMIT = 1.5 // Factor from which on limits of failure rates are printed as a range.
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

/**
 * Returns the answer of a run by the experiment's "answer": a figure of each arm, the p99 of a delay, or, without
 * either, the failed requests.
 * @param {RunRecord} record
 * @param {{ brief?: boolean, requests?: string, unit?: string }} [options] brief: names the highest two and the lowest
 *   of many arms; requests: words for the requests that may fail, or for those of the figure; unit: of the figure, in
 *   place of the stored one
 * @returns {string} one or two sentences
 */
export function behaviourAnswer (record, { brief = false, requests, unit } = {}) {
  const { figure, delay } = record.plan.answer ?? {}
  const played = record.arms.filter(({ plays }) => plays)
  if (played.length === 0) return NOT_MEASURED
  const form = { record, brief, requests, unit }
  if (figure !== undefined) return figuresAnswer(figure, played, form)
  return delay === undefined ? failuresAnswer(played, form) : delaysAnswer(delay, played, form)
}

/**
 * Lists clauses about arms.
 * @param {string[]} clauses the highest figure first
 * @param {boolean} brief
 */
function listClauses (clauses, brief) {
  if (!brief || clauses.length <= MOST_NAMED) return listing(clauses)
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
export const answeredKinds = (arm, { plan: { answer: { group } = {} } }) =>
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
 * Reports the failure rates, the highest first, and the arms without a failure with the upper bound of their rate.
 * @param {ArmResult[]} played arms with valid plays
 * @param {Form} form
 */
function failuresAnswer (played, { record, brief, requests }) {
  const arms = played.map(arm => countFailed(arm, record)).filter(arm => arm.requests > 0)
  if (arms.length === 0) return NOT_MEASURED
  const failed = arms.filter(({ failures }) => failures > 0)
    .sort((a, b) => b.failures / b.requests - a.failures / a.requests)
  const { group } = record.plan.answer ?? {}
  const kind = group === undefined ? '' : ` (${group})`
  const print = brief && failed.length > MOST_WITH_INTERVAL
    ? (/** @type {Failed} */ arm) => count(Math.round(toFailureRate(arm).rate))
    : printFailureRate
  const toClause = (/** @type {Failed} */ arm) => `${print(arm)} with ${arm.name}`
  const named = brief
    ? listClauses(failed.map(toClause), brief)
    : listUnseparated(failed, { print: toClause, isSeparated: isFailingMore })
  return compact([
    failed.length > 0 && `Of 10,000 ${requests ?? `requests${kind}`} fail: ${named}.`,
    failed.length < arms.length && withoutFailureSentence(arms.filter(({ failures }) => failures === 0), kind, brief)
  ]).join(' ')
}

/**
 * Lists the arms without a failure, with the number of their requests and the failure rate that this does not exclude.
 * @param {Failed[]} arms at least one
 * @param {string} kind of the requests, in parentheses after a space; or empty
 * @param {boolean} brief
 */
function withoutFailureSentence (arms, kind, brief) {
  const names = brief && arms.length > MOST_NAMED - 1
    ? plural(arms.length, 'arm')
    : listing(arms.map(({ name, requests }) => `${name} (of ${count(requests)})`))
  // The table below a brief answer has the interval of each arm.
  const limits = arms.map(arm => toFailureRate(arm).high)
  const [lowest, highest] = [Math.min(...limits), Math.max(...limits)]
  const range = highest < OTHER_LIMIT * lowest ? count(highest) : `${count(lowest)} to ${count(highest)}`
  const limit = brief ? '' : `, which does not exclude ${range} of 10,000`
  return `No request${kind} failed with ${names}${limit}.`
}

/**
 * Reports a figure of each arm, the highest first.
 * @param {string} figure
 * @param {ArmResult[]} played
 * @param {Form} form
 */
function figuresAnswer (figure, played, { record, brief, requests = figure, unit }) {
  const found = played.flatMap(arm => {
    const measured = arm.plays?.figures.find(({ name }) => name === figure)
    return measured ? [{ ...measured, arm, name: toTitledName(arm, record) }] : []
  }).sort((a, b) => b.value - a.value)
  if (found.length === 0) return NOT_MEASURED
  const [first] = found
  const print = first.unit === '%' ? (/** @type {number} */ value) => `${twoDigits.format(value)} %` : micros
  const list = figure === FAILED_REQUESTS && !brief
    ? listFailed(found.map(({ arm, value }) => ({ value, ...countFailed(arm, record) })))
    : listClauses(found.map(({ name, value }) => `${print(value)} with ${name}`), brief)
  return `${capitalize(requests)}${first.unit === '%' ? '' : `, ${unit ?? first.unit}`}: ${list}.`
}

/**
 * Lists failures with the requests behind them, and marks neighbours whose failure rates have intervals in common.
 * @param {(Failed & { value: number })[]} arms
 */
const listFailed = arms => listUnseparated(arms, {
  print: ({ name, value, requests, failures }) =>
    `${twoDigits.format(value)} (${count(failures)} of ${count(requests)}) with ${name}`,
  isSeparated: isFailingMore
})

/**
 * Returns whether the intervals of two failure rates show that an arm fails more often than another one.
 * @param {Failed} arm
 * @param {Failed} other
 */
const isFailingMore = (arm, other) => toFailureRate(arm).low > toFailureRate(other).high

/**
 * Reports the p99 of a delay of each arm, the longest first.
 * @param {string} delay
 * @param {ArmResult[]} played
 * @param {Form} form
 */
function delaysAnswer (delay, played, { record, brief }) {
  const { group } = record.plan.answer ?? {}
  const found = played.flatMap(arm => {
    const measured = arm.plays?.groups.filter(({ name, delays }) => delays?.[delay] && (group ?? name) === name) ?? []
    const p99 = Math.max(...measured.flatMap(({ delays }) => delays?.[delay].p99 ?? []))
    return measured.length > 0 ? [{ name: toTitledName(arm, record), p99 }] : []
  }).sort((a, b) => b.p99 - a.p99)
  if (found.length === 0) return NOT_MEASURED
  const clauses = found.map(({ name, p99 }) => `${micros(p99)} ms with ${name}`)
  return `The 99th percentile of the ${delay} delay is ${listClauses(clauses, brief)}.`
}
