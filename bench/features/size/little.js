/** Little's law (Little 1961): requests in flight are the rate times the mean response time (pure). */
/**
 * Returns the requests in flight, rounded up.
 *
 * @param {number} rate requests per second
 * @param {number} ms mean response time
 */
export const toInFlight = (rate, ms) => Math.ceil(rate * ms / 1000)
