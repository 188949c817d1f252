/** All sections of the record of a run as text. bench/report/brief-text.js prints the short form. */
import { toAnswer } from './answer.js'
import { claimWords } from './conditions.js'
import { isCached } from '../plan/predicates.js'
import { count, ended, isNumber, NONE } from '../shared/format.js'
import { STATIC_CODE } from '../shared/static-code.js'
import { unitOf } from '../shared/units.js'
import { deployedSections } from './deployed-text.js'
import { printAdvice, printClaimWhy, printWarning } from './facts/facts.js'
import { fleetLines } from './fleet-text.js'
import { selftestText } from './selftest-text.js'
import { claimFigures, conditionSentences } from './claim-sentences.js'
import { contrastSentences, saturationSentence } from './contrast-sentences.js'
import { isOfApp } from './latencies.js'
import { noiseSentences } from './noise-sentences.js'
import { projectionSentences } from './projection.js'
import { endSentence, machineSentence, resolvesSentence } from './run-sentences.js'
import { sizingText } from './sizing-text.js'
import { textTable, titledTable } from './table.js'
import { delaysTable, figuresTable, outcomesTable, outcomeSentences } from './tables/behaviour.js'
import { contrastTable, costTable, errorKinds, latencyTable, loadTable, rateTable } from './tables/arms.js'
import { findOfferedRate, openLoopSentences, openLoopTable, openLoopTitle } from './tables/open-loop.js'
import { ladderTable, rateSeries, thinSeries, timeWaitSeries } from './tables/over-time.js'
import { courseTable, hasUsers, usersTable } from './tables/users.js'
import { connectionSentence, failureSentences, logSentences, noteSentences } from './users-text.js'
import { findConfiguration } from './winner.js'
import { heading, joinSections, titled, toStyle, wrap, wrapItems } from './wrap.js'

/** @import { Advice, ClaimResult, RunRecord } from '../types.js' */
/** @import { Sentence } from './facts/facts.js' */
/** @import { Style } from './wrap.js' */

/** @typedef {(record: RunRecord, style: Style) => string[]} Section lines; empty: not printed */

/** @type {Record<ClaimResult['status'], 'green' | 'red' | 'yellow' | 'dim'>} */
const STATUS_COLORS = { confirmed: 'green', refuted: 'red', inconclusive: 'yellow', 'not-testable': 'dim' }
const STATUS_WIDTH = 'not reproduced here'.length + 2

/**
 * Prints all sections of a record. Empty sections are left out.
 *
 * @param {RunRecord} record
 * @param {{ columns?: number, color?: boolean, dir?: string }} [options] dir: the run's folder
 * @returns {string} ends with a line break
 */
export function renderText (record, { columns, color, dir } = {}) {
  const style = toStyle(columns, color)
  return joinSections([
    answerLines(record, style),
    titleLines(record, style),
    ...record.sizing ? [...sizingText(record.sizing, style), fleetLines(record.sizing, style)] : [],
    ...record.deployed ? deployedSections(record.deployed, style) : [],
    ...record.selftest ? selftestText(record.selftest, style) : [],
    rateLines(record, style),
    openLoopLines(record, style),
    ...hasUsers(record) ? courseSections(record, style) : seriesSections(record, style),
    costLines(record, style),
    titledList('Failures by kind, with the names of the load generator', failureSentences(record), style),
    titledList('Lines of the proxy\'s error log during the measurement', logSentences(record), style),
    titledList('Warnings of the load generator', noteSentences(record), style),
    latencyLines(record, style),
    originLines(record, style),
    contrastLines(record, style),
    verdictLines(record, style),
    claimLines(record, style),
    warningLines(record, style),
    adviceLines(record, style),
    configurationLines(record, style),
    [...footLines(record, style), ...dir ? [`Results: ${dir}`] : []]
  ])
}

/** @type {(title: string, sentences: string[], style: Style) => string[]} */
const titledList = (title, sentences, style) => titled(title, wrapItems(sentences, style), style)

/** Returns the answer, which begins every text of a record. @type {Section} */
export const answerLines = (record, style) => heading(toAnswer(record), style)

/** @type {Section} */
const titleLines = (record, style) =>
  titled(record.question, wrap(`${record.experiment}: ${endSentence(record)}`, style.columns), style)

