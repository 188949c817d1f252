/**
 * A server under a quota of CPU time, independent of the one that sizing estimates with: test/unit/quota.test.js
 * holds the two against each other.
 */
import { PERIOD_SECONDS } from '../../bench/studies/sizing/bursts.js'
import { randomFrom } from '../../bench/shared/random.js'

/** Who has waited so long is done with others. */
const A_WHILE = 0.01

/**
 * Requests that come by chance to a core whose quota is given out anew in every period; now and then one of them
 * brings a garbage collection with it.
 * @param {{ cpu: number, rate: number, cost: number, waited?: number, pause?: number, every?: number, seconds: number,
 *   seed: number, length?: number }} server cost: seconds; waited: of that, what one costs that is done at once with
 *   others; pause: seconds, once in so many requests; length: of a period, seconds
 * @returns {{ delays: number[], parts: number[] }} seconds from coming to done, and the cores used, period by period
 */
export function serve ({
  cpu, rate, cost, waited = 1, pause = 0, every = Infinity, seconds, seed, length = PERIOD_SECONDS
}) {
  const random = randomFrom(seed, 'server')
  const quota = cpu * length
  /** @type {number[]} */
  const delays = []
  /** @type {number[]} */
  const parts = new Array(Math.ceil(seconds / length)).fill(0)
  let [now, period, left] = [0, 0, quota]
  const work = (/** @type {number} */ todo) => {
    while (todo > 1e-12) {
      const current = Math.floor(now / length + 1e-9)
      if (current > period) [period, left] = [current, quota]
      const ends = (period + 1) * length
      const done = Math.min(todo, left, ends - now)
      if (period < parts.length) parts[period] += done / length
      todo -= done
      left -= done
      now = left < 1e-12 && todo > 1e-12 ? ends : now + done
    }
  }
  for (let at = -Math.log(1 - random()) / rate; at < seconds; at -= Math.log(1 - random()) / rate) {
    now = Math.max(now, at)
    if (random() < 1 / every) work(pause)
    work(now - at > A_WHILE ? waited * cost : cost)
    delays.push(now - at)
  }
  return { delays, parts }
}

/**
 * Share of the quota that is used when one answer in a hundred is late.
 * @param {Omit<Parameters<typeof serve>[0], 'rate'> & { mean: number, delay: number }} server mean: of what a request
 *   costs, collections and all
 * @returns {number}
 */
export function shareServed ({ mean, delay, ...server }) {
  let [holds, late] = [0.02, 1.2]
  for (let i = 0; i < 8; i++) {
    const share = (holds + late) / 2
    const { delays } = serve({ ...server, rate: share * server.cpu / mean })
    if (delays.filter(waited => waited > delay).length > 0.01 * delays.length) late = share
    else holds = share
  }
  return holds
}
