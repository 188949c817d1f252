/**
 * Claims about errors: the arms that have errors, their lines in the error log, and the number of connections at which
 * errors begin (pure). A trial either has errors or does not, so no interval is needed. A claim is confirmed if all
 * conclusive trials agree with the claim, and refuted if all trials of an arm contradict it.
 */
import { count } from '../../shared/format.js'
import { groupBy } from '../../shared/group-by.js'
import { JUDGED_FROM_TRIALS } from '../../shared/thresholds.js'
import { DIED, showsErrors } from '../../shared/trial.js'

/** @import { Arm, ClaimTest, ClaimWhy, Plan, Sample } from '../../types.js' */
/** @import { Judged } from './claims.js' */

/**
 * @param {ClaimTest & { kind: 'errors' }} test
 * @param {Sample[]} samples
 */
export const judgeErrors = (test, samples) => judgeTrials(test, samples, { isAffected: failedUnderLoad, logged: null })

/**
 * @param {ClaimTest & { kind: 'logged' }} test
 * @param {Sample[]} samples
 */
export const judgeLogged = (test, samples) => judgeTrials(test, samples, {
  isAffected: ({ seconds, errorLog = [] }) =>
    seconds > 0 ? errorLog.some(({ text }) => text.includes(test.text)) : null,
  logged: test.text
})

/**
 * Judges the claim that the trials of some arms are affected, and the trials of other arms are not.
 *
 * @param {{ in: string[], notIn: string[] }} arms in: arms that are affected according to the claim
 * @param {Sample[]} samples
 * @param {{ isAffected: (sample: Sample) => boolean | null, logged: string | null }} question isAffected: null:
 *   inconclusive; logged: text in the error log, null: errors
 * @returns {Judged}
 */
function judgeTrials ({ in: claimedIn, notIn: claimedNotIn }, samples, { isAffected, logged }) {
  const arms = [...claimedIn, ...claimedNotIn].map(name => {
    const conclusive = samples.filter(({ arm }) => arm === name).flatMap(sample => isAffected(sample) ?? [])
    const trials = conclusive.length
    const affected = conclusive.filter(Boolean).length
    const agreeing = claimedIn.includes(name) ? affected : trials - affected
    return { name, trials, affected, agreeing }
  })
  const subject = logged === null ? 'errors' : `"${logged}" in the error log`
  const figures = arms.map(({ name, trials, affected }) => `${name}: ${affected} of ${trials}`).join(', ')
  const conclude = (/** @type {Judged['status']} */ status, /** @type {ClaimWhy} */ why) =>
    toJudged(`${figures} trials with ${subject}`, status, why)

  const tooFew = arms.find(({ trials }) => trials === 0) ?? arms.find(({ trials }) => trials < JUDGED_FROM_TRIALS)
  if (tooFew) {
    const { name: arm, trials } = tooFew
    return conclude('inconclusive', { code: 'too-few-trials', params: { arm, trials, needed: JUDGED_FROM_TRIALS } })
  }
  const contrary = arms.find(({ agreeing }) => agreeing === 0)
  if (contrary) {
    const found = contrary.affected === 0 ? 'none' : 'all'
    return conclude('refuted', { code: 'trials-disagree', params: { arm: contrary.name, logged, in: found } })
  }
  const mixed = arms.find(({ agreeing, trials }) => agreeing < trials)
  if (mixed) {
    return conclude('inconclusive', { code: 'trials-disagree', params: { arm: mixed.name, logged, in: 'some' } })
  }
  return conclude('confirmed', { code: 'trials-agree', params: {} })
}

/**
 * Judges the claim that errors of an arm begin at a number of connections.
 *
 * @param {ClaimTest & { kind: 'first-error-at' }} test
 * @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {Judged}
 */
export function judgeFirstError ({ arm, connections }, plan, samples) {
  const steps = plan.arms.filter(({ ladder }) => ladder?.of === arm)
  if (steps.length === 0) {
    return toJudged(null, 'not-testable', { code: 'no-steps', params: { protocol: plan.protocol } })
  }
  const blocks = [...groupBy(samples, ({ block }) => block).values()]
  const found = blocks.map(ofBlock => findFirstError(steps, ofBlock)).filter(first => first !== 'unknown')
  if (found.length === 0) return toJudged(null, 'inconclusive', { code: 'no-whole-block', params: {} })
  const measured = [...new Set(found)].map(first => {
    const result = first === null ? 'no errors at any step' : `errors from ${count(first)} connections on`
    const blocksWithResult = found.filter(other => other === first).length
    return `${result} (${blocksWithResult} of ${found.length} blocks)`
  }).join(', ')
  const agreeing = found.filter(first => first === connections).length
  const contrary = agreeing === 0 ? 'refuted' : 'inconclusive'
  const status = agreeing === found.length ? 'confirmed' : contrary
  return toJudged(measured, status, { code: 'published-first-error', params: { connections } })
}

/**
 * Finds the number of connections at which errors began in one block.
 *
 * @param {Arm[]} steps in rising order
 * @param {Sample[]} samples of one block
 * @returns {number | null | 'unknown'} null: no errors at any step
 */
function findFirstError (steps, samples) {
  for (const { name, load } of steps) {
    const sample = samples.find(({ arm }) => arm === name)
    const isBad = sample ? failedUnderLoad(sample) : null
    if (isBad === null) return 'unknown'
    if (isBad) return load.connections
  }
  return null
}

/**
 * Returns whether a trial shows errors. A trial that was not made is inconclusive. So is a series without errors that
 * ended while its ports were still filling up.
 *
 * @param {Sample} sample
 * @returns {boolean | null} null: inconclusive
 */
function failedUnderLoad (sample) {
  if (sample.invalid?.code === DIED) return true
  if (!(sample.seconds > 0)) return null
  // A single broken connection of a user is a failure. Elsewhere a few errors are tolerated.
  if (sample.users) return Object.values(sample.errors).some(count => count > 0)
  if (showsErrors(sample)) return true
  return isStillFilling(sample) ? null : false
}

/**
 * Growth of the number of sockets in TIME_WAIT, from the middle to the end of a series, above which ports are still
 * filling up. TIME_WAIT lasts 60 s.
 */
const GROWTH = 1.05
/** Sockets in TIME_WAIT that the gate and connections closed without an error leave behind. */
const USUAL_SOCKETS = 1000

/** Returns whether a series ended before all ports were in TIME_WAIT. @param {Sample} sample */
function isStillFilling ({ series = [] }) {
  const middle = series[Math.floor(series.length / 2)]?.timeWait ?? 0
  const last = series.at(-1)?.timeWait ?? 0
  return last > USUAL_SOCKETS && last > GROWTH * middle
}

/** @type {(measured: string | null, status: Judged['status'], why: ClaimWhy) => Judged} */
export const toJudged = (measured, status, why) => ({ measured, low: null, high: null, status, why: [why] })
