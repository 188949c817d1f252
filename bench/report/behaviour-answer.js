/** The answer of a run with a scenario, in one or two sentences (pure). */
import { capitalize, count, listing, micros } from '../shared/format.js'
import { listKinds, printFailureRate } from './tables/behaviour.js'

/** @import { ArmResult, RunRecord } from '../types.js' */

const MOST_NAMED = 5 // Arms with a figure in a sentence. The others are only named, because more would be a table.
/** Names of arms in a sentence. @type {Record<string, string>} */
const TITLES = { direct: 'no proxy', haproxy: 'HAProxy', caddy: 'Caddy', apache: 'Apache', varnish: 'Varnish' }

/**
 * Returns the answer of a run by the experiment's "answer": a figure of each arm, the p99 of a delay, or, without
 * either, the failed requests.
 * @param {RunRecord} record
 * @returns {string} one or two sentences
 */
export function behaviourAnswer (record) {
  const { figure, delay } = record.plan.answer ?? {}
  const played = record.arms.filter(({ plays }) => plays)
  if (played.length === 0) return 'There is no valid measurement.'
  if (figure !== undefined) return figuresAnswer(figure, played, record)
  return delay === undefined ? failuresAnswer(played, record) : delaysAnswer(delay, played, record)
}

/**
 * Returns the name of an arm in a sentence: that of the experiment, or its own with the titles of programs.
 * @param {ArmResult} arm
 * @param {RunRecord} record
 */
const toName = ({ name }, { plan: { answer: { names = {} } = {} } }) => Object.hasOwn(names, name)
  ? names[name]
  : name.replace(/[a-z]+/g, word => Object.hasOwn(TITLES, word) ? TITLES[word] : word)

/**
 * Returns the kinds of requests that the answer is about: those of its group, or all.
 * @param {ArmResult} arm
 * @param {RunRecord} record
 */
export const answeredKinds = (arm, { plan: { answer: { group } = {} } }) =>
  listKinds(arm).filter(({ kind }) => group === undefined || kind === group)

/**
 * Reports the failure rates, the highest first, and the arms without a failure.
 * @param {ArmResult[]} played arms with valid plays
 * @param {RunRecord} record
 */
function failuresAnswer (played, record) {
  const arms = played.map(arm => {
    const kinds = answeredKinds(arm, record)
    const sum = (/** @type {'requests' | 'failures'} */ key) => kinds.reduce((total, kind) => total + kind[key], 0)
    return { name: toName(arm, record), requests: sum('requests'), failures: sum('failures') }
  })
  const failed = arms.filter(({ failures }) => failures > 0)
    .sort((a, b) => b.failures / b.requests - a.failures / a.requests)
  const withoutFailure = arms.filter(({ failures }) => failures === 0)
  const named = failed.slice(0, MOST_NAMED).map(arm => `${printFailureRate(arm)} with ${arm.name}`)
  const others = failed.slice(MOST_NAMED).map(({ name }) => name)
  const rest = others.length > 0 ? [`fewer with ${listing(others)}`] : []
  const { group } = record.plan.answer ?? {}
  const kind = group === undefined ? '' : ` (${group})`
  return [
    failed.length > 0 && `Of 10,000 requests${kind} fail: ${listing([...named, ...rest])}.`,
    withoutFailure.length > 0 && `No request${kind} failed with ${listing(withoutFailure.map(({ name, requests }) =>
      `${name} (of ${count(requests)})`))}.`
  ].filter(Boolean).join(' ')
}

/**
 * Reports a figure of each arm.
 * @param {string} figure
 * @param {ArmResult[]} played
 * @param {RunRecord} record
 */
function figuresAnswer (figure, played, record) {
  const found = played.flatMap(arm => {
    const measured = arm.plays?.figures.find(({ name }) => name === figure)
    return measured ? [`${micros(measured.value)} ${measured.unit} with ${toName(arm, record)}`] : []
  })
  return found.length === 0 ? 'There is no valid measurement.' : `${capitalize(figure)}: ${listing(found)}.`
}

/**
 * Reports the p99 of the arms with the longest delays, and an upper limit for the others.
 * @param {string} delay
 * @param {ArmResult[]} played
 * @param {RunRecord} record
 */
function delaysAnswer (delay, played, record) {
  const { group } = record.plan.answer ?? {}
  const found = played.flatMap(arm => {
    const measured = arm.plays?.groups.filter(({ name, delays }) => delays?.[delay] && (group ?? name) === name) ?? []
    const p99 = Math.max(...measured.flatMap(({ delays }) => delays?.[delay].p99 ?? []))
    return measured.length > 0 ? [{ name: toName(arm, record), p99 }] : []
  }).sort((a, b) => b.p99 - a.p99)
  if (found.length === 0) return 'There is no valid measurement.'
  const named = found.slice(0, MOST_NAMED).map(({ name, p99 }) => `${micros(p99)} ms with ${name}`)
  const others = found.slice(MOST_NAMED)
  const rest = others.slice(0, 1).map(({ p99 }) =>
    `at most ${micros(p99)} ms with ${listing(others.map(({ name }) => name))}`)
  return `The 99th percentile of the ${delay} delay is ${listing([...named, ...rest])}.`
}
