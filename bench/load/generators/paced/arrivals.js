/** Schedules the requests of an open loop, independently of responses (pure). */

/** @import { Random } from '../../../shared/random.js' */

/**
 * @param {object} order
 * @param {number} order.rate requests per second, above 0
 * @param {'constant' | 'poisson'} order.arrivals constant: evenly spaced; poisson: independent of each other, like the
 * requests of many users
 * @param {Random} order.random
 * @returns {() => number} returns the next time, in ms from the start. Poisson: exponential gaps, by inversion.
 * Constant: the first request is anywhere in the first gap, so that several processes do not send at the same times
 */
export function arrivalTimes ({ rate, arrivals, random }) {
  if (!(rate > 0)) throw new RangeError(`a rate is above 0: ${rate}`)
  const gap = 1000 / rate
  if (arrivals === 'constant') {
    const phase = random() * gap
    let n = 0
    // Multiplies, because a sum of gaps would drift.
    return () => phase + gap * n++
  }
  let at = 0
  return () => {
    at -= Math.log(1 - random()) * gap
    return at
  }
}
