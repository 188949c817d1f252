/**
 * The record of a run as a short text: the answer, one table of arms, the ratios, and one line for each warning that
 * changes how they are read. bench/report/text.js prints all sections.
 */
import { shellWord } from '../errors.js'
import { count, interval, isNumber, micros, NONE, plural } from '../shared/format.js'
import { groupBy } from '../shared/group-by.js'
import { STATIC_CODE } from '../shared/static-code.js'
import { deployedSections } from './deployed-text.js'
import { printWarning } from './facts/facts.js'
import { printBrief } from './facts/warning-briefs.js'
import { fleetBrief } from './fleet-text.js'
import { toSizedKitCommand } from './kit-command.js'
import { selftestText } from './selftest-text.js'
import { sizingBrief } from './sizing-text.js'
import { column, textTable } from './table.js'
import { contrastTable, rateTable } from './tables/arms.js'
import { hasUsers } from './tables/users.js'
import { answerLines, commandLines, contrastLines, errorLines, openLoopLines, originLines, rateLines } from './text.js'
import { findConfiguration } from './winner.js'
import { joinSections, toPlainLine, toStyle } from './wrap.js'
import { unitOf } from '../shared/units.js'

/** @import { ArmResult, Column, RunRecord, Table } from '../types.js' */
/** @import { Style } from './wrap.js' */

/** Longest name of an arm beside which bars have room in 80 columns. */
const LONGEST_NAME_BESIDE_BARS = 14

/**
 * Prints the answer of a record, and the figures that it is based on.
 *
 * @param {RunRecord} record
 * @param {{ columns?: number, color?: boolean, dir?: string, target?: string }} [options] dir: the run's folder;
 *   target: the run in commands, as a word of a shell, default: its name
 * @returns {string} ends with a line break
 */
export function renderBrief (record, { columns, color, dir, target } = {}) {
  const style = toStyle(columns, color)
  const { lines: warnings, leftOut } = warningLines(record, style)
  return joinSections([
    answerLines(record, style),
    ...resultSections(record, style),
    [
      ...warnings,
      ...configurationLines(record, style),
      ...kitLines(record, target ?? shellWord(record.run), style),
      ...resumeLines(record, style),
      ...detailLines(target ?? shellWord(record.run), leftOut, style),
      ...dir ? [`Results: ${dir}`] : []
    ]
  ])
}

/**
 * Returns the tables of a record by its kind.
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {string[][]} sections
 */
function resultSections (record, style) {
  if (record.sizing) return [...sizingBrief(record.sizing, style), fleetBrief(record.sizing, style)]
  if (record.deployed) return deployedSections(record.deployed, style)
  if (record.selftest) return selftestText(record.selftest, style).slice(0, 1)
  const isThroughput = record.plan.result === 'throughput' && !hasUsers(record) && record.arms.length > 0
  return [
    isThroughput ? armLines(record, style) : rateLines(record, style),
    openLoopLines(record, style),
    // The table has the errors of other kinds of runs.
    isThroughput ? errorLines(record, style) : [],
    originLines(record, style),
    isThroughput ? ratioLines(record, style) : contrastLines(record, style)
  ]
}

/**
 * Prints throughput, CPU time and memory of each arm. A heading would restate the columns.
 * @param {RunRecord} record
 * @param {Style} style
 */
const armLines = (record, style) => textTable(briefTable(record), style)

/**
 * Prints the ratios. Names the baseline above them if all have the same one.
 * @param {RunRecord} record
 * @param {Style} style
 */
function ratioLines (record, style) {
  const baselines = new Set(record.contrasts.map(({ baseline }) => baseline))
  if (record.contrasts.length === 0) return []
  return baselines.size === 1 ? contrastLines(record, style) : textTable(contrastTable(record), style)
}

/**
 * Prints a line for each kind of warning that changes how the figures are read.
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {{ lines: string[], leftOut: number }} leftOut: number of kinds without a line
 */
function warningLines ({ warnings, arms }, { columns, colors }) {
  const kinds = [...groupBy(warnings, ({ code }) => code).values()]
  const shown = kinds.flatMap(same => {
    const more = same.length > 1 ? ` (and ${count(same.length - 1)} more)` : ''
    const text = printBrief(same[0], arms, columns - '! '.length - more.length)
    return text === null ? [] : [`${colors.yellow('!')} ${toPlainLine(text)}${more}`]
  })
  return { lines: shown, leftOut: kinds.length - shown.length }
}

/**
 * Prints the command that prints the recommended configuration, and that installs a recommended static server.
 * @param {RunRecord} record
 * @param {Style} style
 */
