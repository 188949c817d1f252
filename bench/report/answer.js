/** The answer of a run in one or two sentences (pure). */
import { count, interval, isNumber, listing, micros, NONE, percent, plural } from '../shared/format.js'
import { toRecord } from '../shared/to-record.js'
import { errorsOf } from '../shared/trial.js'
import { unitOf } from '../shared/units.js'
import { behaviourAnswer } from './behaviour-answer.js'
import { isOfApp, ofApp } from './latencies.js'
import { pairAnswer } from './pair-answer.js'
import { groupLadderSteps, groupSteps, hasErrors, whyInvalid } from './tables/arms.js'
import { openLoopAnswer } from './tables/open-loop.js'
import { hasUsers } from './tables/users.js'
import { usersAnswer } from './users-text.js'
import { findWinner, lacksComparison } from './winner.js'
import { compact } from './wrap.js'

/** @import { Answer, ArmResult, Contrast, RunRecord } from '../types.js' */

const MOST_NAMED = 3 // A longer list of arms hides the answer.
const NO_MEASUREMENT = 'There is no valid measurement.'

/**
 * Returns the answer of a run, and the contrasts that it prints.
 * @param {RunRecord} record
 */
export const findAnswer = record => finishAnswer(record, answerComplete(record))

/**
 * Adds to an answer that the run was interrupted, and the response times at an offered rate.
 * @param {RunRecord} record
 * @param {{ text: string, contrasts?: Contrast[] }} answer
 * @param {string} [interrupted] sentence before the answer of a run that has not ended
 * @returns {Answer}
 */
export function finishAnswer (record, { text, contrasts = [] }, interrupted =
  `The run was interrupted after ${plural(record.timing.blocks, 'block')}.`) {
  const isWhole = record.complete || record.plan.smoke || text === NO_MEASUREMENT
  const atRate = record.openLoop && openLoopAnswer(record.openLoop)
  return {
    text: `${isWhole ? '' : `${interrupted} `}${text}${atRate ? ` ${atRate}` : ''}`,
    contrasts: contrasts.map(({ arm, baseline, level, verdict, ...interval }) =>
      ({ arm, baseline, ...toRecord(['ratio', 'low', 'high'], key => interval[key]), level, verdict }))
  }
}

/**
 * Returns the answer without regard to an interruption.
 * @param {RunRecord} record
 * @returns {{ text: string, contrasts: Contrast[] }}
 */
function answerComplete (record) {
  const text = answerByKind(record)
  if (text !== null) return { text, contrasts: [] }
  const measured = findMeasured(record)
  if (measured.length === 0) return { text: nothingValid(record), contrasts: [] }
  const pairs = lacksComparison(record) ? null : pairAnswer(record)
  return pairs ?? { text: rateAnswer(record, measured), contrasts: [] }
}

/**
 * Returns an answer that is not by contrasts.
 * @param {RunRecord} record
 * @returns {string | null} null: contrasts and rates answer the question
 */
function answerByKind (record) {
  const { plan } = record
  if (plan.smoke) return smokeAnswer(record)
  if (plan.result === 'latency') return latencyAnswer(record)
  if (plan.result === 'behaviour') {
    return record.arms.some(({ plays }) => plays) ? behaviourAnswer(record) : nothingValid(record)
  }
  if (hasUsers(record)) return usersAnswer(record)
  if (plan.result === 'first-errors') return firstErrorsAnswer(record)
  if (plan.answer?.by === 'errors') return errorsAnswer(record)
  return null
}

/** Returns the arms with a rate, without the twin. @param {RunRecord} record */
const findMeasured = ({ arms, plan }) =>
  arms.filter(({ name, invalid, rps }) => name !== plan.twin?.arm && !invalid && isNumber(rps?.median))

/**
 * Returns why no arm has a result.
 * @param {RunRecord} record
 */
function nothingValid ({ arms }) {
  // A message of a program has further lines and may end with a full stop.
  const why = arms.map(whyInvalid).find(Boolean)?.split('\n')[0].replace(/\.$/, '')
  return why ? `There is no valid measurement, because ${why}.` : NO_MEASUREMENT
}

/**
 * Returns which arms of a smoke test worked.
 * @param {RunRecord} record
 */
function smokeAnswer (record) {
  const arms = record.arms.filter(({ name }) => name !== record.plan.twin?.arm)
  const failed = arms.flatMap(arm => {
    const why = whyInvalid(arm)
    return why ? [`${arm.name} (${why})`] : []
  })
  if (arms.length === 0) return NO_MEASUREMENT
  if (failed.length > 0) return `${failed.length} of ${plural(arms.length, 'arm')} failed: ${listing(failed)}.`
  return `Everything works: ${arms.length === 1 ? 'the arm' : `all ${arms.length} arms`} served correct responses. ` +
    'A smoke test measures no difference.'
}

/**
 * Returns the rate of the only arm, or the arm with the highest rate where no contrast is valid.
 * @param {RunRecord} record
 * @param {ArmResult[]} measured at least one
 */
function rateAnswer (record, measured) {
  if (record.contrasts.length === 0 && measured.length === 1) return `${rateClause(measured[0], record)}.`
  const winner = findWinner(record)
  if (!winner) return NO_MEASUREMENT
  const { arm, undecided } = winner
  if (lacksComparison(record)) return `There is no valid comparison. ${rateClause(arm, record)}.`
  const rate = printRate(arm, record)
  if (undecided.length === 0) return `${arm.name} is the fastest: ${rate}.`
  const others = undecided.length > MOST_NAMED ? `${count(undecided.length)} of the others` : listing(undecided)
  return `${arm.name} had the highest rate (${rate}), but no verdict separates it from ${others}.`
}

