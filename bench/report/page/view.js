/** What a report shows, as data for the template: sections in the order of the page.
 * @import { CheckRecord, ClaimResult, RunRecord, Sample } from '../../types.js'
 * @import { Chart, Drawn } from './draw.js' */
import { toAnswer } from '../answer.js'
import { carrySentences } from '../carry.js'
import { claimWords } from '../../analysis/conditions.js'
import {
  claimFigures, conditionSentences, contrastSentences, endSentence, noiseSentences, saturationSentence
} from '../sentences.js'
import { resultOf } from '../../plan/plan.js'
import { unitOf } from '../../shared/units.js'
import { chainOf } from './hop-diagram.js'
import { costChart, ROLES } from './cost-chart.js'
import { draw } from './draw.js'
import { latencyChart } from './latency-chart.js'
import { ladderLines, legendOf, linesChart, loadLines, seriesLines } from './lines-chart.js'
import { matrixOf } from './matrix.js'
import { rateChart, shownAs } from './rate-chart.js'
import { claimRows, ratioChart } from './ratio-chart.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable, latencyTable, loadTable, rateTable } from '../tables/arms.js'
import { environmentTable } from '../tables/environment.js'
import { ladderTable, rateSeries, timeWaitSeries } from '../tables/over-time.js'
import { hasUsers } from '../tables/users.js'
import { findConfiguration } from '../winner.js'
import { loadChart, mainChart } from './main-chart.js'
import { selftest, sizing } from './study-sections.js'
import { errorLogs, users } from './users-sections.js'

/** @typedef {object} Stored
 * @property {RunRecord} record
 * @property {Sample[]} samples
 * @property {{ name: string, file: string, text: string }[]} configs recommended ones, the fastest first
 * @property {CheckRecord | null} check */

/** @typedef {{ name: string, color: string, dash?: string, symbol?: string }} Key */
/** @typedef {{ id: string, title: string, words: string[], chart: Drawn | null, legend: Key[], table: ReturnType<typeof
 * pageTable> | null }} Section */

/** @param {Stored} stored */
export function viewOf ({ record, samples, configs, check }) {
  const sections = [...sizing(record), ...selftest(record), ratios(record), byLoad(record), rates(record, samples),
    ...users(record), ladder(record), ...overTime(record), costs(record), latencies(record), errorLogs(record)]
    .filter(section => section !== null)
  return {
    title: record.experiment,
    question: record.question,
    answer: toAnswer(record),
    how: endSentence(record),
    sections,
    chains: record.arms.filter(({ name }) => name !== record.plan.twin?.arm && !isLaterStep(record, name)).map(arm =>
      chainOf(arm, record)
    ),
    claims: record.claims.map(claim => claimView(claim, record)),
    claimConditions: conditionSentences(record),
    claimsChart: drawn(claimRows(record).length > 0 ? ratioChart(claimRows(record), null) : null,
      'Published and measured ratios'),
    matrix: matrixOf(record, check),
    warnings: record.warnings,
    recommendation: record.recommendation ?? [],
    recommended: findConfiguration(record),
    environment: pageTable(environmentTable(record)),
    configs
  }
}

/** A ladder's steps have one topology. @param {RunRecord} record @param {string} name */
const isLaterStep = ({ arms }, name) => (arms.find(arm => arm.name === name)?.ladder?.step ?? 0) > 0

/** @param {Chart | null} chart @param {string} label */
const drawn = (chart, label) => chart && draw(chart, label)

/** @type {(record: RunRecord) => Section | null} */
function byLoad (record) {
  if (resultOf(record.plan) !== 'latency') return null
  const main = loadChart(record)
  return {
    id: 'load',
    title: 'Response time by offered rate',
    words: [
      'Open loop: requests leave on a schedule that does not wait for answers, and response time runs from the ' +
      'scheduled send time: what users wait, without coordinated omission.'
    ],
    chart: main && draw(main.chart, main.label),
    legend: legendOf(loadLines(record)),
    table: pageTable(loadTable(record))
  }
}

/** @type {(record: RunRecord) => Section | null} */
function ratios (record) {
  if (record.contrasts.length === 0) return null
  const main = mainChart(record)
  const baselines = new Set(record.contrasts.map(({ baseline }) => baseline))
  return {
    id: 'ratios',
    title: baselines.size === 1 ? `Relative throughput against ${[...baselines][0]}` : 'Relative throughput',
    words: [...contrastSentences(record), ...saturationSentence(record), ...carrySentences(record),
      ...noiseSentences(record)],
    chart: main && draw(main.chart, main.label),
    legend: [
      { name: 'faster', color: 'var(--faster)', symbol: 'right' },
      { name: 'slower', color: 'var(--slower)', symbol: 'left' },
      { name: 'no difference', color: 'var(--same)', symbol: 'square' },
      { name: 'inconclusive', color: 'var(--open)', symbol: 'circle' },
      ...record.noiseFloor ? [{ name: 'noise floor (A/A)', color: 'var(--band)', symbol: 'band' }] : []
    ],
    table: pageTable(contrastTable(record))
  }
}