function configurationLines (record, style) {
  const spec = findConfiguration(record)?.spec ?? null
  const lines = spec === null ? [] : commandAfter('Configuration', ['npm run hopbench -- config', spec], style)
  return [...lines, ...packageLines(record, style)]
}

/**
 * Prints the command that writes a deploy kit for the recommended offering of a sizing.
 * @param {RunRecord} record
 * @param {string} run as a word of a shell
 * @param {Style} style
 */
function kitLines ({ sizing }, run, style) {
  const command = sizing && toSizedKitCommand(sizing, run)
  return command ? commandAfter('Kit', command, style) : []
}

/**
 * Prints how the packages of the recommended static server are installed. Its code is printed with the details.
 * @param {RunRecord} record
 * @param {Style} style
 */
function packageLines ({ recommendation = [] }, style) {
  const advice = recommendation.find(advice => typeof advice !== 'string' && advice.code === 'node-code')
  if (typeof advice !== 'object' || advice.code !== 'node-code') return []
  const packages = STATIC_CODE[advice.params.server]?.packages ?? []
  return commandAfter('From Node (code: --details)', ['npm install', ...packages], style)
}

/**
 * Prints the command that resumes an interrupted run.
 * @param {RunRecord} record
 * @param {Style} style
 */
function resumeLines ({ warnings }, style) {
  const command = warnings.map(printWarning).find(({ code }) => code === 'cut-off')?.remedy.command
  return command ? commandAfter('Resume', [command], style) : []
}

/**
 * Prints the command that prints everything that was measured.
 * @param {string} target run, as a word of a shell
 * @param {number} leftOut number of warnings without a line
 * @param {Style} style
 */
function detailLines (target, leftOut, style) {
  const more = leftOut === 0 ? '' : `, and ${plural(leftOut, 'note')}`
  return commandAfter(`Details${more}`, [`npm run hopbench -- report ${target} --details`], style)
}

/**
 * Prints a command after its label, or in lines of its own.
 * @param {string} label
 * @param {string[]} parts of the command
 * @param {Style} style
 */
function commandAfter (label, parts, style) {
  const line = `${label}: ${parts.join(' ')}`
  return line.length <= style.columns ? [line] : [`${label}:`, ...commandLines(parts, style)]
}

/**
 * Returns the table of rates and costs. Names the bottleneck of each arm only if the load or the link was one, because
 * then the rate is a bound.
 * @param {RunRecord} record
 * @returns {Table<ArmResult>}
 */
function briefTable (record) {
  const { arms, unit } = record
  const { perSecond, print } = unitOf(unit)
  const { bar, instead } = rateTable(record)
  const isBound = arms.some(({ rps, bound }) => rps && (bound === 'load' || bound === 'network'))
  const isShort = arms.every(({ name }) => name.length <= LONGEST_NAME_BESIDE_BARS)
  return {
    rows: arms,
    columns: [
      column('arm', ({ name }) => name, { left: true }),
      column(perSecond, ({ rps }) => print(rps?.median)),
      column('interval', ({ rps }) =>
        rps && rps.low !== rps.high ? interval(print(rps.low || NaN), print(rps.high)) : NONE),
      ...cpuColumn(record, 'proxy'),
      ...cpuColumn(record, 'server'),
      ...memoryColumn(record),
      ...isBound ? [boundColumn] : []
    ],
    instead,
    ...isShort && { bar }
  }
}

/** @type {Column<ArmResult>} */
const boundColumn = column('limited by', ({ rps, bound }) => rps ? bound : NONE, { left: true })

/**
 * Returns the column of CPU time of a role, if any arm has this role.
 * @param {RunRecord} record
 * @param {'proxy' | 'server'} role
 * @returns {Column<ArmResult>[]}
 */
function cpuColumn ({ arms, unit }, role) {
  if (!arms.some(({ cpuMicrosPerRequest: cpu }) => cpu && cpu[role] > 0)) return []
  const { units, per } = unitOf(unit)
  const suffix = unit === 'bytes' ? `/${per}` : ''
  return [column(`CPU ${role}`, ({ cpuMicrosPerRequest: cpu }) => {
    if (!cpu) return NONE
    return cpu[role] === 0 ? '0' : `${micros(cpu[role] * units)} µs${suffix}`
  })]
}

/**
 * Returns the column of memory, if it was measured.
 * @param {RunRecord} record
 * @returns {Column<ArmResult>[]}
 */
const memoryColumn = ({ arms }) => arms.some(({ memoryMiB }) => memoryMiB)
  ? [column('MiB', ({ memoryMiB: mib }) =>
      mib && isNumber(mib.proxy + mib.server) ? String(Math.round(mib.proxy + mib.server)) : NONE)]
  : []
