/** Runs at offered rates, which are inputs. */
import { isNumber, listing, micros, NONE, percent } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { nothingValid, runAnswer } from '../answer.js'
import { isOfApp, ofApp } from '../latencies.js'
import { column } from '../table.js'
import { errorKinds, groupSteps, NO_TURN, percentileColumns, whyInvalid } from '../tables/arms.js'
import { costSection, errorSentences, latencySection, logSections, run } from './run.js'

/** @import { ArmResult, ChartBlock, ChartLine, Column, Kind, Latency, RunRecord, Section } from '../../types.js' */
/** @import { Table } from '../../types.js' */

/** @type {Kind} */
export default {
  ...run,
  kind: 'latency',
  answer: runAnswer(latencyAnswer),
  sections: record => latencySections(record),
  mainChart: loadChart
}

/**
 * Returns the sections of response times by offered rate.
 * @param {RunRecord} record
 * @param {Parameters<typeof loadTable>[1] & { goal?: number }} [options] goal: p99 in ms, drawn as a line
 * @returns {Section[]}
 */
export function latencySections (record, { goal, ...columns } = {}) {
  const chart = loadChart(record, goal)
  const requests = isOfApp(record.arms) ? ' of requests to the app' : ''
  const blocks = record.arms.length === 0
    ? ['No arm was measured.']
    : [
        ...chart ? [chart] : [],
        loadTable(record, columns),
        ...errorSentences(record),
        'Open loop: requests are sent on a schedule, without waiting for responses. Response time starts at the ' +
        'scheduled send time, so it includes what a client waits and has no coordinated omission.'
      ]
  return [
    {
      id: 'load',
      title: `Response time in ms${requests}, by offered rate (open loop)`,
      blocks,
      brief: blocks.filter(block => record.arms.length === 0 || typeof block === 'object')
    },
    costSection(record),
    latencySection(record, 'From the scheduled send time of each request.', 'Percentiles in ms at each load'),
    ...logSections(record)
  ]
}

/**
 * Returns the chart of p99 by offered rate.
 * @param {RunRecord} record
 * @param {number} [goal] p99 in ms
 * @returns {ChartBlock | null} null: nothing to draw
 */
export function loadChart (record, goal) {
  const lines = loadLines(record)
  return lines.length === 0
    ? null
    : {
        chart: 'lines',
        lines,
        axes: {
          x: 'requests per second',
          y: 'p99, ms',
          isLogY: true,
          ...goal && { mark: { y: goal, name: 'the goal' } }
        },
        label: '99th percentile of response time by requests per second'
      }
}

/** Percentiles of an answer, the most telling first. */
const ANSWERED = /** @type {const} */ ([['p99', '99th percentile'], ['p90', '90th percentile'], ['p50', 'median']])

/** Arms of which an answer prints the response time at every load. */
const MAX_BY_LOAD = 2

/**
 * Returns a percentile of response time: the p99, if enough responses were measured. Of two arms that is at each load,
 * of more at the highest load of each arm.
 * @param {RunRecord} record
 * @param {{ ranges?: boolean }} [options]
 */
function latencyAnswer (record, { ranges = false } = {}) {
  const groups = groupSteps({ arms: record.arms.map(ofApp) })
  const measured = groups.map(({ name, steps }) => steps.flatMap(({ latencyMs, load: { share } }) =>
    latencyMs ? [{ name, share, latencyMs }] : []))
  const heaviest = measured.flatMap(steps => steps.slice(-1))
  if (heaviest.length === 0) return nothingValid(record)
  const load = (/** @type {number | undefined} */ share) => `at ${percent(share)} of the lowest peak`
  const isSameLoad = heaviest.every(({ share }) => share === heaviest[0].share)
  const [key, percentile] = ANSWERED.find(([key]) => heaviest.every(({ latencyMs }) => isNumber(latencyMs[key]))) ??
    ANSWERED[0]
  const rangeOf = (/** @type {{ latencyMs: Latency } | undefined} */ step) => {
    const { low, high } = (ranges && key === 'p99' && step?.latencyMs.p99Range) || { low: 0, high: 0 }
    return low < high ? ` (${micros(low)} to ${micros(high)})` : ''
  }
  const print = (/** @type {{ latencyMs: Latency } | undefined} */ step) =>
    `${micros(step?.latencyMs[key])} ms${rangeOf(step)}`
  const times = heaviest.map(step => `${print(step)} with ${step.name}${isSameLoad ? '' : ` ${load(step.share)}`}`)
  const sameLoad = isSameLoad ? `, each ${load(heaviest[0].share)}` : ''
  const requests = isOfApp(record.arms) ? ' of requests to the app' : ''
  const hasRange = measured.flat().some(step => rangeOf(step) !== '')
  const start = `The ${percentile} of response time${requests}${hasRange ? ' (range of its trials)' : ''} is`
  const shares = heaviest.length > 1 ? measured[0].map(({ share }) => share) : []
  const rows = shares.map(share => measured.map(steps => steps.find(step => step.share === share)))
  const isWhole = rows.flat().every(step => step && isNumber(step.latencyMs[key]))
  if (measured.length > MAX_BY_LOAD || shares.length < 2 || !isWhole) return `${start} ${listing(times)}${sameLoad}.`
  const atLoads = rows.map((steps, i) => i === 0
    ? `${listing(steps.map(step => `${print(step)} with ${step?.name}`))} ${load(shares[i])}`
    : `${listing(steps.map(print))} at ${percent(shares[i])}`)
  return `${start} ${atLoads.join(', ')}.`
}

