/** Kinds of runs: the sections that several of them have, and their exports. Kinds of studies add their own sections. */
import { isCached } from '../../plan/predicates.js'
import { count, isNumber } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { findAnswer } from '../answer.js'
import { listFiguresOfRun } from '../arm-figures.js'
import { contrastSentences, saturationSentence } from '../contrast-sentences.js'
import { printRecord } from '../facts/facts.js'
import { ofApp } from '../latencies.js'
import { noiseSentences } from '../noise-sentences.js'
import { projectionSentences } from '../projection.js'
import { commonBaseline, ratioRows } from '../ratio-rows.js'
import { endSentence } from '../run-sentences.js'
import { contrastTable, costTable, errorKinds, hasCosts, hasLatency, latencyTable } from '../tables/arms.js'
import { rateSeries, seriesLines, timeWaitSeries } from '../tables/over-time.js'
import { logSentences, noteSentences } from '../users-text.js'
import { listRunVerdicts } from '../verdicts.js'

/** @import { ChartBlock, ChartLine, Kind, RunRecord, Section, Table } from '../../types.js' */

/** What all kinds of runs have in common. @type {Omit<Kind, 'kind' | 'sections'>} */
export const run = {
  answer: findAnswer,
  end: endSentence,
  next: () => [],
  mainChart: () => null,
  metrics: listFiguresOfRun,
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
    brief: [table]
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
export function seriesSections (record, title = `${unitOf(record.unit).perSecond} second by second`) {
  const { label, scale } = unitOf(record.unit)
  const rates = seriesLines(record, point => point.rate * scale)
  const sockets = seriesLines(record, ({ timeWait }) => timeWait)
  return [
    linesSection({ id: 'series', title }, rates, label, rateSeries(record)),
    linesSection({ id: 'time-wait', title: 'Sockets in TIME_WAIT second by second' }, sockets, 'sockets',
      timeWaitSeries(record))
  ]
}

/**
 * Returns a section with a chart of lines over time, above a table.
 * @param {Pick<Section, 'id' | 'title'>} heading
 * @param {ChartLine[]} lines
 * @param {string} y label of the vertical axis
 * @param {Table<any>} table
 * @returns {Section} without blocks if there are no lines
 */
export const linesSection = (heading, lines, y, table) => ({
  ...heading,
  blocks: lines.length === 0 ? [] : [{ chart: 'lines', lines, axes: { x: 'seconds', y } }, table]
})

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
