/** Sections and exports that kinds of runs share. Kinds of studies add their own sections. */
import { isCached } from '../../plan/predicates.js'
import { count, isNumber, listing } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'
import { kindOf } from '../../shared/log-kinds.js'
import { unitOf } from '../../shared/units.js'
import { listMetricsOfRun } from '../arm-figures.js'
import {
  contrastSentences, noiseSentences, projectionSentences, saturationSentence
} from '../sentences/contrast-sentences.js'
import { printRecord } from '../facts/facts.js'
import { ofApp } from '../latencies.js'
import { overTimeSection } from '../over-time.js'
import { commonBaseline, ratioRows } from '../ratio-rows.js'
import { endSentence } from '../sentences/run-sentences.js'
import { contrastTable, costTable, errorKinds, hasCosts, hasLatency, latencyTable } from '../tables/arms.js'
import { listRunVerdicts } from '../verdicts.js'

/** @import { ChartBlock, Kind, RunRecord, Section } from '../../types.js' */

const MAX_ARMS = 4 // Arms listed with a line of the error log.

/** Common parts of all kinds of runs. @type {Omit<Kind, 'kind' | 'answer' | 'sections'>} */
export const run = {
  end: endSentence,
  next: () => [],
  mainChart: () => null,
  metrics: listMetricsOfRun,
  findings: listRunVerdicts,
  printFacts: printRecord
}

/**
 * Returns the ratios of the arms.
 * @param {RunRecord} record
 * @returns {Section}
 */
export function ratioSection (record) {
  const baseline = commonBaseline(record)
  const chart = ratioChart(record)
  const table = contrastTable(record)
  return {
    id: 'ratios',
    title: `Relative throughput${baseline === null ? '' : ` against ${baseline}`}`,
    blocks: [
      ...chart ? [chart] : [],
      table,
      ...contrastSentences(record), ...saturationSentence(record), ...projectionSentences(record),
      ...noiseSentences(record)
    ],
    brief: [table],
    isUntitled: baseline === null
  }
}

/**
 * @param {Pick<RunRecord, 'contrasts' | 'noiseFloor'>} record
 * @returns {ChartBlock | null} null: no contrast has a ratio
 */
export function ratioChart (record) {
  const rows = ratioRows(record)
  const baseline = commonBaseline(record)
  return rows.length === 0
    ? null
    : {
        chart: 'ratios',
        rows,
        noise: record.noiseFloor,
        ...baseline !== null && { axis: `throughput relative to ${baseline} →` },
        label: `Relative throughput against ${baseline ?? 'the baseline'}, with confidence intervals`
      }
}

/**
 * Returns the requests that caches did not answer.
 * @param {RunRecord} record
 * @returns {Section}
 */
export const originSection = ({ arms, plan }) => ({
  id: 'origin',
  title: `Requests that reached the app in a window of ${plan.windowSeconds} s`,
  blocks: arms.flatMap(({ originRequests, topology, name }) =>
    isNumber(originRequests) && isCached(topology) && name !== plan.twin?.arm
      ? [`${name}: ${count(originRequests)}`]
      : []),
  brief: true
})

/**
 * Lists the arms with errors, by kind.
 * @param {Pick<RunRecord, 'arms'>} record
 */
export const errorSentences = ({ arms }) => arms.flatMap(({ name, errors }) => {
  const kinds = errorKinds(errors)
  return kinds ? [`${name}, errors: ${kinds}.`] : []
})

/**
 * Returns rates and sockets over time.
 * @param {RunRecord} record
 * @param {string} [title] of the rates
 * @returns {Section[]}
 */
export function seriesSections ({ arms, plan, unit }, title = `${unitOf(unit).perSecond} second by second`) {
  const { label, scale, print } = unitOf(unit)
  const series = arms.filter(({ name }) => name !== plan.twin?.arm)
    .map(({ name, series = [] }) => ({ name, points: series }))
  return [
    overTimeSection({ id: 'series', title }, series, {
      label, getValue: ({ rate }) => rate * scale, print: ({ rate }) => print(rate)
    }),
    overTimeSection({ id: 'time-wait', title: 'Sockets in TIME_WAIT second by second' }, series, {
      label: 'sockets', getValue: ({ timeWait }) => timeWait, print: ({ timeWait }) => count(timeWait)
    })
  ]
}

/**
 * Returns CPU time and memory of the arms.
 * @param {RunRecord} record
 * @returns {Section}
 */
export const costSection = record => ({
  id: 'costs',
  title: `CPU time per ${unitOf(record.unit).per} in µs, memory of proxy and server`,
  blocks: record.arms.some(hasCosts)
    ? [
        { chart: 'costs', arms: record.arms, unit: record.unit, label: 'CPU time by role' },
        costTable(record),
        ...record.arms.some(({ proof }) => proof.busiestWorker !== undefined)
          ? ['busiest: requests of the busiest worker as a multiple of the workers\' mean; 1 is even.']
          : []
      ]
    : []
})

/**
 * Returns the percentiles of response times.
 * @param {RunRecord} record
 * @param {string} meaning of the times
 * @param {string} [title]
 * @returns {Section}
 */
export const latencySection = (record, meaning, title = 'Response time in ms') => ({
  id: 'latency',
  title,
  blocks: record.arms.map(ofApp).some(hasLatency)
    ? [
        { chart: 'percentiles', arms: record.arms, label: 'Percentiles of response time' },
        latencyTable(record),
        meaning
      ]
    : []
})

/**
 * Returns the lines of the proxies' error logs, and the warnings of the load generators.
 * @param {RunRecord} record
 * @returns {Section[]}
 */
export const logSections = record => [
  { id: 'error-log', title: 'The error log of the proxy', blocks: logSentences(record) },
  { id: 'generator-warnings', title: 'Warnings of the load generator', blocks: noteSentences(record) }
]

/**
 * Lists each kind of line in the error logs once, with the arms in whose logs it was found.
 * @param {Pick<RunRecord, 'arms'>} record
 */
function logSentences ({ arms }) {
  const lines = arms.flatMap(({ name, errorLog = [] }) => errorLog.map(({ text, count: times }) =>
    ({ text, occurrence: `${name} ${count(times)} ${times === 1 ? 'time' : 'times'}` })))
  return [...groupBy(lines, ({ text }) => kindOf(text)).values()].map(same => {
    const rest = same.length > MAX_ARMS ? [`${count(same.length - MAX_ARMS)} more`] : []
    const occurrences = same.slice(0, MAX_ARMS).map(({ occurrence }) => occurrence)
    return `"${same[0].text}": ${listing([...occurrences, ...rest])}`
  })
}

/**
 * Lists each warning of a load generator once, with its arms.
 * @param {RunRecord} record
 */
function noteSentences ({ arms }) {
  const notes = [...new Set(arms.flatMap(({ notes = [] }) => notes))]
  return notes.map(note =>
    `${listing(arms.filter(arm => arm.notes?.includes(note)).map(({ name }) => name))}: "${note}"`)
}
