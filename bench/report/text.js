/**
 * A run's record as text for a terminal or a pipe.
 * @import { ClaimResult, RunRecord } from '../types.js'
 * @import { Colors } from 'picocolors/types.js'
 */
import { carrySentences } from './carry.js'
import pc from 'picocolors'
import { claimWords } from '../analysis/conditions.js'
import { cacheIsOn } from '../plan/topology-options.js'
import { count, ended, isNumber, NONE } from '../shared/format.js'
import {
  claimFigures, conditionSentences, contrastSentences, endSentence, machineSentence, noiseSentences, resolvesSentence,
  saturationSentence
} from './sentences.js'
import { textTable } from './table.js'
import { contrastTable, costTable, errorKinds, latencyTable, loadTable, rateTable } from './tables/arms.js'
import { ladderTable, rateSeries, thinSeries, timeWaitSeries } from './tables/over-time.js'
import { courseTable, hasUsers, usersTable } from './tables/users.js'
import { selftestText } from './selftest-text.js'
import { sizingText } from './sizing-text.js'
import { resultOf } from '../plan/plan.js'
import { connectionSentence, failureSentences, logSentences, noteSentences } from './users-text.js'
import { unitOf } from '../shared/units.js'
import { findConfiguration } from './winner.js'
import { toAscii, wrap } from './wrap.js'

/**
 * @typedef {object} Style
 * @property {number} columns of the terminal
 * @property {Colors} colors
 */

/**
 * @param {RunRecord} record
 * @param {{ columns?: number, color?: boolean, unicode?: boolean, dir?: string }} [options]
 *   columns: 80 where it is not known; dir: the run's folder, as it should be shown
 * @returns {string} ends with a line break
 */
export function renderText (record, { columns, color = false, unicode = true, dir } = {}) {
  const style = { columns: Math.max(40, columns || 80), colors: pc.createColors(color) }
  const sections = [
    title(record, style),
    ...record.sizing ? sizingText(record.sizing, style) : [],
    ...record.selftest ? selftestText(record.selftest, style) : [],
    rates(record, style),
    overTime(record, style),
    costs(record, style),
    failures(record, style),
    errorLogs(record, style),
    notes(record, style),
    latencies(record, style),
    origins(record, style),
    contrasts(record, style),
    verdicts(record, style),
    claims(record, style),
    warnings(record, style),
    recommendation(record, style),
    winner(record, style),
    foot(record, dir, style)
  ]
  const text = sections.filter(lines => lines.length > 0).map(lines => lines.join('\n')).join('\n\n') + '\n'
  return unicode ? text : toAscii(text)
}

/** @typedef {(record: RunRecord, style: Style) => string[]} Section lines; none where there is nothing to say */

/** @type {Section} */
const title = (record, { columns, colors }) => [
  ...wrap(record.question, columns).map(line => colors.bold(line)),
  ...wrap(`${record.experiment}: ${endSentence(record)}`, columns)
]

/** @type {Section} */
function rates (record, style) {
  if (record.arms.length === 0) return ['No arm was measured.']
  if (resultOf(record.plan) === 'latency') {
    return [heading('Response time in ms by offered rate (open loop)', style),
      ...record.arms.some(({ ladder }) => ladder) ? textTable(loadTable(record), style) : [NONE]]
  }
  if (hasUsers(record)) return [heading('What users saw', style), ...users(record, style)]
  if (resultOf(record.plan) === 'first-errors') {
    return [heading(`${unitOf(record.unit).perSecond} by connections, up to the first errors`, style),
      ...textTable(ladderTable(record), style)]
  }
  return [heading('Throughput', style), ...textTable(rateTable(record), style)]
}

/** @type {Section} */
const users = (record, style) => [
  ...textTable(usersTable(record), style),
  ...[
    'users: the most at once; offered: req/s if every answer were immediate; p50, p95: ms, of all; ' +
    'failures: over all trials; load, proxy: CPU time as a share of one core.',
    ...connectionSentence(record)
  ].flatMap(sentence => wrap(sentence, style.columns))
]

