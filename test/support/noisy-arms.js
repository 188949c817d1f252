/** Throughputs of three arms, one of them a tenth faster, with little noise. */
import { summarize } from '../../bench/judge/summary.js'
import { cores, samplesFor } from './samples.js'
import { normal, seriesOf } from './simulate.js'

/** @import { Plan } from '../../bench/types.js' */

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

/**
 * Summarizes a run of a plan.
 * @param {Plan} plan
 * @param {number} blocks
 * @param {Parameters<typeof samplesFor>[2]} of
 * @param {Partial<Parameters<typeof summarize>[0]>} [more]
 */
export const summaryOf = (plan, blocks, of, more) =>
  summarize({ plan, samples: samplesFor(plan, blocks, of), cores, ...more })