/** @type {Section} */
export function rateLines (record, style) {
  if (record.arms.length === 0) return ['No arm was measured.']
  if (record.plan.result === 'latency') {
    const table = record.arms.some(({ ladder }) => ladder) ? textTable(loadTable(record), style) : [NONE]
    const requests = isOfApp(record.arms) ? ' of requests to the app' : ''
    return titled(`Response time in ms${requests}, by offered rate (open loop)`, table, style)
  }
  if (record.plan.result === 'behaviour') return behaviourLines(record, style)
  if (hasUsers(record)) return userLines(record, style)
  return record.plan.result === 'first-errors'
    ? titledTable(`${unitOf(record.unit).perSecond} by connections, up to the first errors`, ladderTable(record), style)
    : titledTable('Throughput', rateTable(record), style)
}

/** @type {Section} */
export const openLoopLines = ({ openLoop, arms, unit }, style) => openLoop
  ? [...titledTable(openLoopTitle(openLoop), openLoopTable({ arms, unit }, openLoop), style),
      ...wrap(openLoopSentences(openLoop).join(' '), style.columns)]
  : []

/** @type {Section} */
const behaviourLines = (record, style) => joinTables([
  titledTable('Outcomes of the requests, with 95 % intervals', outcomesTable(record), style),
  titledTable('Delays in ms, over all plays', delaysTable(record), style),
  titledTable('Further figures of the plays', figuresTable(record), style),
  titledList('Failures and their circumstances', outcomeSentences(record), style)
])

/** Joins sections of one kind with an empty line. @param {string[][]} sections */
const joinTables = sections => sections.filter(lines => lines.length > 0)
  .flatMap((lines, i) => i === 0 ? lines : ['', ...lines])

/** @type {Section} */
const userLines = (record, style) => [
  ...titledTable('Response times and failures of users', usersTable(record), style),
  ...wrap([
    'users: the most at once; offered: req/s if every response were immediate; p50, p95: ms, of all; ' +
    'failures: over all trials; load, proxy: CPU time as a share of one core.',
    ...connectionSentence(record)
  ], style.columns)
]

/** @type {(record: RunRecord, style: Style) => string[][]} */
const courseSections = ({ arms }, style) => arms.filter(({ users = [] }) => users.length > 0).map((arm, i) =>
  [...i === 0 ? heading('Second by second', style) : [], ...textTable(courseTable(arm), style)])

/** @type {(record: RunRecord, style: Style) => string[][]} */
function seriesSections (record, style) {
  const hasSockets = record.arms.some(({ series = [] }) => series.some(({ timeWait }) => timeWait !== null))
  const { perSecond } = unitOf(record.unit)
  return [
    titledTable(`${perSecond} second by second`, thinSeries(rateSeries(record)), style),
    hasSockets
      ? titledTable('Sockets in TIME_WAIT second by second', thinSeries(timeWaitSeries(record)), style)
      : []
  ]
}

/** @type {Section} */
function costLines (record, style) {
  const { arms, unit } = record
  if (record.plan.result === 'behaviour') return []
  if (hasUsers(record) || record.plan.result === 'latency' || !arms.some(arm => arm.cpuMicrosPerRequest)) {
    return errorLines(record, style)
  }
  const hasWorkers = arms.some(({ proof }) => proof.busiestWorker !== undefined)
  return [
    ...titledTable(`CPU time per ${unitOf(unit).per} in µs, memory of proxy and server`, costTable(record), style),
    ...hasWorkers
      ? wrap('busiest: requests of the busiest worker as a multiple of the workers\' mean; 1 is even.', style.columns)
      : [],
    ...errorLines(record, style)
  ]
}

/** @type {Section} */
export const errorLines = ({ arms }, { columns }) => arms.flatMap(({ name, errors }) => {
  const kinds = errorKinds(errors)
  return kinds ? wrap(`${name}, errors: ${kinds}.`, columns, { first: '  ', rest: '    ' }) : []
})

/** @type {Section} */
function latencyLines (record, style) {
  if (record.plan.result !== 'throughput' || hasUsers(record) || record.openLoop) return []
  const offered = findOfferedRate(record)
  const title = offered === null
    ? 'Response time in ms in the closed loop: it restates connections ÷ throughput'
    : openLoopTitle({ rate: offered })
  return titledTable(title, latencyTable(record), style)
}