/** Columns of the response times of files, which a terminal has no room for. @type {Column<ArmResult>[]} */
const fileColumns = (/** @type {const} */ (['p50', 'p99'])).map(key =>
  column({ page: `files ${key}, ms` }, ({ latencyByKind }) => micros(latencyByKind?.files?.[key])))

/**
 * Returns the table of response times at offered rates.
 * @param {RunRecord} record
 * @param {{ share?: string, hasLag?: boolean }} [columns] share: heading of the load as a share; hasLag: false if
 *   another table has the lag of the generator
 * @returns {Table<ArmResult>}
 */
export function loadTable (record, { share = 'of peak', hasLag = true } = {}) {
  const groups = groupSteps({ arms: record.arms.map(ofApp) })
  const firsts = new Set(groups.map(({ steps }) => steps[0]))
  const { perSecond, print } = unitOf(record.unit)
  const perUnit = record.unit === 'pages' ? '/page' : ''
  // A single trial has no range.
  const hasRange = record.arms.some(({ latencyMs, trials }) => latencyMs?.p99Range && trials > 1)
  return {
    rows: groups.flatMap(({ steps }) => steps),
    columns: [
      column({ page: 'arm' }, ({ ladder }) => ladder?.of ?? '', { left: true }),
      column({ text: 'arm' }, arm => firsts.has(arm) ? arm.ladder?.of ?? '' : '', { left: true }),
      column(share, ({ load }) => percent(load.share), { width: share.length }),
      column(perSecond, ({ rps }) => print(rps?.median), { width: 7 }),
      ...percentileColumns(6, hasRange ? ['p95', 'max'] : ['p95']),
      ...hasRange
        ? [column('p99 of blocks', ({ latencyMs }) => {
            const range = latencyMs?.p99Range
            return range ? `${micros(range.low)}–${micros(range.high)}` : NONE
          }, { width: 13 })]
        : [],
      ...isOfApp(record.arms) ? fileColumns : [],
      ...hasLag
        ? [column({ page: 'generator late, p99, ms' }, (/** @type {ArmResult} */ { lagP99Ms }) => micros(lagP99Ms))]
        : [],
      column({ text: `µs${perUnit || '/req'}` },
        ({ cpuMicrosPerRequest: cpu }) => micros(cpu && cpu.proxy + cpu.server), { width: 7 }),
      column({ page: `proxy, µs${perUnit}` }, ({ cpuMicrosPerRequest: cpu }) => micros(cpu?.proxy)),
      column({ page: `server, µs${perUnit}` }, ({ cpuMicrosPerRequest: cpu }) => micros(cpu?.server)),
      column({ page: 'measured by' }, ({ latencyMs }) => latencyMs?.source ?? NONE, { left: true }),
      column({ page: 'why not' }, arm => arm.invalid || !arm.rps ? whyInvalid(arm) ?? '' : '', { left: true })
    ],
    from: 2,
    instead: ({ rps, latencyMs, ...arm }) =>
      rps && latencyMs ? null : `not measured: ${whyInvalid(arm) ?? errorKinds(arm.errors) ?? NO_TURN}`
  }
}

/**
 * Returns p99 of response time by offered rate for each arm of an open-loop run.
 * @param {RunRecord} record
 * @returns {ChartLine[]}
 */
const loadLines = record => groupSteps({ arms: record.arms.map(ofApp) }).map(({ name, steps }) => ({
  name,
  points: steps.flatMap(({ rps, latencyMs }) =>
    isNumber(rps?.median) && isNumber(latencyMs?.p99) && latencyMs.p99 > 0
      ? [{ x: rps.median, y: latencyMs.p99 }]
      : []
  ),
  end: null
})).filter(({ points }) => points.length > 0)
