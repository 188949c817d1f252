/** The table of arms in the short report: throughput, CPU time and memory. */
import { interval, isNumber, micros, NONE } from '../../shared/format.js'
import { unitOf } from '../../shared/units.js'
import { column } from '../table.js'
import { rateTable } from './arms.js'

/** @import { ArmResult, Column, RunRecord, Table } from '../../types.js' */

/** Longest name of an arm beside which bars have room in 80 columns. */
const LONGEST_NAME_BESIDE_BARS = 14

/**
 * Returns the table of rates and costs. Names the bottleneck of each arm only if the load or the link was one, because
 * then the rate is a bound.
 * @param {RunRecord} record
 * @returns {Table<ArmResult>}
 */
export function briefTable (record) {
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