/** @type {Section} */
export function originLines ({ arms, plan }, style) {
  const cachedArms = arms.filter(({ originRequests, topology, name }) =>
    isNumber(originRequests) && isCached(topology) && name !== plan.twin?.arm)
  return titledList(`Requests that reached the app in a window of ${plan.windowSeconds} s`,
    cachedArms.map(({ name, originRequests }) => `${name}: ${count(originRequests)}`), style)
}

/** @type {Section} */
export function contrastLines (record, style) {
  const baselines = [...new Set(record.contrasts.map(({ baseline }) => baseline))]
  const against = baselines.length === 1 ? ` against ${baselines[0]}` : ''
  return titledTable(`Relative throughput${against}`, contrastTable(record), style)
}

/** @param {RunRecord} record */
const isWithoutRates = record => ['latency', 'behaviour'].includes(record.plan.result) || hasUsers(record)

/** @type {Section} */
const verdictLines = (record, style) => isWithoutRates(record)
  ? []
  : titledList('Notes on the verdicts', [...contrastSentences(record), ...saturationSentence(record),
    ...projectionSentences(record), ...noiseSentences(record)], style)

/** @type {Section} */
const claimLines = (record, style) => titled('Published claims', [
  ...record.claims.flatMap(claim => claimItem(claim, record, style)),
  ...wrapItems(conditionSentences(record), style)
], style)

/**
 * Prints a claim beside its status: the statement, then the measured figures and the reason for the status.
 * @param {ClaimResult} claim
 * @param {RunRecord} record
 * @param {Style} style
 */
function claimItem (claim, record, { columns, colors }) {
  const status = claimWords(claim, record)
  const indent = { first: ' '.repeat(STATUS_WIDTH) }
  const [firstLine, ...otherLines] = wrap(ended(claim.statement), columns, indent)
  const coloredStatus = colors[STATUS_COLORS[claim.status]](status)
  const why = printClaimWhy(claim)
  return [
    // The status replaces a part of the indent.
    coloredStatus + firstLine.slice(status.length),
    ...otherLines,
    ...wrap(ended(`${claimFigures(claim, record)}${why ? `: ${why}` : ''}`), columns, indent)
  ]
}

/** @type {Section} */
const warningLines = ({ warnings }, style) => titled(warnings.length === 1 ? 'Warning' : 'Warnings',
  warnings.map(printWarning).flatMap(({ text, remedy }) => [
    ...wrap(text, style.columns, { first: '! ' }),
    ...sentenceLines({ ...remedy, text: `Try: ${remedy.text}` }, '  ', style)
  ]), style)

/** @type {Section} */
const adviceLines = ({ recommendation }, style) => titled('Recommendation',
  recommendation.flatMap(advice => [...sentenceLines(printAdvice(advice), '- ', style), ...codeLines(advice)]), style)

/** Prints the module of a recommended server. @param {Advice} advice */
function codeLines (advice) {
  if (advice.code !== 'node-code') return []
  return ['', ...(STATIC_CODE[advice.params.server]?.lines ?? []).map(line => line && `    ${line}`), '']
}

/**
 * Prints a sentence, and its command on a line of its own, so that it can be copied.
 * @param {Sentence} sentence
 * @param {string} first prefix of the first line
 * @param {Style} style
 */
const sentenceLines = ({ text, command }, first, style) => command === null
  ? wrap(text, style.columns, { first })
  : [...wrap(`${text}:`, style.columns, { first }), ...commandLines([command], style)]

/** @type {Section} */
function configurationLines (record, style) {
  const configuration = findConfiguration(record)
  if (!configuration) return []
  const { sentence, spec } = configuration
  return [
    ...titled('Recommended configuration', wrap(sentence, style.columns), style),
    ...spec === null ? [] : commandLines(['npm run hopbench -- config', spec], style)
  ]
}

/**
 * Prints a command in one line, or in lines that a shell joins.
 * @param {string[]} parts
 * @param {Style} style
 */
export function commandLines (parts, { columns }) {
  const line = `    ${parts.join(' ')}`
  return line.length <= columns ? [line] : `    ${parts.join(' \\\n    ')}`.split('\n')
}

/** @type {Section} */
const footLines = (record, { columns, colors }) =>
  wrap([machineSentence(record), resolvesSentence(record)].filter(Boolean).join(' '), columns)
    .map(line => colors.dim(line))
