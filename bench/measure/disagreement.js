/** @import { Report } from '../load/types.js' */
/** @import { Reason } from '../types.js' */

/**
 * Compares the responses that a generator reports with the requests that the served side counted (pure). The served
 * side may have counted more: requests in flight when the generator ended, and requests whose response was lost.
 * @param {Report} report
 * @param {object} front
 * @param {number} front.served requests counted on the served side
 * @param {number} front.connections of the load, each with at most one request in flight
 * @param {boolean} [front.countsLate] whether the served side counts a request some time after its response
 * @param {number} [front.spare] most events that are no requests and that the served side counts too
 * @returns {Reason | null} null: they agree
 */
export function findDisagreement ({ measurement: { requests, errors }, sampled }, front) {
  const { served, connections, countsLate, spare = 0 } = front
  const generator = requests + sampled
  // The sampler's last request may be in flight too.
  const mostInFlight = connections + errors.timeouts + errors.resets + 1 + spare
  const mostUncounted = countsLate ? connections : 0
  const most = served < generator ? mostUncounted : mostInFlight
  if (Math.abs(served - generator) <= most) return null
  return { code: 'counts-disagree', params: { generator, served, most } }
}