/** @type {Section} */
function overTime (record, style) {
  if (hasUsers(record)) {
    const courses = record.arms.filter(({ users = [] }) => users.length > 0)
    return [heading('Second by second', style),
      ...courses.flatMap((arm, i) => [...i > 0 ? [''] : [], ...textTable(courseTable(arm), style)])]
  }
  const points = record.arms.flatMap(({ series = [] }) => series)
  if (points.length === 0) return []
  return [
    heading(`${unitOf(record.unit).perSecond} second by second`, style),
    ...textTable(thinSeries(rateSeries(record)), style),
    ...points.some(({ timeWait }) => timeWait !== null)
      ? ['', heading('Sockets in TIME_WAIT second by second', style),
          ...textTable(thinSeries(timeWaitSeries(record)), style)]
      : []
  ]
}

/** @type {(title: string, sentences: string[], style: Style) => string[]} */
const listed = (title, sentences, style) =>
  sentences.length === 0
    ? []
    : [heading(title, style), ...sentences.flatMap(sentence => wrap(sentence, style.columns, { first: '- ' }))]

/** @type {Section} */
const failures = (record, style) =>
  listed('Failures by kind, as the load generator calls them', failureSentences(record), style)

/** @type {Section} */
const errorLogs = (record, style) =>
  listed('What the error log of the proxy said while it was measured', logSentences(record), style)

/** @type {Section} */
const notes = (record, style) => listed('What the load generator warned of', noteSentences(record), style)

/** @type {Section} */
function costs (record, style) {
  const { arms, unit } = record
  if (hasUsers(record) || resultOf(record.plan) === 'latency' || !arms.some(arm => arm.cpuMicrosPerRequest)) {
    return errorLines(record, style)
  }
  return [heading(`CPU time per ${unitOf(unit).per} in µs, memory of proxy and server`, style),
    ...textTable(costTable(record), style), ...evennessLines(record, style), ...errorLines(record, style)]
}

/** @type {Section} */
const evennessLines = ({ arms }, { columns }) => arms.some(({ proof }) => proof.busiestWorker !== undefined)
  ? wrap('busiest: requests of the busiest worker as a multiple of the workers\' mean; 1 is even.', columns)
  : []

/** @type {Section} */
const latencies = (record, style) =>
  resultOf(record.plan) !== 'latency' && !hasUsers(record) && record.arms.some(({ latencyMs }) => latencyMs)
    ? [
        ...wrap('Response time in ms in the closed loop: it restates connections ÷ throughput',
          style.columns).map(line => heading(line, style)),
        ...textTable(latencyTable(record), style)
      ]
    : []

/** @type {Section} */
const origins = ({ arms, plan }, style) => {
  const cached = arms.filter(arm =>
    isNumber(arm.originRequests) && cacheIsOn(arm.topology) && arm.name !== plan.twin?.arm)
  return cached.length === 0
    ? []
    : [heading(`Requests that reached the app in a window of ${plan.windowSeconds} s`, style),
        ...cached.flatMap(({ name, originRequests }) =>
          wrap(`${name}: ${count(originRequests)}`, style.columns, { first: '- ' })
        )]
}

/** @type {Section} */
const errorLines = ({ arms }, { columns }) => arms.flatMap(({ name, errors }) => {
  const kinds = errorKinds(errors)
  return kinds ? wrap(`${name}, errors: ${kinds}.`, columns, { first: '  ', rest: '    ' }) : []
})

/** @type {Section} */
function contrasts (record, style) {
  if (record.contrasts.length === 0) return []
  const baselines = [...new Set(record.contrasts.map(({ baseline }) => baseline))]
  const against = baselines.length === 1 ? ` against ${baselines[0]}` : ''
  return [...wrap(`Relative throughput${against}`, style.columns).map(line => heading(line, style)),
    ...textTable(contrastTable(record), style)]
}

