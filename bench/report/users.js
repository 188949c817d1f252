/**
 * What users saw: how many there were, what they waited, what failed, and what nginx's error log said.
 * @import { ArmResult, KindCount, RunRecord, UserPoint } from '../types.js'
 * @import { Style } from './text.js'
 */
import { kindOf } from '../log-kinds.js'
import { count, isNumber, micros, NONE, rate } from './format.js'
import { listing, plural } from './sentences.js'
import { draw, nameWidth } from './table.js'
import { wrap } from './wrap.js'

/** More rows than this say no more. */
const MOST_ROWS = 10
/** Kinds of failures of an arm that are named one by one. */
const MOST_KINDS = 5
/** Arms that are named with a line of the error log. */
const MOST_ARMS = 4

/** @param {{ arms: Pick<ArmResult, 'users'>[] }} record */
export const hasUsers = ({ arms }) => arms.some(({ users }) => users && users.length > 0)

/** How often each user asks. @param {Pick<RunRecord, 'slowerUsers'>} record @param {Pick<ArmResult, 'name' | 'load'>} arm */
const paceOf = ({ slowerUsers }, { name, load: { perUserPerSecond = 1 } }) => slowerUsers?.arms.find(({ arm }) => arm === name)?.used ?? perUserPerSecond

/** Requests a second that all users together would make if every answer came at once. @param {Pick<RunRecord, 'slowerUsers'>} record @param {ArmResult} arm */
export const askedOf = (record, arm) => arm.load.connections * paceOf(record, arm)

/** Cores that a role was at work on. @param {ArmResult} arm @param {'load' | 'proxy' | 'server'} role @returns {number | null} */
export const coresOf = ({ cpuMicrosPerRequest: cpu, rps }, role) => cpu && rps ? cpu[role] * rps.median / 1e6 : null

/** Of one core: "31 %" @param {number | null} cores */
export const ofACore = cores => isNumber(cores) ? `${count(Math.round(cores * 100))} %` : NONE

/** @param {Pick<ArmResult, 'errors'>} arm */
export const failuresOf = ({ errors: { non2xx, timeouts, resets, mismatches } }) => non2xx + timeouts + resets + mismatches

/** @param {Pick<ArmResult, 'users'>} arm */
export const mostUsers = ({ users = [] }) => Math.max(0, ...users.map(({ users }) => users))

/**
 * A line for each arm.
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {string[]}
 */
export function usersTable (record, style) {
  const head = ['arm', 'users', 'asked/s', 'req/s', 'p50', 'p95', 'failures', 'load', 'proxy', 'MiB']
  const widths = [0, 6, 7, 6, 5, 5, 8, 5, 5, 3]
  widths[0] = nameWidth(record.arms.map(({ name }) => name), style.columns - widths.reduce((a, b) => a + b) - 2 * (widths.length - 1))
  const rows = record.arms.map(arm => arm.rps
    ? [arm.name, count(mostUsers(arm)), rate(askedOf(record, arm)), rate(arm.rps.median), micros(arm.latencyMs?.p50), micros(arm.latencyMs?.p95),
        count(failuresOf(arm)), ofACore(coresOf(arm, 'load')), ofACore(coresOf(arm, 'proxy')), count(arm.memoryMiB && Math.round(arm.memoryMiB.proxy))]
    : [arm.name, { spans: `not measured: ${arm.invalid?.text ?? arm.invalidTrials.at(-1)?.reason.text ?? 'the run ended before its turn'}` }])
  return [
    ...draw(head, rows, widths, 'lrrrrrrrrr', style),
    ...wrap('users: the most at once; asked/s: what they would ask if every answer came at once; p50, p95: ms, of all; failures: of all trials; load, proxy: of one core, on either side.', style.columns),
    ...connectionSentence(record).flatMap(sentence => wrap(sentence, style.columns))
  ]
}

