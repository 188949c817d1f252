/** Throughputs of three arms, one of them a tenth faster, with little noise. */
import { normal, seriesOf } from './simulate.js'

export const invalid = /** @type {const} */ ({
  code: 'errors',
  params: { errors: { non2xx: 9, timeouts: 0, resets: 0, mismatches: 0 }, requests: 100 }
})
export const speed = /** @type {Record<string, number>} */ ({ tcp: 10_000, 'tcp (twin)': 10_000, uds: 11_000 })

/**
 * Throughputs with a little noise.
 * @param {string} name
 * @param {number} [sd]
 */
export function noisy (name, sd = 0.02) {
  const random = seriesOf('summary', name)
  return (/** @type {string} */ arm) => ({ rps: speed[arm] * Math.exp(sd * normal(random)) })
}
