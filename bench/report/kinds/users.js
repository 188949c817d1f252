/** Runs with simulated users. */
import { count, isNumber, listing, micros, NONE, plural, rate } from '../../shared/format.js'
import { errorsOf } from '../../shared/trial.js'
import { NO_MEASUREMENT, runAnswer } from '../answer.js'
import { overTimeChart, overTimeSection } from '../over-time.js'
import { column } from '../table.js'
import { hasErrors, NO_TURN, whyInvalid } from '../tables/arms.js'
import { compact } from '../wrap.js'
import { costSection, latencySection, logSections, run, seriesSections } from './run.js'

/** @import { ArmResult, Kind, RunRecord, Section, Table, UserPoint } from '../../types.js' */

/** @type {Kind} */
export default {
  ...run,
  kind: 'users',
  answer: runAnswer(usersAnswer),
  sections,
  mainChart: record => ({
    ...overTimeChart(listUsers(record), 'failures/s', ({ failures }) => failures),
    label: 'Failures a second, second by second'
  })
}

/**
 * Figures over time, a section each. The label belongs to the vertical axis.
 * @type {{ figure: Exclude<keyof UserPoint, 'second'>, id: string, title: string, label: string,
 *   print: typeof count }[]}
 */
const OVER_TIME = [
  { figure: 'users', id: 'users', title: 'Users over time', label: 'users', print: count },
  {
    figure: 'rps', id: 'users-rate', title: 'Requests a second over time', label: 'req/s, failures counted', print: rate
  },
  { figure: 'p50', id: 'users-p50', title: 'Median response time in ms over time', label: 'p50, ms', print: micros },
  {
    figure: 'p95',
    id: 'users-p95',
    title: '95th percentile of response time in ms over time',
    label: 'p95, ms',
    print: micros
  },
  { figure: 'failures', id: 'users-failures', title: 'Failures a second over time', label: 'failures/s', print: rate }
]

/** @param {Pick<RunRecord, 'arms'>} record */
const listUsers = ({ arms }) => arms.map(({ name, users = [] }) => ({ name, points: users }))

/**
 * @param {RunRecord} record
 * @returns {Section[]}
 */
function sections (record) {
  return [
    {
      id: 'saw',
      title: 'Response times and failures of users',
      blocks: [
        usersTable(record),
        'users: the most at once; offered: req/s if every response were immediate; p50, p95: ms, of all; ' +
        'failures: over all trials; load, proxy: CPU time as a share of one core.',
        ...connectionSentence(record)
      ],
      brief: true
    },
    ...OVER_TIME.map(({ figure, id, title, label, print }) => {
      const section = overTimeSection({ id, title }, listUsers(record), {
        label, getValue: point => point[figure], print: point => print(point[figure])
      })
      return figure === 'p50' || figure === 'p95'
        ? { ...section, blocks: [...section.blocks, 'Each point covers the ten seconds before it.'] }
        : section
    }),
    { id: 'failures', title: 'Failures by kind', blocks: [failuresTable(record)] },
    ...seriesSections(record, 'Requests a second, counted on the served side'),
    costSection(record),
    latencySection(record,
      'From the request of a user to the last byte of the response: in whole ms, above 100 ms to two digits.'),
    ...logSections(record)
  ]
}

/**
 * Reports which arms served their users without a failure.
 * @param {RunRecord} record
 */
function usersAnswer ({ arms }) {
  const measured = arms.filter(({ rps }) => rps)
  if (measured.length === 0) return NO_MEASUREMENT
  const held = measured.filter(arm => !hasErrors(arm))
  const failed = measured.filter(hasErrors)
  const users = (/** @type {ArmResult} */ { name, load }) => `${name} (${plural(load.connections, 'user')})`
  const failures = failed.map(arm => `${users(arm)}: ${count(errorsOf(arm.errors))}`)
  return compact([
    held.length > 0 && `No request failed with ${listing(held.map(users))}.`,
    failed.length > 0 && `Requests failed with ${listing(failures)}.`
  ]).join(' ')
}

/**
 * Reports the connections opened for each request, because opening one costs both sides more than most requests.
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {string[]} one sentence at most
 */
function connectionSentence ({ arms }) {
  const opened = arms.flatMap(({ name, proof }) =>
    isNumber(proof.clientConnectionsPerRequest) ? [`${name} ${micros(proof.clientConnectionsPerRequest)}`] : [])
  return opened.length === 0 ? [] : [`Connections opened for each request: ${listing(opened)}.`]
}

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
const usersTable = record => ({
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
  instead: arm => arm.rps ? null : `not measured: ${whyInvalid(arm) ?? NO_TURN}`
})

/**
 * Returns the failures of each arm by kind.
 * @param {RunRecord} record
 * @returns {Table<{ name: string, kind: string, count: number }>}
 */
const failuresTable = ({ arms }) => ({
  rows: arms.flatMap(({ name, failures = [] }) =>
    (failures.length > 0 ? failures : [{ kind: 'none', count: 0 }]).map(failure => ({ name, ...failure }))),
  columns: [
    column('arm', ({ name }) => name, { left: true }),
    column('failures', failure => count(failure.count)),
    column('kind', ({ kind }) => kind, { left: true })
  ]
})