/** @type {(arm: ArmResult, record: Pick<RunRecord, 'unit'>) => string} */
function printRate ({ rps }, { unit }) {
  const { print, perSecond } = unitOf(unit)
  return `${print(rps?.median)} ${perSecond}`
}

/**
 * Returns the rate of one arm, its interval and its bottleneck.
 * @param {ArmResult} arm
 * @param {Pick<RunRecord, 'unit'>} record
 */
function rateClause (arm, record) {
  const { name, rps, bound } = arm
  const { print } = unitOf(record.unit)
  const range = rps && rps.low !== rps.high ? interval(print(rps.low || NaN), print(rps.high)) : NONE
  const rate = `${printRate(arm, record)}${range === NONE ? '' : ` (${range})`}`
  switch (bound) {
    case 'load': return `${name}: at least ${rate}, because the load generator was the limit`
    case 'network': return `${name}: at least ${rate}, because the link was the limit`
    case 'proxy':
    case 'server': return `${name}: ${rate}, limited by the ${bound}`
    default: return `${name}: ${rate}`
  }
}

/** Returns the name of an arm in an answer. @type {(arm: { name: string }, record: RunRecord) => string} */
function toArmName ({ name }, { plan: { answer: { names = {} } = {} } }) {
  return Object.hasOwn(names, name) ? names[name] : name
}

/**
 * Returns the arms in which requests failed, and those in which none did.
 * @param {RunRecord} record
 */
function errorsAnswer (record) {
  const measured = record.arms.filter(arm =>
    arm.name !== record.plan.twin?.arm && !arm.invalid && hasOutcome(arm))
  const failed = measured.filter(hasErrors)
    .map(arm => `${toArmName(arm, record)} (${plural(errorsOf(arm.errors), 'error')})`)
  const held = measured.filter(arm => !hasErrors(arm)).map(arm => toArmName(arm, record))
  if (measured.length === 0) return nothingValid(record)
  return compact([
    failed.length > 0 && `Requests failed with ${listFirst(failed)}.`,
    held.length > 0 && `No request failed with ${listFirst(held)}.`
  ]).join(' ')
}

/** Returns whether an arm has a valid trial or errors. @param {ArmResult} arm */
const hasOutcome = arm => arm.trials > arm.invalidTrials.length || hasErrors(arm)

/** Lists the first items, and the number of the others. @param {string[]} items */
const listFirst = items => listing(items.length > MOST_NAMED + 1
  ? [...items.slice(0, MOST_NAMED), `${count(items.length - MOST_NAMED)} others`]
  : items)

/** Percentiles of an answer, the most telling first. */
const ANSWERED = /** @type {const} */ ([['p99', '99th percentile'], ['p90', '90th percentile'], ['p50', 'median']])

/**
 * Returns a percentile of response time at the highest load of each arm: the p99, if enough responses were measured.
 * @param {RunRecord} record
 */
function latencyAnswer (record) {
  const heaviest = groupSteps({ arms: record.arms.map(ofApp) }).flatMap(({ name, steps }) => {
    const last = steps.findLast(({ latencyMs }) => latencyMs)
    return last?.latencyMs ? [{ name, share: last.load.share, latencyMs: last.latencyMs }] : []
  })
  if (heaviest.length === 0) return nothingValid(record)
  const load = (/** @type {number | undefined} */ share) => `at ${percent(share)} of the lowest peak`
  const isSameLoad = heaviest.every(({ share }) => share === heaviest[0].share)
  const [key, percentile] = ANSWERED.find(([key]) => heaviest.every(({ latencyMs }) => isNumber(latencyMs[key]))) ??
    ANSWERED[0]
  const times = heaviest.map(({ name, share, latencyMs }) =>
    `${micros(latencyMs[key])} ms with ${name}${isSameLoad ? '' : ` ${load(share)}`}`)
  const sameLoad = isSameLoad ? `, each ${load(heaviest[0].share)}` : ''
  const requests = isOfApp(record.arms) ? ' of requests to the app' : ''
  return `The ${percentile} of response time${requests} is ${listing(times)}${sameLoad}.`
}

/**
 * Returns the number of connections at which the first errors of each arm occurred.
 * @param {RunRecord} record
 */
function firstErrorsAnswer (record) {
  const groups = groupLadderSteps(record)
    .map(({ name, steps }) => ({ name, steps: steps.filter(hasOutcome) }))
    .filter(({ steps }) => steps.length > 0)
  const most = Math.max(...groups.flatMap(({ steps }) => steps.map(({ load }) => load.connections)))
  const held = groups.filter(({ steps }) => !steps.some(hasErrors)).map(({ name }) => name)
  const failed = groups.flatMap(({ name, steps }) => {
    const first = steps.find(hasErrors)
    return first ? [`with ${name} at ${count(first.load.connections)}`] : []
  })
  const clauses = compact([
    held.length > 0 && `${listing(held)} held ${count(most)} connections without an error`,
    failed.length > 0 && `${held.length > 0 ? 'the' : 'The'} first errors came ${listing(failed)}`
  ])
  return clauses.length === 0 ? nothingValid(record) : `${clauses.join('; ')}.`
}
