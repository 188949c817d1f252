/** What a report shows, as data for the template: sections in the order of the page.
 * @import { CheckRecord, ClaimResult, RunRecord, Sample } from '../../types.js'
 * @import { Chart, Drawn } from './draw.js' */
import { answerOf } from '../answer.js'
import { claimFigures, contrastSentence, endSentence, noiseFloorSentence, saturationSentence } from '../sentences.js'
import { count, micros } from '../../plan/format.js'
import { equalSentence, words as selftestWords } from '../selftest-text.js'
import { planWords, sentences, verificationSentence } from '../sizing-text.js'
import { resultOf } from '../../plan/protocols.js'
import { unitOf } from '../../plan/units.js'
import { connectionSentence, logSentences, noteSentences } from '../users-text.js'
import { chainOf } from './hop-diagram.js'
import { costChart, ROLES } from './cost-chart.js'
import { draw } from './draw.js'
import { latencyChart } from './latency-chart.js'
import { ladderLines, legendOf, linesChart, loadLines, seriesLines, userLines } from './lines-chart.js'
import { matrixOf } from './matrix.js'
import { rateChart, shownAs } from './rate-chart.js'
import { claimRows, ratioChart, ratioRows } from './ratio-chart.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable, latencyTable, loadTable, rateTable } from '../tables/arms.js'
import { environmentTable } from '../tables/environment.js'
import { ladderTable, rateSeries, timeWaitSeries } from '../tables/over-time.js'
import { accuracyTable, plantedTable, resolutionTable } from '../tables/selftest.js'
import { capacityTable, plansTable, trialsTable } from '../tables/sizing.js'
import { failuresTable, hasUsers, usersOverTime, usersTable } from '../tables/users.js'

/** @typedef {object} Stored
 * @property {RunRecord} record
 * @property {Sample[]} samples
 * @property {{ name: string, file: string, text: string }[]} configs to take home, the fastest first
 * @property {CheckRecord | null} check */

/** @typedef {{ name: string, color: string, dash?: string, symbol?: string }} Key */
/** @typedef {{ id: string, title: string, words: string[], chart: Drawn | null, legend: Key[], table: ReturnType<typeof
 * pageTable> | null }} Section */

/** The chart that stands for the whole run, also as a file of its own. @param {RunRecord} record */
export function mainChart (record) {
  if (resultOf(record.plan) === 'latency') return loadChart(record)
  if (hasUsers(record)) return failuresChart(record)
  const rows = ratioRows(record)
  return rows.length === 0
    ? null
    : { chart: ratioChart(rows, record.noiseFloor), label: 'Ratios against the baseline with their intervals' }
}

/** @param {RunRecord} record */
const failuresChart = record => ({
  chart: linesChart(userLines(record, ({ failures }) => failures), { x: 'seconds', y: 'failures/s' }),
  label: 'Failures a second, second by second'
})

/** @param {RunRecord} record */
function loadChart (record) {
  const lines = loadLines(record)
  const goal = record.sizing?.goal.p99Ms
  return lines.length === 0
    ? null
    : {
        chart: linesChart(lines, {
          x: 'requests per second',
          y: 'p99, ms',
          times: true,
          ...goal && { mark: { y: goal, name: 'the goal' } }
        }),
        label: '99th percentile of the time to the answer by requests per second'
      }
}

/** @param {Stored} stored */
export function viewOf ({ record, samples, configs, check }) {
  return {
    title: record.experiment,
    question: record.question,
    answer: answerOf(record),
    how: endSentence(record),
    sections: [...sizing(record), ...selftest(record), ratios(record), byLoad(record), rates(record, samples),
      ...users(record), ladder(record), ...overTime(record), costs(record), latencies(record), errorLogs(record)]
      .filter(section => section !== null),
    chains: record.arms.filter(({ name }) => name !== record.plan.twin?.arm && !isLaterStep(record, name)).map(arm =>
      chainOf(arm, record)
    ),
    claims: record.claims.map(claimView),
    claimsChart: drawn(claimRows(record).length > 0 ? ratioChart(claimRows(record), null) : null,
      'Published and measured ratios'),
    matrix: matrixOf(record, check),
    warnings: record.warnings,
    recommendation: record.recommendation ?? [],
    environment: pageTable(environmentTable(record)),
    configs
  }
}

