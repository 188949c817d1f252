/** Detects that the clocks of a trial disagree, so that its time is unreliable (pure). */
import { SLEW_SHARE, STEPPED_SECONDS, STILL_SECONDS, SUSPENDED_SECONDS } from './thresholds.js'

/** @import { Disturbance, Reason, ReasonParams } from '../types.js' */

/** @type {Record<ReasonParams['suspended']['seen'], (seconds: string) => string>} */
const SUSPENSION_TEXTS = {
  asleep: seconds => `the machine was suspended for ${seconds} s within it`,
  paused: seconds => `the suite was paused for ${seconds} s within it: it was stopped, or its machine was`,
  ahead: seconds =>
    `the time of day went on by ${seconds} s more than the suite ran: the machine was suspended, or its clock was set`
}

/**
 * Returns why the time of a trial is unreliable.
 * @param {object} passed duration of the trial by each clock, in seconds
 * @param {number} passed.seconds by the monotonic clock
 * @param {number | null} passed.bootSeconds by the boot clock, which continues during a suspension; null: unavailable
 * @param {number} passed.wallSeconds by the wall clock
 * @param {number} passed.stillSeconds longest time in which the suite itself did not run
 * @param {number} [passed.blurSeconds] uncertainty, because the clocks were not read at the same instant
 * @returns {Disturbance | null} null: the time is reliable
 */
export function findDisturbance ({ seconds, bootSeconds, wallSeconds, stillSeconds, blurSeconds = 0 }) {
  const asleep = bootSeconds === null ? 0 : bootSeconds - seconds
  if (asleep > SUSPENDED_SECONDS + blurSeconds) {
    return { code: 'suspended', params: { seconds: asleep, seen: 'asleep' } }
  }
  if (stillSeconds > STILL_SECONDS) return { code: 'suspended', params: { seconds: stillSeconds, seen: 'paused' } }
  const stepped = wallSeconds - seconds
  if (Math.abs(stepped) <= STEPPED_SECONDS + SLEW_SHARE * seconds + blurSeconds) return null
  // Without a boot clock, a suspension and a clock step cannot be distinguished. Both invalidate the trial.
  if (bootSeconds === null && stepped > SUSPENDED_SECONDS) {
    return { code: 'suspended', params: { seconds: stepped, seen: 'ahead' } }
  }
  return { code: 'clock-stepped', params: { seconds: stepped } }
}

/**
 * Texts of the reasons that `findDisturbance` returns, as clauses.
 * @type {{ [Code in 'suspended' | 'clock-stepped']: (params: ReasonParams[Code]) => string }}
 */
export const disturbanceTexts = {
  suspended: ({ seconds, seen }) => SUSPENSION_TEXTS[seen](seconds.toFixed(1)),
  'clock-stepped': ({ seconds }) => {
    const amount = Math.abs(seconds)
    return `the clock was set ${seconds > 0 ? 'forward' : 'back'} by ${amount.toFixed(amount < 1 ? 3 : 1)} s within ` +
      'it, and programs read the time from it'
  }
}

/** @param {Disturbance} disturbance */
export const describeDisturbance = disturbance => disturbance.code === 'suspended'
  ? disturbanceTexts.suspended(disturbance.params)
  : disturbanceTexts['clock-stepped'](disturbance.params)

/**
 * Returns whether a trial is to be repeated, because the cause is not in its arm.
 * @param {Reason | null} invalid
 */
export const isDisturbance = invalid => invalid !== null && Object.hasOwn(disturbanceTexts, invalid.code)