/** @type {Section} */
const verdicts = (record, style) => resultOf(record.plan) === 'latency' || hasUsers(record)
  ? []
  : listed('Notes on the verdicts', [...contrastSentences(record), ...saturationSentence(record),
    ...carrySentences(record), ...noiseSentences(record)], style)

/** @type {Section} */
const claims = (record, style) => record.claims.length === 0
  ? []
  : [heading('Published claims', style), ...record.claims.flatMap(claim => claimLines(claim, record, style)),
      ...conditionSentences(record).flatMap(sentence => wrap(sentence, style.columns, { first: '- ' }))]

/** @type {(claim: ClaimResult, record: RunRecord, style: Style) => string[]} */
function claimLines (claim, record, { columns, colors }) {
  const status = claimWords(claim, record)
  const [first, ...rest] = wrap(ended(claim.statement), columns, { first: ' '.repeat(STATUS_WIDTH) })
  const detail = `${claimFigures(claim)}${claim.why ? `: ${claim.why}` : ''}`
  return [
    colors[STATUS_COLORS[claim.status]](status) + first.slice(status.length), ...rest,
    ...wrap(ended(detail), columns, { first: ' '.repeat(STATUS_WIDTH) })
  ]
}

const STATUS_COLORS =
  /** @type {const} */ ({ confirmed: 'green', refuted: 'red', inconclusive: 'yellow', 'not-testable': 'dim' })
const STATUS_WIDTH = 'not reproduced here'.length + 2

/** @type {Section} */
const warnings = (record, style) =>
  record.warnings.length === 0
    ? []
    : [heading(record.warnings.length === 1 ? 'Warning' : 'Warnings', style),
        ...record.warnings.flatMap(({ text, remedy }) => [
          ...wrap(text, style.columns, { first: '! ' }),
          ...remedyLines(remedy, style)
        ])]

/**
 * A command at the end of a remedy has a line of its own, where it can be copied.
 * @type {(remedy: string, style: Style) => string[]}
 */
function remedyLines (remedy, style) {
  const [, words, tail] = /^(.*): (npm run .*)$/.exec(remedy) ?? [null, remedy, null]
  return [...wrap(`Try: ${words}${tail ? ':' : ''}`, style.columns, { first: '  ' }),
    ...tail ? command([tail], style) : []]
}

/** @type {Section} */
const recommendation = ({ recommendation: sentences = [] }, style) => sentences.length === 0
  ? []
  : [heading('Recommendation', style), ...sentences.flatMap(sentence => remedyOrWords(sentence, style))]

/** A command at the end of a sentence has a line of its own. @type {(sentence: string, style: Style) => string[]} */
function remedyOrWords (sentence, style) {
  const [, words, tail] = /^(.*): (npm run .*?)\.?$/.exec(sentence) ?? [null, sentence, null]
  return [...wrap(tail ? `${words}:` : words, style.columns, { first: '- ' }), ...tail ? command([tail], style) : []]
}

/** @type {Section} */
function winner (record, style) {
  const found = findConfiguration(record)
  if (!found) return []
  return [
    heading('Recommended configuration', style),
    ...wrap(found.sentence, style.columns),
    ...found.word === null ? [] : command(['npm run hopbench -- config', found.word], style)
  ]
}

/**
 * A command is copied as it stands: where it must go over two lines, it does so as a shell takes it.
 * @type {(parts: string[], style: Style) => string[]}
 */
const command = (parts, { columns }) => {
  const line = `    ${parts.join(' ')}`
  return line.length <= columns
    ? [line]
    : parts.map((part, index) => `    ${part}${index < parts.length - 1 ? ' \\' : ''}`)
}

/** @type {(record: RunRecord, dir: string | undefined, style: Style) => string[]} */
const foot = (record, dir, { columns, colors }) => [
  ...wrap([machineSentence(record), resolvesSentence(record)].filter(Boolean).join(' '), columns).map(line =>
    colors.dim(line)
  ),
  // A path is copied as it stands, however long it is.
  ...dir ? [`Results: ${dir}`] : []
]

/** @type {(text: string, style: Style) => string} */
const heading = (text, { colors }) => colors.bold(text)
