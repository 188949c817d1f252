/** Data of the page for its template: sections in the order of the page. */
import { claimWords } from '../conditions.js'
import { withOwnCommand } from '../../shared/commands.js'
import { unitOf } from '../../shared/units.js'
import { printCommand } from '../../plan/stored-command.js'
import { toAnswer } from '../answer.js'
import { claimFigures, conditionSentences } from '../claim-sentences.js'
import { contrastSentences, saturationSentence } from '../contrast-sentences.js'
import { diffAnswer } from '../diff-text.js'
import { noiseSentences } from '../noise-sentences.js'
import { projectionSentences } from '../projection.js'
import { endSentence } from '../run-sentences.js'
import { printClaimWhy, printRecord } from '../facts/facts.js'
import { printBrief } from '../facts/warning-briefs.js'
import { pageTable } from '../table.js'
import { contrastTable, costTable, latencyTable, loadTable, rateTable } from '../tables/arms.js'
import { environmentTable } from '../tables/environment.js'
import { findOfferedRate, openLoopSentences, openLoopTable, openLoopTitle } from '../tables/open-loop.js'
import { ladderTable, rateSeries, timeWaitSeries } from '../tables/over-time.js'
import { hasUsers } from '../tables/users.js'
import { logSentences } from '../users-text.js'
import { findConfiguration } from '../winner.js'
import { costChart, ROLES } from './cost-chart.js'
import { draw } from './draw.js'
import { factsSentence, toKit } from './first-facts.js'
import { fleetSections } from './fleet-sections.js'
import { toChain } from './hop-diagram.js'
import { latencyChart } from './latency-chart.js'
import { ladderLines, toLegend, linesChart, seriesLines } from './lines-chart.js'
import { loadChart, mainChart } from './main-chart.js'
import { toMatrix } from './matrix.js'
import { rateChart, shownAs } from './rate-chart.js'
import { claimRows, commonBaseline, ratioChart } from './ratio-chart.js'
import { section } from './section.js'
import {
  behaviourSections, deployedSections, diffSections, selftestSections, sizingSections, userSections
} from './study-sections.js'

/** @import { CheckRecord, ClaimResult, RunRecord, Sample } from '../../types.js' */

/** Length of a warning in one line. */
const BRIEF_LETTERS = 110

/**
 * @param {object} stored
 * @param {RunRecord} stored.record
 * @param {Sample[]} stored.samples
 * @param {{ name: string, file: string, text: string }[]} stored.configs the recommended first, then the fastest
 * @param {CheckRecord | null} stored.check
 */
export function toView ({ record, samples, configs, check }) {
  const ratioRows = claimRows(record)
  const { warnings, recommendation } = printRecord(record)
  const briefs = record.warnings.map(warning => printBrief(warning, record.arms, BRIEF_LETTERS))
  return {
    title: record.experiment,
    question: record.question,
    answer: record.diff ? diffAnswer(record.diff).join(' ') : toAnswer(record),
    how: endSentence(record),
    facts: factsSentence(record),
    command: printCommand(record.plan.command),
    sections: listSections(record, samples),
    chains: record.arms.filter(({ name, ladder }) => name !== record.plan.twin?.arm && !ladder?.step)
      .map(arm => toChain(arm, record)),
    claims: record.claims.map(claim => claimView(claim, record)),
    claimConditions: conditionSentences(record),
    claimsChart: ratioRows.length > 0 ? draw(ratioChart(ratioRows, null), 'Published and measured ratios') : null,
    matrix: toMatrix(record, check),
    warnings: warnings.map(({ text, remedy }, i) => ({
      text, remedy: withOwnCommand(remedy), brief: briefs[i]
    })),
    recommendation: recommendation.map(({ text }) => withOwnCommand(text)),
    recommended: findConfiguration(record),
    kit: toKit(record),
    environment: pageTable(environmentTable(record)),
    configs
  }
}

/**
 * @param {RunRecord} record
 * @param {Sample[]} samples
 */
function listSections (record, samples) {
  const errorLog = logSentences(record)
  return [
    ...diffSections(record),
    ...sizingSections(record),
    ...fleetSections(record),
    ...deployedSections(record),
    ...selftestSections(record),
    ...ratioSection(record),
    ...loadSection(record),
    ...rateSection(record, samples),
    ...openLoopSection(record),
    ...userSections(record),
    ...behaviourSections(record),
    ...ladderSection(record),
    ...seriesSections(record),
    ...costSection(record),
    ...latencySection(record),
    ...errorLog.length > 0 ? [section('error-log', 'The error log of the proxy', { words: errorLog })] : []
  ]
}

/** @param {RunRecord} record */
const loadSection = record => record.plan.result === 'latency'
  ? [section('load', 'Response time by offered rate', {
      words: [
        'Open loop: requests are sent on a schedule, without waiting for responses. Response time starts at the ' +
        'scheduled send time, so it includes what a client waits and has no coordinated omission.'
      ],
      ...loadChart(record),
      table: loadTable(record)
    })]
  : []

