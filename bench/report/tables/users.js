/** Tables of simulated users. */
import { count, isNumber, micros, NONE, rate } from '../../shared/format.js'
import { errorsOf } from '../../shared/trial.js'
import { column } from '../table.js'
import { whyInvalid } from './arms.js'
import { secondsTable } from './over-time.js'

/** @import { ArmResult, RunRecord, Table, UserPoint } from '../../types.js' */

/** @param {{ arms: Pick<ArmResult, 'users'>[] }} record */
export const hasUsers = ({ arms }) => arms.some(({ users = [] }) => users.length > 0)

/**
 * Returns the requests per second that all users would send if every response were immediate.
 * @param {Pick<RunRecord, 'slowerUsers'>} record
 * @param {ArmResult} arm
 */
const offeredRate = ({ slowerUsers }, { name, load: { connections, perUserPerSecond = 1 } }) =>
  connections * (slowerUsers?.arms.find(({ arm }) => arm === name)?.used ?? perUserPerSecond)

/**
 * Prints the CPU time of a role as a share of one core: "31 %".
 * @param {ArmResult} arm
 * @param {'load' | 'proxy'} role
 */
function coreShare ({ cpuMicrosPerRequest: cpu, rps }, role) {
  const cores = cpu && rps ? cpu[role] * rps.median / 1e6 : null
  return isNumber(cores) ? `${count(Math.round(cores * 100))} %` : NONE
}

/**
 * Returns a table with a row for each arm.
 * @param {RunRecord} record
 * @returns {Table<ArmResult>}
 */
export const usersTable = record => ({
  rows: record.arms,
  columns: [
    column('arm', ({ name }) => name, { left: true }),
    column('users', ({ users = [] }) => count(Math.max(0, ...users.map(({ users }) => users))), { width: 6 }),
    column({ page: 'new a second' }, ({ load }) => count(load.spawnPerSecond)),
    column('offered', arm => rate(offeredRate(record, arm)), { width: 7 }),
    column('req/s', ({ rps }) => rate(rps?.median), { width: 6 }),
    column({ text: 'p50', page: 'p50, ms' }, ({ latencyMs }) => micros(latencyMs?.p50), { width: 5 }),
    column({ text: 'p95', page: 'p95, ms' }, ({ latencyMs }) => micros(latencyMs?.p95), { width: 5 }),
    column('failures', ({ errors }) => count(errorsOf(errors)), { width: 8 }),
    column({ text: 'load', page: 'load, of a core' }, arm => coreShare(arm, 'load'), { width: 5 }),
    column({ text: 'proxy', page: 'proxy, of a core' }, arm => coreShare(arm, 'proxy'), { width: 5 }),
    column({ text: 'MiB', page: 'proxy, MiB' }, ({ memoryMiB }) => count(memoryMiB && Math.round(memoryMiB.proxy)),
      { width: 3 })
  ],
  instead: arm => arm.rps ? null : `not measured: ${whyInvalid(arm) ?? 'the run ended before its turn'}`
})

/** @type {Record<Exclude<keyof UserPoint, 'second'>, typeof count>} */
const FIGURES = { users: count, rps: rate, failures: rate, p50: micros, p95: micros }

/**
 * Returns a table of one figure of all arms over time.
 * @param {RunRecord} record
 * @param {keyof FIGURES} figure
 */
export function usersOverTime ({ arms }, figure) {
  const shown = arms.filter(({ users = [] }) => users.length > 0)
  return secondsTable(shown.map(({ name, users = [] }) => ({ name, points: users })),
    point => FIGURES[figure](point[figure]))
}

/**
 * Returns the failures of each arm by kind.
 * @param {RunRecord} record
 * @returns {Table<{ name: string, kind: string, count: number }>}
 */
export const failuresTable = ({ arms }) => ({
  rows: arms.flatMap(({ name, failures = [] }) =>
    (failures.length > 0 ? failures : [{ kind: 'none', count: 0 }]).map(failure => ({ name, ...failure }))),
  columns: [
    column('arm', ({ name }) => name, { left: true }),
    column('failures', failure => count(failure.count)),
    column('kind', ({ kind }) => kind, { left: true })
  ]
})