/** A ladder's steps have one topology. @param {RunRecord} record @param {string} name */
const isLaterStep = ({ arms }, name) => (arms.find(arm => arm.name === name)?.ladder?.step ?? 0) > 0

/** @param {Chart | null} chart @param {string} label */
const drawn = (chart, label) => chart && draw(chart, label)

/** @type {(record: RunRecord) => Section[]} */
function sizing ({ sizing: found }) {
  if (!found) return []
  const plain = { chart: null, legend: [] }
  return [
    {
      id: 'capacity',
      title: `Capacity with a p99 of ${micros(found.goal.p99Ms)} ms or less`,
      words: sentences(found),
      ...plain,
      table: pageTable(capacityTable(found))
    },
    {
      id: 'plans',
      title: `Plans for ${count(found.goal.rate)} requests a second`,
      words: [...planWords(found),
        ...found.verification ? [verificationSentence(found.verification, found.goal)] : []],
      ...plain,
      table: pageTable(plansTable(found))
    },
    {
      id: 'trials',
      title: 'How the capacity was found',
      words: [
        'Every trial of the search, in the order in which they were made. lag: how late the generator itself was.'
      ],
      ...plain,
      table: pageTable(trialsTable(found))
    }
  ]
}

/** @type {(record: RunRecord) => Section[]} */
function selftest ({ selftest: found }) {
  if (!found) return []
  const plain = { chart: null, legend: [] }
  return [
    {
      id: 'resolution',
      title: 'The smallest difference that this machine resolves',
      words: [equalSentence(found)],
      ...plain,
      table: pageTable(resolutionTable(found))
    },
    {
      id: 'planted',
      title: 'Planted differences',
      words: [
        'The same server with more CPU time for each request. found after: blocks from which on it was told apart ' +
        'to the end.'
      ],
      ...plain,
      table: pageTable(plantedTable(found))
    },
    {
      id: 'suite',
      title: 'The suite itself',
      words: selftestWords(found),
      ...plain,
      table: pageTable(accuracyTable(found))
    }
  ]
}

