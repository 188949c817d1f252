/** Sentences about simulated users, failures by kind, and error logs of proxies. */
import { kindOf } from '../shared/log-kinds.js'
import { count, isNumber, listing, micros, plural } from '../shared/format.js'
import { errorsOf } from '../shared/trial.js'
import { hasErrors } from './tables/arms.js'
import { compact } from './wrap.js'

/** @import { ArmResult, RunRecord } from '../types.js' */

const MOST_ARMS = 4 // Arms listed with a line of the error log.

/**
 * Reports the connections opened for each request, because opening one costs both sides more than most requests.
 * @param {Pick<RunRecord, 'arms'>} record
 * @returns {string[]} one sentence at most
 */
export function connectionSentence ({ arms }) {
  const opened = arms.flatMap(({ name, proof }) =>
    isNumber(proof.clientConnectionsPerRequest) ? [`${name} ${micros(proof.clientConnectionsPerRequest)}`] : [])
  return opened.length === 0 ? [] : [`Connections opened for each request: ${listing(opened)}.`]
}

/**
 * Lists each kind of line in the error logs once, with the arms in whose logs it was found.
 * @param {Pick<RunRecord, 'arms'>} record
 */
export function logSentences ({ arms }) {
  const lines = arms.flatMap(({ name, errorLog = [] }) => errorLog.map(({ text, count: times }) => ({
    kind: kindOf(text),
    text,
    occurrence: `${name} ${count(times)} ${times === 1 ? 'time' : 'times'}`
  })))
  return [...new Set(lines.map(({ kind }) => kind))].map(kind => {
    const same = lines.filter(line => line.kind === kind)
    const rest = same.length > MOST_ARMS ? [`${count(same.length - MOST_ARMS)} more`] : []
    const occurrences = same.slice(0, MOST_ARMS).map(({ occurrence }) => occurrence)
    return `"${same[0].text}": ${listing([...occurrences, ...rest])}`
  })
}

/**
 * Lists each warning of a load generator once, with its arms.
 * @param {RunRecord} record
 */
export function noteSentences ({ arms }) {
  const notes = [...new Set(arms.flatMap(({ notes = [] }) => notes))]
  return notes.map(note =>
    `${listing(arms.filter(arm => arm.notes?.includes(note)).map(({ name }) => name))}: "${note}"`)
}

/**
 * Reports which arms served their users without a failure.
 * @param {RunRecord} record
 */
export function usersAnswer ({ arms }) {
  const measured = arms.filter(({ rps }) => rps)
  if (measured.length === 0) return 'There is no valid measurement.'
  const held = measured.filter(arm => !hasErrors(arm))
  const failed = measured.filter(hasErrors)
  const users = (/** @type {ArmResult} */ { name, load }) => `${name} (${plural(load.connections, 'user')})`
  const failures = failed.map(arm => `${users(arm)}: ${count(errorsOf(arm.errors))}`)
  return compact([
    held.length > 0 && `No request failed with ${listing(held.map(users))}.`,
    failed.length > 0 && `Requests failed with ${listing(failures)}.`
  ]).join(' ')
}
