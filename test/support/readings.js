/** Readings of counters, of which a sample is the difference. */

/** @import { Reading, Seen } from '../../bench/measure/types.js' */

export const errors = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }

/**
 * @param {number} requests
 * @param {number} atSeconds
 * @param {Partial<Reading>} [more]
 * @returns {Reading}
 */
export const reading = (requests, atSeconds, more = {}) => ({
  front: { atSeconds, requests, connections: 10 },
  origin: null,
  cpu: { proxy: new Map([[1, atSeconds / 2]]), server: new Map([[2, atSeconds / 4]]) },
  linkBytes: null,
  noted: [],
  units: requests,
  ...more
})

/** @type {Seen} */
export const seen = { unit: 'requests', running: { proxied: true }, network: { link: null }, errors }
