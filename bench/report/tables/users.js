/** Tables of what users saw. @import { ArmResult, Column, RunRecord, Table, UserPoint } from '../../types.js' */
import { count, isNumber, micros, NONE, rate } from '../../shared/format.js'
import { errorsOf } from '../../shared/trial.js'
import { column } from '../table.js'
import { whyNot } from './arms.js'

const MOST_ROWS = 10 // More rows than this say no more in a terminal.

/** @param {{ arms: Pick<ArmResult, 'users'>[] }} record */
export const hasUsers = ({ arms }) => arms.some(({ users }) => users && users.length > 0)

/** Requests a second that all users together would make if every answer came at once.
 * @param {Pick<RunRecord, 'slowerUsers'>} record @param {ArmResult} arm */
const offeredOf = ({ slowerUsers }, { name, load: { connections, perUserPerSecond = 1 } }) =>
  connections * (slowerUsers?.arms.find(({ arm }) => arm === name)?.used ?? perUserPerSecond)

/** Of one core: "31 %" @param {ArmResult} arm @param {'load' | 'proxy'} role */
function ofACore ({ cpuMicrosPerRequest: cpu, rps }, role) {
  const cores = cpu && rps ? cpu[role] * rps.median / 1e6 : null
  return isNumber(cores) ? `${count(Math.round(cores * 100))} %` : NONE
}

/** A line for each arm. @param {RunRecord} record @returns {Table<ArmResult>} */
export const usersTable = record => ({
  rows: record.arms,
  columns: [
    column('arm', ({ name }) => name, { left: true }),
    column('users', ({ users = [] }) => count(Math.max(0, ...users.map(({ users }) => users))), { width: 6 }),
    column({ page: 'new a second' }, ({ load }) => count(load.spawnPerSecond)),
    column('offered', arm => rate(offeredOf(record, arm)), { width: 7 }),
    column('req/s', ({ rps }) => rate(rps?.median), { width: 6 }),
    column({ text: 'p50', page: 'p50, ms' }, ({ latencyMs }) => micros(latencyMs?.p50), { width: 5 }),
    column({ text: 'p95', page: 'p95, ms' }, ({ latencyMs }) => micros(latencyMs?.p95), { width: 5 }),
    column('failures', ({ errors }) => count(errorsOf(errors)), { width: 8 }),
    column({ text: 'load', page: 'load, of a core' }, arm => ofACore(arm, 'load'), { width: 5 }),
    column({ text: 'proxy', page: 'proxy, of a core' }, arm => ofACore(arm, 'proxy'), { width: 5 }),
    column({ text: 'MiB', page: 'proxy, MiB' }, ({ memoryMiB }) => count(memoryMiB && Math.round(memoryMiB.proxy)),
      { width: 3 })
  ],
  instead: arm => arm.rps ? null : `not measured: ${whyNot(arm) ?? 'the run ended before its turn'}`
})

/** @type {Record<Exclude<keyof UserPoint, 'second'>, { text: string, width: number, print: typeof count }>} */
const FIGURES = {
  users: { text: 'users', width: 6, print: count },
  rps: { text: 'req/s', width: 7, print: rate },
  failures: { text: 'failures/s', width: 10, print: rate },
  p50: { text: 'p50, ms', width: 8, print: micros },
  p95: { text: 'p95, ms', width: 8, print: micros }
}

/** Every figure of one arm, thinned out for a terminal. @param {ArmResult} arm @returns {Table<UserPoint>} */
export const courseTable = ({ name, users = [] }) => ({
  rows: thinned(users, MOST_ROWS),
  columns: [
    column({ text: name }, ({ second }) => `${count(second)} s`,
      { left: true, width: Math.max(8, Math.min(20, name.length)) }),
    ...Object.entries(FIGURES).map(([figure, { text, width, print }]) =>
      column({ text }, (/** @type {UserPoint} */ point) => print(point[/** @type {keyof FIGURES} */ (figure)]),
        { width }))
  ]
})

/** @param {UserPoint[]} points @param {number} most rows @returns {UserPoint[]} the first, every n-th, and the last */
export function thinned (points, most) {
  const every = Math.ceil(points.length / most)
  return points.filter((_, i) => i === 0 || (i + 1) % every === 0 || i === points.length - 1)
}

/** One figure of every arm, for the page. @param {RunRecord} record @param {keyof FIGURES} figure
 * @returns {Table<number>} of seconds */
export function usersOverTime ({ arms }, figure) {
  const shown = arms.filter(({ users }) => users && users.length > 0)
  return {
    rows: [...new Set(shown.flatMap(({ users = [] }) => users.map(({ second }) => second)))].sort((a, b) => a - b),
    columns: [
      column({ page: 'second' }, String, { left: true }),
      ...shown.map(({ name, users = [] }) => /** @type {Column<number>} */ (column({ page: name }, second =>
        FIGURES[figure].print(users.find(point => point.second === second)?.[figure]))))
    ]
  }
}

/** Failures by kind. @param {RunRecord} record @returns {Table<{ name: string, times: string, kind: string }>} */
export const failuresTable = ({ arms }) => ({
  rows: arms.flatMap(({ name, failures = [] }) => failures.length > 0
    ? failures.map(({ kind, count: times }) => ({ name, times: count(times), kind }))
    : [{ name, times: '0', kind: 'none' }]),
  columns: [
    column({ page: 'arm' }, ({ name }) => name, { left: true }),
    column({ page: 'failures' }, ({ times }) => times),
    column({ page: 'kind' }, ({ kind }) => kind, { left: true })
  ]
})
