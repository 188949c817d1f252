/** Records as text for a terminal: a short report, and one with all sections. */
import { shellWord } from '../errors.js'
import { count, ended, plural } from '../shared/format.js'
import { groupBy } from '../shared/group-by.js'
import { STATIC_CODE } from '../shared/http/static-code.js'
import { claimMetrics, claimWords, conditionSentences } from './claims.js'
import { printAdvice, printClaimWhy, printWarning } from './facts/facts.js'
import { printBrief } from './facts/warning-texts.js'
import { machineSentence, resolvesSentence } from './sentences/run-sentences.js'
import { commandLines, printBriefCommand, printBriefSections, printCommand, printSections } from './terminal.js'
import { heading, joinSections, titled, toPlainLine, toStyle, wrap, wrapItems } from './wrap.js'

/** @import { Advice, ClaimResult, Kind, RunRecord } from '../types.js' */
/** @import { Sentence } from './facts/facts.js' */
/** @import { Style } from './wrap.js' */

/** @type {Record<ClaimResult['status'], 'green' | 'red' | 'yellow' | 'dim'>} */
const STATUS_COLORS = { confirmed: 'green', refuted: 'red', inconclusive: 'yellow', 'not-testable': 'dim' }
const STATUS_WIDTH = 'not reproduced here'.length + 2

/**
 * @typedef {object} Options
 * @property {number} [columns]
 * @property {boolean} [color]
 * @property {string} [dir] the run's folder
 * @property {string} [target] the run in commands, as a word of a shell; default: its name
 */

/**
 * Prints all sections of a record.
 * @param {RunRecord} record
 * @param {Kind} kind
 * @param {Options} [options]
 * @returns {string} ends with a line break
 */
export function renderText (record, kind, { columns, color, dir, target = shellWord(record.run) } = {}) {
  const style = toStyle(columns, color)
  return joinSections([
    heading(kind.answer(record).text, style),
    titled(record.question, wrap(`${record.experiment}: ${kind.end(record)}`, style.columns), style),
    ...printSections(kind.sections(record), style),
    claimLines(record, style),
    warningLines(record, style),
    adviceLines(record, style),
    titled('Recommended configuration', kind.next(record, target).flatMap(next => printCommand(next, style)), style),
    [...footLines(record, style), ...dir ? [`Results: ${dir}`] : []]
  ])
}

/**
 * Prints the answer of a record, the figures that it is based on, one line for each warning that changes how they are
 * read, and the next commands.
 * @param {RunRecord} record
 * @param {Kind} kind
 * @param {Options} [options]
 * @returns {string} ends with a line break
 */
export function renderBrief (record, kind, { columns, color, dir, target = shellWord(record.run) } = {}) {
  const style = toStyle(columns, color)
  const { lines: warnings, leftOut } = briefWarnings(record, style)
  const commands = [
    ...kind.next(record, target),
    ...packageCommands(record),
    ...resumeCommands(record),
    {
      label: `Details${leftOut === 0 ? '' : `, and ${plural(leftOut, 'note')}`}`,
      command: [`npm run hopbench -- report ${target} --details`]
    }
  ]
  return joinSections([
    heading(kind.answer(record).text, style),
    ...printBriefSections(kind.sections(record), style),
    [
      ...warnings,
      ...commands.filter(({ command }) => command.length > 0).flatMap(command => printBriefCommand(command, style)),
      ...dir ? [`Results: ${dir}`] : []
    ]
  ])
}

/** @type {(record: RunRecord, style: Style) => string[]} */
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
    ...wrap(ended(`${claimMetrics(claim, record)}${why ? `: ${why}` : ''}`), columns, indent)
  ]
}

/** @type {(record: RunRecord, style: Style) => string[]} */
const warningLines = ({ warnings }, style) => titled(warnings.length === 1 ? 'Warning' : 'Warnings',
  warnings.map(printWarning).flatMap(({ text, remedy }) => [
    ...wrap(text, style.columns, { first: '! ' }),
    ...sentenceLines({ ...remedy, text: `Try: ${remedy.text}` }, '  ', style)
  ]), style)

/**
 * Prints a line for each kind of warning that changes how the figures are read.
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {{ lines: string[], leftOut: number }} leftOut: number of kinds without a line
 */
function briefWarnings ({ warnings }, { columns, colors }) {
  const codes = [...groupBy(warnings, ({ code }) => code).values()]
  const lines = codes.flatMap(same => {
    const more = same.length > 1 ? ` (and ${count(same.length - 1)} more)` : ''
    const text = printBrief(same[0], columns - '! '.length - more.length)
    return text === null ? [] : [`${colors.yellow('!')} ${toPlainLine(text)}${more}`]
  })
  return { lines, leftOut: codes.length - lines.length }
}

/** @type {(record: RunRecord, style: Style) => string[]} */
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

/**
 * Returns the command that installs the packages of the recommended static server. Long reports print its code.
 * @param {RunRecord} record
 */
const packageCommands = ({ recommendation = [] }) => recommendation.flatMap(advice => advice.code === 'node-code'
  ? [{
      label: 'From Node (code: --details)',
      command: ['npm install', ...STATIC_CODE[advice.params.server]?.packages ?? []]
    }]
  : []).slice(0, 1)

/**
 * Returns the command that resumes an interrupted run.
 * @param {RunRecord} record
 */
function resumeCommands ({ warnings }) {
  const command = warnings.map(printWarning).find(({ code }) => code === 'cut-off')?.remedy.command
  return command ? [{ label: 'Resume', command: [command] }] : []
}

/** @type {(record: RunRecord, style: Style) => string[]} */
const footLines = (record, { columns, colors }) =>
  wrap([machineSentence(record), resolvesSentence(record)].filter(Boolean).join(' '), columns)
    .map(line => colors.dim(line))
