/**
 * Texts of the reasons for which trials and arms are invalid, most of which bench/judge/verdict.js finds, and of arms
 * that were not in their steady state.
 */
import { usesSocket } from '../../plan/predicates.js'
import { disturbanceTexts } from '../../shared/disturbance.js'
import { count, duration, percent, plural } from '../../shared/format.js'
import { errorsOf } from '../../shared/trial.js'

/** @import { NotSteady, Reason, ReasonParams } from '../../types.js' */

/** Prints how many responses of a trial were errors, by kind. @param {ReasonParams['errors']} params */
function errorsText ({ errors, unserved, requests, countedBy }) {
  const { non2xx, timeouts, resets, mismatches } = errors
  if (countedBy === 'generator') {
    const wrong = non2xx > 0 ? `, ${non2xx} that were errors` : ''
    return `the generator counted ${resets} responses that broke off${wrong}, and ${requests} whole ones`
  }
  /** @type {[number, string][]} */
  const kinds = [[non2xx, 'not 2xx'], [timeouts, 'timed out'], [resets, 'reset'], [mismatches, 'with another body']]
  const found = kinds.filter(([count]) => count > 0).map(([count, kind]) => `${count} ${kind}`)
  const clients = unserved ? `; ${unserved.clients} of ${unserved.of} clients had no connection` : ''
  return `${errorsOf(errors)} errors on ${requests} requests: ${found.join(', ')}${clients}`
}

/** Prints how far the counts of both sides differ. @param {ReasonParams['counts-disagree']} params */
function countsText ({ generator, served, most }) {
  const missing = Math.abs(served - generator)
  const where = served < generator
    ? `on the served side (at most ${most} may be)`
    : `in the generator's report (at most ${most} may be, in flight or lost)`
  return `the load generator counted ${generator} responses and the served side ${served} requests: ${missing} are ` +
    `missing ${where}`
}

/** Prints how many connections or requests got no response. @param {ReasonParams['clients-hang']} params */
function hangingText (params) {
  const seconds = params.seconds.toFixed(1)
  if ('hanging' in params) {
    return `${params.hanging} of ${params.connections} connections got no response for ${seconds} s of load`
  }
  return `${params.requests} requests got a response in ${seconds} s of load, and neither side used the CPU: its ` +
    'connections hang, or a response takes longer than a slice'
}

/** Prints which kind of socket was found and which was expected. @param {ReasonParams['wrong-socket']} params */
function socketText ({ socketType, transport }) {
  const expected = usesSocket({ transport }) ? 'unix' : 'tcp'
  const found = socketType === 'none' ? 'no socket' : `a ${socketType} socket`
  return `the server listened on ${found}, and ${transport} needs a ${expected} one`
}

/**
 * Prints the connections per request behind the proxy.
 * @type {(params: ReasonParams['not-pooled'], expected: string) => string}
 */
const upstreamText = ({ perRequest, transport }, expected) =>
  `the proxy opened ${perRequest.toFixed(3)} connections per request, and ${transport} means ${expected}`

/**
 * Texts by code: clauses, or sentences of errors.
 * @type {{ [Code in keyof ReasonParams]: (params: ReasonParams[Code]) => string }}
 */
export const reasonTexts = {
  ...disturbanceTexts,
  'behind-schedule': ({ p99Ms, limitMs }) =>
    `the p99 of the send lag was ${p99Ms.toFixed(1)} ms (limit ${limitMs.toFixed(1)} ms): the generator could not ` +
    'keep the offered rate',
  'beyond-first-errors': ({ connections }) => `not measured: errors came at ${connections} connections`,
  'cache-missed': ({ hits, limit }) =>
    `the cache served ${percent(hits)} of the requests (more than ${percent(limit)} is expected); it stores ` +
    'those with Cache-Control: public or a lifetime',
  'client-not-fresh': ({ perRequest }) =>
    `the client opened ${perRequest.toFixed(3)} connections per request instead of one`,
  'clients-hang': hangingText,
  'counts-disagree': countsText,
  errors: errorsText,
  'file-changed': ({ path }) => `${path} changed during the run`,
  'files-passed-on': ({ requests }) =>
    `${plural(requests, 'request')} for files reached the app, although the proxy serves them itself`,
  'gate-refused': ({ why }) => why,
  'idle-arms-busy': ({ share, cores, limit }) =>
    `the idle arms used ${percent(share)} of ${cores === 1 ? 'the core' : `the ${cores} cores`} ` +
    `(limit ${percent(limit)})`,
  'no-proof': ({ uncounted }) =>
    `the ${uncounted === 'connections' ? 'connections to the server' : uncounted} were not counted`,
  'no-reading': ({ message }) => message ?? 'its counts were not read',
  'no-report': ({ message }) => `its counts could not be compared: ${message}`,
  'not-fresh': params => upstreamText(params, `at least ${params.limit}`),
  'not-measured': ({ message }) => message,
  'not-pooled': params => upstreamText(params, `fewer than ${params.limit}`),
  'nothing-served': () => 'no request was served',
  'ports-exhausted': ({ waiting, ports }) =>
    `the client side ran out of ports: ${waiting} sockets were in TIME_WAIT, and there are ${ports} ports`,
  'process-died': ({ message }) => message,
  'worker-died': ({ workers }) => `${workers === 1 ? 'a worker' : `${workers} workers`} of the server died`,
  'wrong-body': () => 'under load the body differed from the one before the load',
  'wrong-socket': socketText
}

/**
 * Prints why a trial or an arm is invalid.
 *
 * @param {Reason} reason
 * @returns {string} a clause, or the sentence of an error
 */
export function printReason ({ code, params, most }) {
  const text = reasonTexts[code](/** @type {never} */ (params))
  return most ? `${countInvalid(most)}, most often because ${text}` : text
}

/**
 * Prints "1 of 3 trials is invalid".
 *
 * @param {{ invalid: number, trials: number, arm?: string }} counts
 */
export const countInvalid = ({ invalid, trials, arm }) =>
  `${count(invalid)} of ${plural(trials, 'trial')}${arm === undefined ? '' : ` of ${arm}`} ` +
  `${invalid === 1 ? 'is' : 'are'} invalid`

/** @type {Record<NotSteady['role'], string>} */
const ROLE_NOUNS = { load: 'load generator', proxy: 'proxy', server: 'server' }

/** Prints a change: "rises by 8 %". @param {number} change as a share */
export const changeText = change => `${change < 0 ? 'falls' : 'rises'} by ${percent(Math.abs(change))}`

/**
 * Prints which part of an arm had not reached its steady state.
 * @param {NotSteady} params
 * @returns {string} a clause
 */
export const stillChangedText = ({ arm, role, change, seconds }) => {
  const process = `the ${ROLE_NOUNS[role]} of ${arm}`
  const after = `after ${duration(seconds)} of warm-up`
  return change === null
    ? `${after} ${process} had used too little CPU time to have compiled its code`
    : `${after} the CPU time per request of ${process} still fell by ${percent(-change)}`
}