/** @type {(record: RunRecord) => Section | null} */
function byLoad (record) {
  if (resultOf(record.plan) !== 'latency') return null
  const main = loadChart(record)
  return {
    id: 'load',
    title: 'Time to the answer by load',
    words: [
      'Requests leave on a schedule that does not wait for answers, and time runs from when each should have left: ' +
      'what users wait.'
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
    title: baselines.size === 1 ? `Times as fast as ${[...baselines][0]}` : 'Times as fast',
    words: [...record.contrasts.map(contrast => contrastSentence(contrast, record.arms)), ...saturationSentence(record),
      noiseFloorSentence(record)],
    chart: main && draw(main.chart, main.label),
    legend: [
      { name: 'faster', color: 'var(--faster)', symbol: 'right' },
      { name: 'slower', color: 'var(--slower)', symbol: 'left' },
      { name: 'no difference', color: 'var(--same)', symbol: 'square' },
      { name: 'inconclusive', color: 'var(--open)', symbol: 'circle' },
      ...record.noiseFloor ? [{ name: 'noise of this run', color: 'var(--band)', symbol: 'band' }] : []
    ],
    table: pageTable(contrastTable(record))
  }
}

/** @type {(record: RunRecord, samples: Sample[]) => Section | null} */
function rates (record, samples) {
  // What was asked for is no result.
  if (resultOf(record.plan) === 'latency' || hasUsers(record)) return null
  const chart = rateChart(record, samples)
  const lost = samples.some(({ invalid }) => invalid)
  return {
    id: 'rates',
    title: 'Throughput',
    words: chart
      ? [
          'A point is one trial; the first block is on top of its row, the last at the bottom. The thick line is the ' +
        'interval of the median.'
        ]
      : [],
    chart: drawn(chart, `${shownAs(record.unit).label} of every trial`),
    legend: [{ name: 'a trial', color: 'var(--point)', symbol: 'circle' },
      ...lost ? [{ name: 'a trial that does not count', color: 'var(--lost)', symbol: 'circle' }] : []],
    table: pageTable(rateTable(record))
  }
}

/** @type {(record: RunRecord) => Section | null} */
function ladder (record) {
  if (resultOf(record.plan) !== 'first-errors') return null
  const lines = ladderLines(record)
  return {
    id: 'ladder',
    title: 'More and more connections',
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

/** Over time, a chart for each figure. @type {(record: RunRecord) => Section[]} */
function users (record) {
  if (!hasUsers(record)) return []
  const charts = /** @type {const} */ ([
    ['users', 'Users over time', 'users', 'users'],
    ['users-rate', 'Requests over time', 'rps', 'req/s, failures counted'],
    ['users-p50', 'Half of the answers, over time', 'p50', 'p50, ms'],
    ['users-p95', '95 of 100 answers, over time', 'p95', 'p95, ms'],
    ['users-failures', 'Failures over time', 'failures', 'failures/s']
  ])
  return [
    {
      id: 'saw',
      title: 'What users saw',
      words: [...connectionSentence(record),
        ...noteSentences(record).map(note => `The load generator warned: ${note}`)],
      chart: null,
      legend: [],
      table: pageTable(usersTable(record))
    },
    ...charts.map(([id, title, figure, label]) => {
      const lines = userLines(record, point => point[figure])
      return {
        id,
        title,
        words: figure === 'p50' || figure === 'p95' ? ['Each point is about the ten seconds before it.'] : [],
        chart: draw(linesChart(lines, { x: 'seconds', y: label }), title),
        legend: legendOf(lines),
        table: pageTable(usersOverTime(record, figure))
      }
    }),
    {
      id: 'failures',
      title: 'Failures by kind',
      words: [],
      chart: null,
      legend: [],
      table: pageTable(failuresTable(record))
    }
  ]
}

/** @type {(record: RunRecord) => Section | null} */
function errorLogs (record) {
  const words = logSentences(record)
  return words.length === 0
    ? null
    : { id: 'error-log', title: 'The error log of the proxy', words, chart: null, legend: [], table: null }
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

/** What the times of a load are. */
const WAITS = {
  users: 'From when a user asked until the whole answer was there: in whole ms, and two digits of what is above 100.',
  schedule: 'From when each request should have left.',
  loop:
    'As the closed loop sees it: it restates connections divided by throughput, and is no measure of what users wait.'
}

/** @type {(record: RunRecord) => Section | null} */
function latencies (record) {
  const chart = latencyChart(record)
  return chart && {
    id: 'latency',
    title: resultOf(record.plan) === 'latency' ? 'Percentiles at each load' : 'Time to the answer',
    words: [WAITS[hasUsers(record) ? 'users' : resultOf(record.plan) === 'latency' ? 'schedule' : 'loop']],
    chart: draw(chart, 'Percentiles of the time to the answer'),
    legend: [],
    table: pageTable(latencyTable(record))
  }
}

const SIGNS = { confirmed: '✓', refuted: '✕', inconclusive: '?', 'not-testable': '–' }

/** @param {ClaimResult} claim */
const claimView = claim => ({
  id: claim.id,
  status: claim.status,
  words: `${SIGNS[claim.status]} ${claim.status.replace('-', ' ')}`,
  statement: claim.statement,
  figures: claimFigures(claim),
  why: claim.why,
  source: `${claim.source.title}, ${claim.source.author} ${claim.source.year}, ${claim.source.machine}`
})
