/**
 * Simulates a server under a quota of CPU time. The model is independent of the one in sizing, and
 * test/features/size/capacity/quota.test.js compares the two.
 */
import { PERIOD_SECONDS } from '../../bench/features/size/capacity/bursts.js'
import { randomFrom } from '../../bench/shared/random.js'

/** Waiting time after which a request is processed in a batch, in seconds. */
const A_WHILE = 0.01

/**
 * Simulates requests with random arrivals on a core whose quota is renewed in every period. Some requests trigger a
 * garbage collection.
 * @param {{ cpu: number, rate: number, cost: number, waited?: number, pause?: number, every?: number, seconds: number,
 *   seed: number, length?: number }} server cost: CPU seconds of a request; waited: share of that cost for a request in
 *   a batch; pause: seconds of a garbage collection; every: requests for each collection; length: of a period, seconds
 * @returns {{ delays: number[], parts: number[] }} seconds from arrival to completion; cores used in each period
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
 * Finds the used share of the quota at which one response in a hundred is late.
 * @param {Omit<Parameters<typeof serve>[0], 'rate'> & { mean: number, delay: number }} server mean: mean cost of a
 *   request, including collections; delay: seconds above which a response is late
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
