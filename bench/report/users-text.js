/** What users saw, in sentences: what failed, and what nginx's error log said.
 * @import { ArmResult, KindCount, RunRecord } from '../types.js' */
import { kindOf } from '../shared/log-kinds.js'
import { count, isNumber, listing, micros, plural } from '../shared/format.js'
import { errorsOf } from '../shared/trial.js'

/** Kinds of failures of an arm that are named one by one. */
const MOST_KINDS = 5
/** Arms that are named with a line of the error log. */
const MOST_ARMS = 4

/** The commonest kinds, and what is left. @param {KindCount[]} kinds */
const firstKinds = kinds => {
  const rest = kinds.slice(MOST_KINDS).reduce((sum, { count }) => sum + count, 0)
  return [...kinds.slice(0, MOST_KINDS), ...rest > 0 ? [{ kind: 'of other kinds', count: rest }] : []]
}

/** Who loses a connection has to open another one, which costs both sides more than most requests.
 * @param {Pick<RunRecord, 'arms'>} record @returns {string[]} */
export function connectionSentence ({ arms }) {
  const opening = arms.flatMap(({ name, proof: { clientConnectionsPerRequest: opened } }) =>
    isNumber(opened) ? [`${name} ${micros(opened)}`] : []
  )
  return opening.length === 0 ? [] : [`Connections opened for each request: ${listing(opening)}.`]
}

/** @param {RunRecord} record @returns {string[]} a sentence for each kind of each arm */
export const failureSentences = ({ arms }) =>
  arms.flatMap(({ name, failures = [] }) =>
    firstKinds(failures).map(({ kind, count: times }) => `${name}: ${count(times)} × ${kind}`)
  )

/** Each kind of line once, with the arms in whose logs it stood. @param {Pick<RunRecord, 'arms'>} record
 * @returns {string[]} */
export function logSentences ({ arms }) {
  const lines = arms.flatMap(({ name, errorLog = [] }) =>
    errorLog.map(({ text, count: times }) => ({
      kind: kindOf(text),
      text,
      said: `${name} ${count(times)} ${times === 1 ? 'time' : 'times'}`
    })
    )
  )
  return [...new Set(lines.map(({ kind }) => kind))].map(kind => {
    const same = lines.filter(line => line.kind === kind)
    const rest = same.length > MOST_ARMS ? [`${count(same.length - MOST_ARMS)} more`] : []
    return `"${same[0].text}": ${listing([...same.slice(0, MOST_ARMS).map(({ said }) => said), ...rest])}`
  })
}

/** @param {RunRecord} record @returns {string[]} */
export function noteSentences ({ arms }) {
  const notes = [...new Set(arms.flatMap(({ notes = [] }) => notes))]
  return notes.map(note =>
    `${listing(arms.filter(arm => arm.notes?.includes(note)).map(({ name }) => name))}: "${note}"`
  )
}

/** Who held its users, and who did not. @param {RunRecord} record @returns {string} */
export function usersAnswer ({ arms }) {
  const measured = arms.filter(({ rps }) => rps)
  if (measured.length === 0) return 'There is no valid measurement.'
  const held = measured.filter(arm => errorsOf(arm.errors) === 0)
  const failed = measured.filter(arm => errorsOf(arm.errors) > 0)
  const users = (/** @type {ArmResult} */ { name, load }) => `${name} (${plural(load.connections, 'user')})`
  return [
    ...held.length > 0 ? [`No request failed with ${listing(held.map(users))}.`] : [],
    ...failed.length > 0
      ? [`Requests failed with ${listing(failed.map(arm => `${users(arm)}: ${count(errorsOf(arm.errors))}`))}.`]
      : []
  ].join(' ')
}
