/** Response times at one offered rate beside a comparison of throughput: answer and section. */
import { count, listing, micros, NONE, rate } from '../shared/format.js'
import { RESPONSES_FOR } from '../judge/open-loop.js'
import { countRequestsPerUnit } from '../plan/request-mix.js'
import { printReason } from './facts/reason-texts.js'
import { isOfApp, ofApp } from './latencies.js'
import { column } from './table.js'
import { compact } from './wrap.js'

/** @import { OpenLoop, OpenLoopArm, RunRecord, Section, Table, Unit } from '../types.js' */

const MAX_NAMED = 3 // A longer list of arms hides the answer.

/** @typedef {OpenLoopArm & { closedLoop: number | undefined }} Row closedLoop: rate of the arm in the throughput run */

/**
 * Returns the highest percentile that all measured arms have, and the arms that cannot sustain the rate.
 * @param {OpenLoop} openLoop
 * @returns {string | null} null: no arm was measured at the rate
 */
export function openLoopAnswer ({ rate, arms }) {
  const measured = arms.map(toShown).filter(({ latencyMs }) => latencyMs)
  const key = (/** @type {const} */ (['p99', 'p90', 'p50']))
    .find(key => measured.every(arm => getKnownPercentile(arm, key) !== undefined))
  const overloaded = arms.filter(({ sustained }) => sustained === false).map(({ name }) => name)
  const times = key ? measured.map(arm => ({ name: arm.name, time: getKnownPercentile(arm, key) ?? NaN })) : []
  const ofWhat = isOfApp(arms) ? ' of the app' : ''
  const clauses = compact([
    times.length > 0 && `the ${key} of response time${ofWhat} is ${listTimes(times)}`,
    overloaded.length > 0 && `the queue of ${listing(overloaded)} grows`
  ])
  return clauses.length === 0 ? null : `At ${count(rate)} req/s ${clauses.join('; ')}.`
}

/** @param {{ name: string, time: number }[]} times in ms */
function listTimes (times) {
  const print = (/** @type {{ name: string, time: number }} */ { name, time }) => `${micros(time)} ms with ${name}`
  if (times.length <= MAX_NAMED) return listing(times.map(print))
  const sorted = times.toSorted((a, b) => a.time - b.time)
  return `from ${print(sorted[0])} to ${print(sorted[sorted.length - 1])}`
}

/**
 * Returns the response times at one offered rate, if they were measured.
 * @param {RunRecord} record
 * @returns {Section}
 */
export const openLoopSection = ({ arms, unit, openLoop }) => openLoop
  ? {
      id: 'open-loop',
      title: openLoopTitle(openLoop),
      blocks: [openLoopTable({ arms, unit }, openLoop), ...openLoopSentences(openLoop)],
      brief: true
    }
  : { id: 'open-loop', title: '', blocks: [] }

/** @param {Pick<OpenLoop, 'rate'> & Partial<OpenLoop>} openLoop */
export function openLoopTitle ({ rate: offered, arms = [] }) {
  const requests = isOfApp(arms) ? ' of requests to the app' : ''
  return `Response time in ms${requests}, open loop, at ${count(offered)} requests a second`
}

/**
 * Returns an arm with the response times that are shown, and the number of responses behind them.
 * @param {OpenLoopArm} arm
 * @returns {OpenLoopArm}
 */
export const toShown = arm =>
  ({ ...ofApp(arm), responses: arm.latencyByKind ? arm.latencyByKind.app?.responses ?? 0 : arm.responses })

/**
 * Returns the response times of each arm beside its rate in the closed loop.
 * @param {Pick<RunRecord, 'arms' | 'unit'>} record
 * @param {OpenLoop} openLoop
 * @returns {Table<Row>}
 */
