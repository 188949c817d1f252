/** Runs of scenarios, which count how requests end. */
import { isNumber } from '../../shared/format.js'
import { answeredKinds } from '../behaviour-answer.js'
import { delaysTable, figuresTable, outcomesTable, outcomeSentences, toFailureRate } from '../tables/behaviour.js'
import { logSections, originSection, run } from './run.js'

/** @import { ArmResult, Bar, ChartBlock, ChartLine, Kind, RunRecord, Section } from '../../types.js' */

const FAILED = 'failed requests per 10,000'

/** @type {Kind} */
export default { ...run, kind: 'behaviour', sections, mainChart: answeredChart }

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
