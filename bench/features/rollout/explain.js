/** Explains lost requests by their times relative to the events of a rollout, and by their connections (pure). */
import { NONE, count, duration, listing } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'

/** @import { ClientType, Loss, RolloutEvent, RolloutResult } from '../../types.js' */

/** Time after a reload of nginx to which a loss is attributed. */
const SWITCH_MS = 2000
/** Time after the end of a process to which a closed connection is attributed. */
const CLOSED_MS = 500
/** Time for which nginx skips a process by default (fail_timeout), and some delay. */
const SKIPPED_MS = 11_000

/**
 * Cause of a loss. sinceMs: time since the event that it names, or the length of the time without a process; null: the
 * text names no time
 * @typedef {{ code: keyof typeof TEXTS, sinceMs: number | null }} Cause
 */

/** Texts of causes. range: printed times of all losses with this cause */
const TEXTS = {
  before: () => 'before the rollout: the app, or this machine, fails without one',
  'in-flight': () => 'in flight at SIGTERM: the app ended without sending its response',
  kept: (/** @type {string} */ range) => `on a kept connection ${range} after SIGTERM: the app closed the connection`,
  'no-process': (/** @type {string} */ range) => `in the ${range} in which no process listened`,
  ending: (/** @type {string} */ range) =>
    `on a new connection ${range} after SIGTERM: the app accepted none any more, and still got requests`,
  skipped: () => 'while a process listened: nginx skips one for 10 s after a failure, unless max_fails=0',
  switch: (/** @type {string} */ range) => `${range} after the switch to the new build`,
  gone: () => 'open pages of the old build name files that the new build does not send',
  early: () => 'pages of the new build name files that processes of the old build do not send',
  mixed: () => 'with content of the other build at the same path: its name contains no hash',
  other: (/** @type {string} */ range) => `${range} after the rollout began`
}

/** Words for outcomes. @type {Record<string, string>} */
const OUTCOMES = {
  reset: 'connection reset',
  refused: 'connection refused',
  timeout: 'no response in time',
  truncated: 'response cut off',
  gone: 'file gone',
  'gone-recovered': 'file gone, and found after a reload of the page',
  mixed: 'content of the other build',
  unknown: 'content of neither build',
  ended: 'ended by the app',
  cut: 'cut off without a close code'
}

/** @type {Record<ClientType, string>} */
const CLIENTS = {
  page: 'pages',
  file: 'files of pages',
  'late-file': 'late files',
  api: 'API requests',
  idle: 'idle connections',
  stream: 'streams',
  websocket: 'WebSockets'
}

/**
 * Returns the times in which no process accepted connections.
 * @param {RolloutEvent[]} events
 * @returns {{ fromMs: number, toMs: number }[]}
 */
export function findGaps (events) {
  const gaps = []
  /** @type {Set<number | null>} */
  const up = new Set()
  let fromMs = Infinity
  for (const { what, process, atMs } of events) {
    if (what === 'listen') {
      if (up.size === 0 && fromMs !== Infinity) gaps.push({ fromMs, toMs: atMs })
      up.add(process)
    } else if (what === 'signal' && up.delete(process) && up.size === 0) {
      fromMs = atMs
    }
  }
  if (up.size === 0 && fromMs !== Infinity) gaps.push({ fromMs, toMs: Infinity })
  return gaps
}

/**
 * Finds the cause of a loss.
 * @param {Loss} loss
 * @param {Pick<RolloutResult, 'events' | 'beganMs'>} rollout
 * @returns {Cause}
 */
export function findCause ({ outcome, build, atMs, ms, isKept }, { events, beganMs }) {
  if (outcome.startsWith('gone')) return { code: build === 'new' ? 'early' : 'gone', sinceMs: null }
  if (outcome === 'mixed') return { code: 'mixed', sinceMs: null }
  const toMs = atMs + ms
  if (toMs < beganMs) return { code: 'before', sinceMs: null }
  const isDuring = (/** @type {number} */ moment) => atMs <= moment && moment <= toMs
  const signals = events.filter(({ what }) => what === 'signal')
  if (signals.some(signal => isDuring(signal.atMs))) return { code: 'in-flight', sinceMs: null }
  const last = (/** @type {RolloutEvent['what']} */ what) =>
    events.findLast(event => event.what === what && event.atMs <= toMs)
  const signal = last('signal')
  const end = events.find(({ what, process }) => what === 'end' && process === signal?.process)
  const isEnding = signal !== undefined && toMs <= (end?.atMs ?? Infinity) + CLOSED_MS
  const ended = last('end')
  const isCut = ['reset', 'truncated'].includes(outcome)
  if (isEnding && isKept && isCut) return { code: 'kept', sinceMs: toMs - signal.atMs }
  const gap = findGaps(events).find(({ fromMs, toMs: until }) => fromMs <= toMs && atMs <= until)
  if (gap) return { code: 'no-process', sinceMs: (Number.isFinite(gap.toMs) ? gap.toMs : toMs) - gap.fromMs }
  if (isEnding) return { code: 'ending', sinceMs: toMs - signal.atMs }
  if (outcome === 'status-502' && ended && toMs - ended.atMs < SKIPPED_MS) return { code: 'skipped', sinceMs: null }
  const change = last('switch')
  if (change && toMs - change.atMs < SWITCH_MS) return { code: 'switch', sinceMs: toMs - change.atMs }
  return { code: 'other', sinceMs: toMs - beganMs }
}

/**
 * @typedef {object} Explanation
 * @property {string} text a sentence
 * @property {Loss} example the first one
 */

/**
 * Explains the listed losses of an arm's rollouts, the most frequent cause first.
 * @param {RolloutResult[]} rollouts
 * @returns {Explanation[]}
 */
export function explainLosses (rollouts) {
  const caused = rollouts.flatMap(rollout => rollout.losses.map(loss => ({ loss, cause: findCause(loss, rollout) })))
  const groups = groupBy(caused, ({ loss, cause }) => JSON.stringify([loss.outcome, cause.code]))
  return [...groups.values()].toSorted((a, b) => b.length - a.length).map(group => {
    const [{ loss, cause: { code } }] = group
    const times = group.flatMap(({ cause }) => cause.sinceMs ?? [])
    const clients = listing([...new Set(group.map(({ loss }) => CLIENTS[loss.client]))])
    return {
      text: `${toWords(loss.outcome)}, ${count(group.length)} × ${clients}: ${TEXTS[code](printTimes(code, times))}.`,
      example: loss
    }
  })
}

/** @param {string} outcome */
const toWords = outcome =>
  OUTCOMES[outcome] ?? outcome.replace(/^status-/, 'status ').replace(/^closed-/, 'closed with code ')

/**
 * @param {Cause['code']} code
 * @param {number[]} times in ms
 */
function printTimes (code, times) {
  if (times.length === 0) return NONE
  const [low, high] = [Math.min(...times), Math.max(...times)].map(ms => Math.max(0, ms))
  // The longest time without a process.
  return code === 'no-process' || printMs(low) === printMs(high) ? printMs(high) : `${printMs(low)} to ${printMs(high)}`
}

/** Prints a time in the unit that fits it. @param {number} ms */
export const printMs = ms => ms < 1000 ? `${Math.round(ms)} ms` : duration(ms / 1000)