export const openLoopTable = ({ arms, unit }, openLoop) => ({
  rows: openLoop.arms.map(arm => ({ ...toShown(arm), closedLoop: findClosedLoop(arm, arms, unit) })),
  columns: [
    column('arm', ({ name }) => name, { left: true }),
    column({ text: 'max req/s', page: 'closed loop, req/s' }, ({ closedLoop }) => rate(closedLoop), { width: 9 }),
    ...(/** @type {const} */ (['p50', 'p90', 'p99'])).map(key =>
      column({ text: key, page: `${key}, ms` }, (/** @type {Row} */ row) => micros(getKnownPercentile(row, key)),
        { width: 8 })),
    column({ page: 'p99 of the windows' }, ({ latencyMs, windows }) => {
      const range = windows > 1 ? latencyMs?.p99Range : undefined
      return range ? `${micros(range.low)}–${micros(range.high)}` : NONE
    }),
    column({ page: 'responses' }, ({ responses }) => count(responses)),
    column({ page: 'note' }, row => noteMissing(row) ?? '', { left: true })
  ],
  from: 2,
  instead: noteMissing
})

/**
 * Returns the rate of an arm in the closed loop, in requests per second like the offered rate.
 * @param {OpenLoopArm} arm
 * @param {RunRecord['arms']} arms
 * @param {Unit} unit
 */
function findClosedLoop ({ name }, arms, unit) {
  const arm = arms.find(other => other.name === name)
  return arm?.rps ? arm.rps.median * countRequestsPerUnit(unit, arm.load) : undefined
}

/**
 * Returns a percentile, if enough responses were measured for it.
 * @param {OpenLoopArm} arm
 * @param {'p50' | 'p90' | 'p99'} key
 */
export function getKnownPercentile ({ latencyMs, responses }, key) {
  const isKnown = key === 'p50' || responses >= RESPONSES_FOR[key]
  return isKnown ? latencyMs?.[key] : undefined
}

/**
 * Returns in a few words why an arm has no percentiles.
 * @param {OpenLoopArm} arm
 * @returns {string | null} null: it has percentiles
 */
function noteMissing ({ sustained, answeredPerSecond, latencyMs }) {
  if (sustained === false) return `not sustained: ${rate(answeredPerSecond)} req/s`
  return latencyMs ? null : 'not measured'
}

/**
 * Explains why an arm has no percentiles.
 * @param {OpenLoopArm} arm
 * @param {Pick<OpenLoop, 'rate'>} openLoop
 * @returns {string[]} empty: it has percentiles
 */
function explainMissing ({ name, sustained, answeredPerSecond, latencyMs, why }, { rate: offered }) {
  if (sustained === false) {
    return [`${name} cannot sustain ${count(offered)} req/s: it answered ${rate(answeredPerSecond)} req/s and its ` +
      'queue grew, so no percentile is claimed.']
  }
  if (latencyMs) return []
  return [`${name} was not measured at this rate: ${why ? printReason(why) : 'the run ended before its turn'}.`]
}

/**
 * Returns the rate at which the load of all arms was sent, if an experiment states one.
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {number | null} null: a closed loop, or several rates
 */
export function findOfferedRate ({ arms }) {
  const [rate, ...others] = new Set(arms.map(({ load }) => load.rate))
  return rate === undefined || others.length > 0 ? null : rate
}

/**
 * Explains the table in sentences.
 * @param {OpenLoop} openLoop
 * @returns {string[]}
 */
export function openLoopSentences (openLoop) {
  const { arms } = openLoop
  const few = arms.map(toShown).filter(({ latencyMs, responses }) => latencyMs && responses < RESPONSES_FOR.p99)
  return [
    'Requests follow one schedule, whether or not responses arrive, and times count from it. Max req/s: closed loop.',
    ...arms.flatMap(arm => explainMissing(arm, openLoop)),
    ...arms.filter(({ unsteady, latencyMs }) => unsteady && latencyMs).map(({ name }) =>
      `The warm-up of ${name} ended before its steady state: its percentiles are inconclusive.`),
    ...few.length > 0
      ? [`A p99 needs ${count(RESPONSES_FOR.p99)} responses: ${few.map(({ name }) => name).join(', ')} had fewer.`]
      : []
  ]
}
