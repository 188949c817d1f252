/** Whether the server counts what it is sent, whatever it runs under: what is measured later rests on it (pure). */

/** @import { ServerCounts } from '../../types.js' */

/** @param {ServerCounts} before @param {ServerCounts} after @param {number} asked requests that the server itself has
 * answered between the two @returns {string | null} what cannot be counted there */
export function countsNot (before, after, asked) {
  const requests = after.requests - before.requests
  if (requests < asked) return `its server counted ${requests} of ${asked} requests`
  return after.connections === 0 ? `its server counted no connection for ${asked} requests` : null
}
