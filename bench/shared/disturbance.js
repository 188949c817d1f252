/** Whether the time of a trial can be relied on (pure). */
import { SLEW_SHARE, STEPPED_SECONDS, STILL_SECONDS, SUSPENDED_SECONDS } from './thresholds.js'

/** @import { Reason } from '../types.js' */

/**
 * Why the time of a trial cannot be relied on.
 * @param {object} passed what passed in it by each clock, in seconds
 * @param {number} passed.seconds by the monotonic clock
 * @param {number | null} passed.bootSeconds by the one that goes on while the machine is suspended; null: there is none
 * @param {number} passed.wallSeconds by the time of day
 * @param {number} passed.stillSeconds the longest time in which the suite itself did not run
 * @param {number} [passed.blurSeconds] by so much the readings of several clocks may be wrong, as they were not made at
 * once
 * @returns {Reason | null} null: it can
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
  // Without a boot clock nobody can distinguish the two, and the trial is lost with either.
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

/** Does such a trial say nothing about its arm, so that it is to be made again? @param {Reason | null} invalid */
export const isDisturbance = invalid => invalid !== null && ['suspended', 'clock-stepped'].includes(invalid.code)
