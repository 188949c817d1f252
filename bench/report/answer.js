/** Answers of runs in one or two sentences (pure). */
import { count, interval, isNumber, listing, NONE, plural } from '../shared/format.js'
import { toRecord } from '../shared/to-record.js'
import { errorsOf } from '../shared/trial.js'
import { unitOf } from '../shared/units.js'
import { pairAnswer } from './pair-answer.js'
import { hasErrors, whyInvalid } from './tables/arms.js'
import { findWinner, lacksComparison } from './winner.js'
import { compact } from './wrap.js'

/** @import { Answer, ArmResult, Contrast, RunRecord } from '../types.js' */

const MOST_NAMED = 3 // A longer list of arms hides the answer.
export const NO_MEASUREMENT = 'There is no valid measurement.'

/**
 * Returns the function that answers runs of a kind. A smoke test has its own answer.
 * @param {(record: RunRecord) => string | { text: string, contrasts: Contrast[] }} answer without regard to an
 *   interruption
 * @returns {(record: RunRecord) => Answer}
 */
export const runAnswer = answer => record => {
  const found = record.plan.smoke ? smokeAnswer(record) : answer(record)
  return finishAnswer(record, typeof found === 'string' ? { text: found } : found)
}

/**
 * Adds to an answer that the run was interrupted.
 * @param {RunRecord} record
 * @param {{ text: string, contrasts?: Contrast[] }} answer
 * @param {string} [interrupted] sentence before the answer of a run that has not ended
 * @returns {Answer}
 */
export function finishAnswer (record, { text, contrasts = [] }, interrupted =
  `The run was interrupted after ${plural(record.timing.blocks, 'block')}.`) {
  const isWhole = record.complete || record.plan.smoke || text === NO_MEASUREMENT
  return {
    text: `${isWhole ? '' : `${interrupted} `}${text}`,
    contrasts: contrasts.map(({ arm, baseline, level, verdict, ...interval }) =>
      ({ arm, baseline, ...toRecord(['ratio', 'low', 'high'], key => interval[key]), level, verdict }))
  }
}

/**
 * Returns the answer by contrasts, else by rates, or by errors where the experiment is about them.
 * @param {RunRecord} record
 */
export function throughputAnswer (record) {
  if (record.plan.answer?.by === 'errors') return errorsAnswer(record)
  const measured = findMeasured(record)
  if (measured.length === 0) return nothingValid(record)
  const pairs = lacksComparison(record) ? null : pairAnswer(record)
  return pairs ?? rateAnswer(record, measured)
}

/** Returns the arms with a rate, without the twin. @param {RunRecord} record */
const findMeasured = ({ arms, plan }) =>
  arms.filter(({ name, invalid, rps }) => name !== plan.twin?.arm && !invalid && isNumber(rps?.median))

/**
 * Returns why no arm has a result.
 * @param {RunRecord} record
 */
export function nothingValid ({ arms }) {
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
export const hasOutcome = arm => arm.trials > arm.invalidTrials.length || hasErrors(arm)

/** Lists the first items, and the number of the others. @param {string[]} items */
const listFirst = items => listing(items.length > MOST_NAMED + 1
  ? [...items.slice(0, MOST_NAMED), `${count(items.length - MOST_NAMED)} others`]
  : items)
