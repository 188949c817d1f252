/** Detects that the clocks of a trial disagree, so that its time is unreliable (pure). */
import { SLEW_SHARE, STEPPED_SECONDS, STILL_SECONDS, SUSPENDED_SECONDS } from './thresholds.js'

/** @import { Reason } from '../types.js' */

/**
 * Returns why the time of a trial is unreliable.
 * @param {object} passed duration of the trial by each clock, in seconds
 * @param {number} passed.seconds by the monotonic clock
 * @param {number | null} passed.bootSeconds by the boot clock, which continues during a suspension; null: unavailable
 * @param {number} passed.wallSeconds by the wall clock
 * @param {number} passed.stillSeconds longest time in which the suite itself did not run
 * @param {number} [passed.blurSeconds] uncertainty, because the clocks were not read at the same instant
 * @returns {Reason | null} null: the time is reliable
 */
export function disturbanceOf ({ seconds, bootSeconds, wallSeconds, stillSeconds, blurSeconds = 0 }) {
  const asleep = bootSeconds === null ? 0 : bootSeconds - seconds
  if (asleep > SUSPENDED_SECONDS + blurSeconds) {
    return { code: 'suspended', text: `the machine was suspended for ${asleep.toFixed(1)} s within it` }
  }
  if (stillSeconds > STILL_SECONDS) {
    return {
      code: 'suspended',
      text: `the suite was paused for ${stillSeconds.toFixed(1)} s within it: it was stopped, or its machine was`
    }
  }
  const stepped = wallSeconds - seconds
  if (Math.abs(stepped) <= STEPPED_SECONDS + SLEW_SHARE * seconds + blurSeconds) return null
  // Without a boot clock, a suspension and a clock step cannot be distinguished. Both invalidate the trial.
  if (bootSeconds === null && stepped > SUSPENDED_SECONDS) {
    return {
      code: 'suspended',
      text:
        `the time of day went on by ${stepped.toFixed(1)} s more than the suite ran: the machine was suspended, or ` +
        'its clock was set'
    }
  }
  return {
    code: 'clock-stepped',
    text:
      `the clock was set ${stepped > 0 ? 'forward' : 'back'} by ` +
      `${Math.abs(stepped).toFixed(Math.abs(stepped) < 1 ? 3 : 1)} s within it, and programs read the time from it`
  }
}

/**
 * Returns whether a trial is to be repeated, because the cause is not in its arm.
 * @param {Reason | null} invalid
 */
export const isDisturbance = invalid => invalid !== null && ['suspended', 'clock-stepped'].includes(invalid.code)