/** @param {UserPoint[]} points @param {number} most rows @returns {UserPoint[]} the first, every n-th, and the last */
export function thinned (points, most) {
  const every = Math.ceil(points.length / most)
  return points.filter((_, i) => i === 0 || (i + 1) % every === 0 || i === points.length - 1)
}

/**
 * @param {RunRecord} record
 * @param {Style} style
 * @returns {string[]} a table for each arm
 */
export const usersOverTime = ({ arms }, style) => arms.filter(({ users }) => users && users.length > 0).flatMap(({ name, users = [] }, i) => [
  ...i > 0 ? [''] : [],
  ...draw([name, 'users', 'req/s', 'failures/s', 'p50, ms', 'p95, ms'], thinned(users, MOST_ROWS).map(point => [
    `${count(point.second)} s`, count(point.users), rate(point.rps), rate(point.failures), micros(point.p50), micros(point.p95)
  ]), [Math.max(8, Math.min(20, name.length)), 6, 7, 10, 8, 8], 'lrrrrr', style)
])

/** The commonest kinds, and what is left. @param {KindCount[]} kinds */
const firstKinds = kinds => {
  const rest = kinds.slice(MOST_KINDS).reduce((sum, { count }) => sum + count, 0)
  return [...kinds.slice(0, MOST_KINDS), ...rest > 0 ? [{ kind: 'of other kinds', count: rest }] : []]
}

/**
 * Who loses a connection has to open another one, which costs both sides more than most requests.
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {string[]}
 */
export function connectionSentence ({ arms }) {
  const told = arms.flatMap(({ name, proof: { clientConnectionsPerRequest: opened } }) => isNumber(opened) ? [`${name} ${micros(opened)}`] : [])
  return told.length === 0 ? [] : [`Connections opened for each request: ${listing(told)}.`]
}

/** @param {RunRecord} record @returns {string[]} a sentence for each kind of each arm */
export const failureSentences = ({ arms }) => arms.flatMap(({ name, failures = [] }) => firstKinds(failures).map(({ kind, count: times }) => `${name}: ${count(times)} × ${kind}`))

/**
 * Each kind of line once, with the arms in whose logs it stood.
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {string[]}
 */
export function logSentences ({ arms }) {
  const lines = arms.flatMap(({ name, errorLog = [] }) => errorLog.map(({ text, count: times }) => ({ kind: kindOf(text), text, said: `${name} ${count(times)} ${times === 1 ? 'time' : 'times'}` })))
  return [...new Set(lines.map(({ kind }) => kind))].map(kind => {
    const same = lines.filter(line => line.kind === kind)
    const rest = same.length > MOST_ARMS ? [`${count(same.length - MOST_ARMS)} more`] : []
    return `"${same[0].text}": ${listing([...same.slice(0, MOST_ARMS).map(({ said }) => said), ...rest])}`
  })
}

/** @param {RunRecord} record @returns {string[]} */
export function noteSentences ({ arms }) {
  const notes = [...new Set(arms.flatMap(({ notes = [] }) => notes))]
  return notes.map(note => `${listing(arms.filter(arm => arm.notes?.includes(note)).map(({ name }) => name))}: "${note}"`)
}

/** Who held its users, and who did not. @param {RunRecord} record @returns {string} */
export function usersAnswer ({ arms }) {
  const measured = arms.filter(({ rps }) => rps)
  if (measured.length === 0) return 'Nothing was measured that counts.'
  const held = measured.filter(arm => failuresOf(arm) === 0)
  const failed = measured.filter(arm => failuresOf(arm) > 0)
  const users = (/** @type {ArmResult} */ { name, load }) => `${name} (${plural(load.connections, 'user')})`
  return [
    ...held.length > 0 ? [`No request failed with ${listing(held.map(users))}.`] : [],
    ...failed.length > 0 ? [`Requests failed with ${listing(failed.map(arm => `${users(arm)}: ${count(failuresOf(arm))}`))}.`] : []
  ].join(' ')
}