/** @type {(record: RunRecord, samples: Sample[]) => Section | null} */
function rates (record, samples) {
  // An offered rate is no result.
  if (resultOf(record.plan) === 'latency' || hasUsers(record)) return null
  const chart = rateChart(record, samples)
  const lost = samples.some(({ invalid }) => invalid)
  return {
    id: 'rates',
    title: 'Throughput',
    words: chart
      ? [
          'A point is one trial; the first block is on top of its row, the last at the bottom. The thick line is the ' +
        'confidence interval of the median.'
        ]
      : [],
    chart: drawn(chart, `${shownAs(record.unit).label} of every trial`),
    legend: [{ name: 'a trial', color: 'var(--point)', symbol: 'circle' },
      ...lost ? [{ name: 'an invalid trial', color: 'var(--lost)', symbol: 'circle' }] : []],
    table: pageTable(rateTable(record))
  }
}

/** @type {(record: RunRecord) => Section | null} */
function ladder (record) {
  if (resultOf(record.plan) !== 'first-errors') return null
  const lines = ladderLines(record)
  return {
    id: 'ladder',
    title: 'Rate by connections',
    words: ['A line ends with a cross where the first errors came.'],
    chart: lines.some(({ points }) => points.length > 0)
      ? draw(linesChart(lines, { x: 'connections', y: shownAs(record.unit).label, steps: true }),
        'Rate by connections')
      : null,
    legend: legendOf(lines),
    table: pageTable(ladderTable(record))
  }
}

/** @type {(record: RunRecord) => Section[]} */
function overTime (record) {
  const { label, scale } = shownAs(record.unit)
  const rate = seriesLines(record, point => point.rate * scale)
  const waiting = seriesLines(record, ({ timeWait }) => timeWait)
  return [
    ...rate.length > 0
      ? [{
          id: 'series',
          title: hasUsers(record) ? 'Requests, counted on the served side' : 'Second by second',
          words: ['Each second is the median of all trials.'],
          chart: draw(linesChart(rate, { x: 'seconds', y: label }), 'Rate second by second'),
          legend: legendOf(rate),
          table: pageTable(rateSeries(record))
        }]
      : [],
    ...waiting.length > 0
      ? [{
          id: 'time-wait',
          title: 'Sockets in TIME_WAIT',
          words: [],
          chart: draw(linesChart(waiting, { x: 'seconds', y: 'sockets' }), 'Sockets in TIME_WAIT second by second'),
          legend: legendOf(waiting),
          table: pageTable(timeWaitSeries(record))
        }]
      : []
  ]
}

/** @type {(record: RunRecord) => Section | null} */
function costs (record) {
  const chart = costChart(record)
  return chart && {
    id: 'costs',
    title: `CPU time for each ${unitOf(record.unit).per}`,
    words: [],
    chart: draw(chart, 'CPU time by role'),
    legend: ROLES.map(({ role, color }) => ({ name: role, color, symbol: 'band' })),
    table: pageTable(costTable(record))
  }
}

/** What the response times of a load are. */
const WAITS = {
  users: 'From the request of a user to the last byte of the answer: in whole ms, above 100 ms to two digits.',
  schedule: 'From the scheduled send time of each request.',
  loop:
    'In the closed loop: it restates connections divided by throughput, and does not measure what users wait.'
}

/** @type {(record: RunRecord) => Section | null} */
function latencies (record) {
  const chart = latencyChart(record)
  return chart && {
    id: 'latency',
    title: resultOf(record.plan) === 'latency' ? 'Percentiles at each load' : 'Response time',
    words: [WAITS[hasUsers(record) ? 'users' : resultOf(record.plan) === 'latency' ? 'schedule' : 'loop']],
    chart: draw(chart, 'Percentiles of response time'),
    legend: [],
    table: pageTable(latencyTable(record))
  }
}

const SIGNS = { confirmed: '✓', refuted: '✕', inconclusive: '?', 'not-testable': '–' }

/** @param {ClaimResult} claim @param {RunRecord} record */
const claimView = (claim, record) => ({
  id: claim.id,
  status: claim.status,
  words: `${SIGNS[claim.status]} ${claimWords(claim, record)}`,
  statement: claim.statement,
  figures: claimFigures(claim),
  why: claim.why,
  source: `${claim.source.title}, ${claim.source.author} ${claim.source.year}, ${claim.source.machine}`
})