/** @param {RunRecord} record */
function ratioSection (record) {
  if (record.contrasts.length === 0) return []
  const baseline = commonBaseline(record)
  return [section('ratios', `Relative throughput${baseline === null ? '' : ` against ${baseline}`}`, {
    words: [...contrastSentences(record), ...saturationSentence(record), ...projectionSentences(record),
      ...noiseSentences(record)],
    ...mainChart(record),
    table: contrastTable(record)
  })]
}

/**
 * Returns the section of rates. A run at offered rates has none, because its rates are inputs.
 * @param {RunRecord} record
 * @param {Sample[]} samples
 */
function rateSection (record, samples) {
  if (['latency', 'behaviour'].includes(record.plan.result) || hasUsers(record)) return []
  const chart = rateChart(record, samples)
  const hasInvalid = samples.some(({ invalid }) => invalid)
  return [section('rates', 'Throughput', {
    words: chart
      ? [
          'A point is one trial; the first block is on top of its row, the last at the bottom. The thick line is the ' +
          'confidence interval of the median.'
        ]
      : [],
    chart,
    label: `${shownAs(record.unit).label} of every trial`,
    legend: [{ name: 'a trial', color: 'var(--point)', symbol: 'circle' },
      ...hasInvalid ? [{ name: 'an invalid trial', color: 'var(--lost)', symbol: 'circle' }] : []],
    table: rateTable(record)
  })]
}

/** @param {RunRecord} record */
const openLoopSection = ({ arms, unit, openLoop }) => openLoop
  ? [section('open-loop', openLoopTitle(openLoop), {
      words: openLoopSentences(openLoop),
      table: openLoopTable({ arms, unit }, openLoop)
    })]
  : []

/** @param {RunRecord} record */
function ladderSection (record) {
  if (record.plan.result !== 'first-errors') return []
  const lines = ladderLines(record)
  return [section('ladder', 'Rate by connections', {
    words: ['A line ends with a cross at its first errors.'],
    chart: lines.some(({ points }) => points.length > 0)
      ? linesChart(lines, { x: 'connections', y: shownAs(record.unit).label, isStepped: true })
      : null,
    legend: toLegend(lines),
    table: ladderTable(record)
  })]
}

/** @param {RunRecord} record */
function seriesSections (record) {
  const { label, scale } = shownAs(record.unit)
  const rates = seriesLines(record, point => point.rate * scale)
  const sockets = seriesLines(record, ({ timeWait }) => timeWait)
  return [
    ...rates.length > 0
      ? [section('series', hasUsers(record) ? 'Requests, counted on the served side' : 'Second by second', {
          words: ['Each second is the median of all trials.'],
          chart: linesChart(rates, { x: 'seconds', y: label }),
          label: 'Rate second by second',
          legend: toLegend(rates),
          table: rateSeries(record)
        })]
      : [],
    ...sockets.length > 0
      ? [section('time-wait', 'Sockets in TIME_WAIT', {
          chart: linesChart(sockets, { x: 'seconds', y: 'sockets' }),
          label: 'Sockets in TIME_WAIT second by second',
          legend: toLegend(sockets),
          table: timeWaitSeries(record)
        })]
      : []
  ]
}

/** @param {RunRecord} record */
function costSection (record) {
  const chart = record.plan.result === 'behaviour' ? null : costChart(record)
  if (!chart) return []
  return [section('costs', `CPU time for each ${unitOf(record.unit).per}`, {
    chart,
    label: 'CPU time by role',
    legend: ROLES.map(({ role, color }) => ({ name: role, color, symbol: 'band' })),
    table: costTable(record)
  })]
}

/** @param {RunRecord} record */
function latencySection (record) {
  const chart = latencyChart(record)
  if (!chart) return []
  const isOpenLoop = record.plan.result === 'latency'
  return [section('latency', isOpenLoop ? 'Percentiles at each load' : 'Response time', {
    words: [latencyMeaning(record)],
    chart,
    label: 'Percentiles of response time',
    table: latencyTable(record)
  })]
}

/** @param {RunRecord} record */
function latencyMeaning (record) {
  if (hasUsers(record)) {
    return 'From the request of a user to the last byte of the response: in whole ms, above 100 ms to two digits.'
  }
  return record.plan.result === 'latency' || findOfferedRate(record) !== null
    ? 'From the scheduled send time of each request.'
    : 'In the closed loop: it restates connections divided by throughput, and does not measure the wait of users.'
}

const SIGNS = { confirmed: '✓', refuted: '✕', inconclusive: '?', 'not-testable': '–' }

/**
 * @param {ClaimResult} claim
 * @param {RunRecord} record
 */
const claimView = (claim, record) => ({
  id: claim.id,
  status: claim.status,
  words: `${SIGNS[claim.status]} ${claimWords(claim, record)}`,
  statement: claim.statement,
  figures: claimFigures(claim, record),
  why: printClaimWhy(claim),
  source: `${claim.source.title}, ${claim.source.author} ${claim.source.year}, ${claim.source.machine}`
})
