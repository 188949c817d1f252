/** Runs that compare rates. */
import { IN_CLONE } from '../../shared/commands.js'
import { isNumber, micros, NONE } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { runAnswer, throughputAnswer } from '../answer.js'
import { findOfferedRate, openLoopAnswer, openLoopSection } from '../open-loop.js'
import { proofSection } from '../proofs.js'
import { column } from '../table.js'
import { printRateInterval, rateTable } from '../tables/arms.js'
import { findConfiguration } from '../winner.js'
import { compact } from '../wrap.js'
import {
  costSection, errorSentences, latencySection, logSections, originSection, ratioChart, ratioSection, run, seriesSections
} from './run.js'

/** @import { ArmResult, ChartBlock, Column, CommandBlock, Kind, RunRecord, Sample } from '../../types.js' */
/** @import { Section, SectionExtras, Table } from '../../types.js' */

/** Longest name of an arm beside which bars have room in 80 columns. */
const MAX_NAME_BESIDE_BARS = 14

/** @type {Kind} */
export default {
  ...run,
  kind: 'throughput',
  answer,
  sections: throughputSections,
  next: configurationCommands,
  mainChart: ratioChart
}

/** @param {RunRecord} record */
function answer (record) {
  const { text, contrasts } = runAnswer(throughputAnswer)(record)
  const atRate = record.openLoop && openLoopAnswer(record.openLoop)
  return { text: compact([text, atRate]).join(' '), contrasts }
}

/**
 * Returns the sections of a run that compares rates.
 * @param {RunRecord} record
 * @param {SectionExtras} [extras]
 * @returns {Section[]}
 */
export function throughputSections (record, extras) {
  return [
    ratioSection(record),
    rateSection(record, extras),
    proofSection(record),
    openLoopSection(record),
    originSection(record),
    ...seriesSections(record),
    costSection(record),
    latencySection(record, findOfferedRate(record) === null
      ? 'In the closed loop: it restates connections divided by throughput, and does not measure the wait of users.'
      : 'From the scheduled send time of each request.'),
    ...logSections(record)
  ]
}

/**
 * Returns the rates of the arms.
 * @param {RunRecord} record
 * @param {SectionExtras} [extras]
 * @returns {Section}
 */
export function rateSection (record, { samples } = {}) {
  const { arms, unit } = record
  if (arms.length === 0) return { id: 'rates', title: 'Throughput', blocks: ['No arm was measured.'], brief: true }
  const errors = errorSentences(record)
  return {
    id: 'rates',
    title: 'Throughput',
    blocks: [
      ...samples && arms.some(({ rps }) => isNumber(rps?.median)) ? [trialsChart({ arms, unit }, samples)] : [],
      rateTable(record),
      ...errors
    ],
    brief: [briefTable(record), ...errors],
    isUntitled: true
  }
}

/**
 * @param {Pick<RunRecord, 'arms' | 'unit'>} record
 * @param {Sample[]} samples
 * @returns {ChartBlock}
 */
const trialsChart = ({ arms, unit }, samples) => ({
  chart: 'rates',
  arms,
  unit,
  samples,
  label: `${unitOf(unit).label} of every trial`,
  note: 'A point is one trial; the first block is on top of its row, the last at the bottom. The thick line is the ' +
    'confidence interval of the median.'
})

/**
 * Returns the command that prints the recommended configuration.
 * @param {RunRecord} record
 * @returns {CommandBlock[]}
 */
function configurationCommands (record) {
  const configuration = findConfiguration(record)
  if (configuration === null) return []
  const { sentence, spec } = configuration
  return [{ label: 'Configuration', sentence, command: spec === null ? [] : [`${IN_CLONE} config`, spec] }]
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
  const isShort = arms.every(({ name }) => name.length <= MAX_NAME_BESIDE_BARS)
  return {
    rows: arms,
    columns: [
      column('arm', ({ name }) => name, { left: true }),
      column(perSecond, ({ rps }) => print(rps?.median)),
      column('interval', ({ rps }) => printRateInterval(rps, print)),
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
