/** @import { Report } from '../load/shapes.js' */

/**
 * Compares the responses that a generator reports with the requests that the served side counted (pure). The served
 * side may have counted more: requests in flight when the generator ended, and requests whose response was lost.
 * @param {Report} report
 * @param {object} front
 * @param {number} front.served requests counted on the served side
 * @param {number} front.connections of the load, each with at most one request in flight
 * @param {boolean} [front.countsLate] whether the served side counts a request some time after its response
 * @param {number} [front.spare] most events that are no requests and that the served side counts too
 * @returns {string | null} how the two differ, in requests; null: they agree
 */
export function disagreement ({ measurement: { requests, errors }, sampled }, front) {
  const { served, connections, countsLate, spare = 0 } = front
  const client = requests + sampled
  // The sampler's last request may be in flight too.
  const mostInFlight = connections + errors.timeouts + errors.resets + 1 + spare
  const mostUncounted = countsLate ? connections : 0
  const counted = `the load generator counted ${client} responses and the served side ${served} requests`
  if (served < client - mostUncounted) {
    return `${counted}: ${client - served} are missing on the served side (at most ${mostUncounted} may be)`
  }
  if (served > client + mostInFlight) {
    return `${counted}: ${served - client} are missing in the generator's report (at most ${mostInFlight} may be, ` +
      'in flight or lost)'
  }
  return null
}
