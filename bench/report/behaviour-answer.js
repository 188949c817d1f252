/** The answer of a run with a scenario, in one or two sentences (pure). */
import { capitalize, count, listing, micros, plural } from '../shared/format.js'
import { listKinds, printFailureRate, toFailureRate } from './tables/behaviour.js'
import { compact } from './wrap.js'

/** @import { ArmResult, RunRecord } from '../types.js' */

/** @typedef {{ name: string, requests: number, failures: number }} Failed requests of an arm and failures among them */

const NOT_MEASURED = 'There is no valid measurement.'
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

/**
 * Returns the answer of a run by the experiment's "answer": a figure of each arm, the p99 of a delay, or, without
 * either, the failed requests. Names the highest two and the lowest of many arms.
 * @param {RunRecord} record
 * @returns {string} one or two sentences
 */
export function behaviourAnswer (record) {
  const { figure, delay } = record.plan.answer ?? {}
  const played = record.arms.filter(({ plays }) => plays)
  if (played.length === 0) return NOT_MEASURED
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
 * Reports the failure rates, the highest first, and the arms without a failure.
 * @param {ArmResult[]} played arms with valid plays
 * @param {RunRecord} record
 */
function failuresAnswer (played, record) {
  const arms = played.map(arm => countFailed(arm, record)).filter(arm => arm.requests > 0)
  if (arms.length === 0) return NOT_MEASURED
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
  if (found.length === 0) return NOT_MEASURED
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
  if (found.length === 0) return NOT_MEASURED
  const clauses = found.map(({ name, p99 }) => `${micros(p99)} ms with ${name}`)
  return `The 99th percentile of the ${delay} delay is ${listClauses(clauses)}.`
}
