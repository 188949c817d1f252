/** When requests leave in an open loop: a schedule that knows nothing of the answers (pure).
 * @import { Random } from '../../../shared/random.js' */

/** @typedef {'constant' | 'poisson'} Arrivals constant: evenly spaced; poisson: each independent of all others, as many
 * users are */

/** @param {object} order @param {number} order.rate requests per second, above 0 @param {Arrivals} order.arrivals
 * @param {Random} order.random
 * @returns {() => number} the next time, in ms from the start. Poisson: exponential gaps, by inversion. Constant: the
 * first is anywhere in the first gap, so that several processes do not leave in step */
export function arrivalTimes ({ rate, arrivals, random }) {
  if (!(rate > 0)) throw new RangeError(`a rate is above 0: ${rate}`)
  const gap = 1000 / rate
  if (arrivals === 'constant') {
    const phase = random() * gap
    let n = 0
    // By multiplication: a sum of gaps would drift.
    return () => phase + gap * n++
  }
  let at = 0
  return () => {
    at -= Math.log(1 - random()) * gap
    return at
  }
}
