/** @import { Report } from '../load/shapes.js' */

/** Client and server count the same requests, but for those in flight when the generator ended and those whose answer
 * got lost (pure). @param {Report} report
 * @param {{ served: number, connections: number, countsLate?: boolean, spare?: number }} front countsLate: it counts a
 * request some time after its answer; spare: what it may have counted beside requests
 * @returns {string | null} how the two differ */
export function disagreement ({ measurement: { requests, errors }, sampled }, front) {
  const { served, connections, countsLate, spare = 0 } = front
  const client = requests + sampled
  const lost = errors.timeouts + errors.resets
  // One more for the sampler, whose last request may be in flight too.
  const most = client + connections + lost + 1 + spare
  if (served >= client - (countsLate ? connections : 0) && served <= most) return null
  return `the generator counted ${client} answers and the served side ${served} requests (at most ${connections} in ` +
    'flight)'
}
