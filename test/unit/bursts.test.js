import t from 'tap'
import { burstSeconds, PERIOD_SECONDS, underLoad, usableShare } from '../../bench/studies/sizing/bursts.js'
import { randomFrom } from '../../bench/plan/random.js'

/**
 * Requests that come by chance to a core whose quota is given out anew in every period; now and then one of them
 * brings a garbage
 * collection with it.
 * @param {{ cpu: number, rate: number, cost: number, waited?: number, pause?: number, every?: number, seconds:
 *   number, seed: number }} server cost: seconds; waited:
 *   of that, what one costs that is done at once with others; pause: seconds, once in so many requests
 * @returns {{ delays: number[], parts: number[] }} seconds from coming to done, and the cores used, period by period
 */
function serve ({ cpu, rate, cost, waited = 1, pause = 0, every = Infinity, seconds, seed }) {
  const random = randomFrom(seed, 'server')
  const quota = cpu * PERIOD_SECONDS
  /** @type {number[]} */
  const delays = []
  /** @type {number[]} */
  const parts = new Array(Math.ceil(seconds / PERIOD_SECONDS)).fill(0)
  let [now, period, left] = [0, 0, quota]
  const work = (/** @type {number} */ todo) => {
    while (todo > 1e-12) {
      const current = Math.floor(now / PERIOD_SECONDS + 1e-9)
      if (current > period) [period, left] = [current, quota]
      const ends = (period + 1) * PERIOD_SECONDS
      const done = Math.min(todo, left, ends - now)
      if (period < parts.length) parts[period] += done / PERIOD_SECONDS
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

const DELAY = 0.05
/** Who has waited so long is done with others. */
const A_WHILE = 0.01
/** What a request costs on average, garbage collections and all. */
const COST = 0.0006
/** @param {{ pause: number, every: number }} collections @returns {Parameters<typeof serve>[0]} */
const loaded = ({ pause, every }) => ({
  cpu: 1,
  rate: 400,
  cost: COST - pause / every,
  pause,
  every,
  seconds: 3000,
  seed: 1
})

/**
 * @param {Parameters<typeof serve>[0]} server
 * @returns {number} share of the quota that is used when one answer in a hundred is late
 */
function shareServed (server) {
  let [holds, late] = [0.3, 1]
  for (let i = 0; i < 7; i++) {
    const share = (holds + late) / 2
    const { delays } = serve({ ...server, rate: share * server.cpu / COST })
    if (delays.filter(delay => delay > DELAY).length > 0.01 * delays.length) late = share
    else holds = share
  }
  return holds
}

/** @param {Parameters<typeof serve>[0]} server */
const burstOf = server => Number(burstSeconds([serve(server).parts], 1))

t.test('of a small quota the share that queueing theory says is what a simulated server gets through', async t => {
  for (const collections of [{ pause: 0, every: Infinity }, { pause: 0.01, every: 300 }, {
    pause: 0.015,
    every: 800
  }]) {
    const server = loaded(collections)
    const [reckoned, served] = [usableShare({ cpu: 0.25, cores: 1, burst: burstOf(server), delay: DELAY }),
      shareServed({ ...server, cpu: 0.25, seconds: 600 })]
    t.ok(Math.abs(reckoned / served - 1) < 0.06,
      `${collections.pause * 1000} ms: reckoned ${reckoned.toFixed(3)}, served ${served.toFixed(3)}`)
  }
})

t.test('garbage collections as they are, and requests that cost less after a pause: a small quota cannot be used ' +
  'up, half a core can', async t => {
  for (const collections of [{ pause: 0.02, every: 500 }, { pause: 0.025, every: 800 }]) {
    const server = loaded(collections)
    const burst = burstOf(server)
    for (const [cpu, tolerance] of [[0.25, 0.13], [0.35, 0.13], [0.5, 0.05], [0.75, 0.05]]) {
      const [reckoned, served] = [usableShare({ cpu, cores: 1, burst, delay: DELAY }),
        shareServed({ ...server, cpu, waited: 0.7, seconds: 600 })]
      t.ok(Math.abs(reckoned / served - 1) < tolerance,
        `${collections.pause * 1000} ms, ${cpu}: reckoned ${reckoned.toFixed(3)}, served ${served.toFixed(3)}`)
    }
  }
})

t.test('the index of dispersion of requests that come by chance is what one of them costs, at every rate', async t => {
  for (const rate of [100, 400, 900]) {
    const burst = Number(burstSeconds([serve({ cpu: 1, rate, cost: COST, seconds: 2000, seed: rate }).parts], 1))
    t.ok(Math.abs(burst / COST - 1) < 0.1, `${rate} a second: ${(burst * 1000).toFixed(3)} ms`)
  }
})

t.test('each window has a mean of its own; one on busy cores does not count, unless there is no other', async t => {
  const [light, heavier, busy] = [[0.1, 0.2, 0.1, 0.2], [0.4, 0.5, 0.4, 0.5], [0.9, 1, 0.9, 1]]
  t.ok(Math.abs(Number(burstSeconds([light], 1)) - 0.01 / 3 / 0.15 * PERIOD_SECONDS) < 1e-12)
  t.ok(Math.abs(Number(burstSeconds([light, heavier], 1)) - (0.01 + 0.01) / 3 / (0.15 + 0.45) * PERIOD_SECONDS) < 1e-12)
  t.equal(burstSeconds([light, busy], 1), burstSeconds([light], 1))
  t.not(burstSeconds([light, busy], 2), burstSeconds([light], 2), 'of two cores it keeps one busy')
  t.ok(Number(burstSeconds([busy], 1)) > 0)
})

t.test('of nothing nothing is told', async t => {
  for (const windows of [[], [[]], [[0.5]], [[0, 0, 0]]]) t.equal(burstSeconds(windows, 1), null)
  t.same(underLoad([]), [])
})

t.test('before and after its load the served side rests', async t => {
  t.same(underLoad([0, 0.01, 0.3, 0.05, 0.4, 0.3, 0.3, 0.4, 0.02, 0]), [0.3, 0.05, 0.4, 0.3, 0.3, 0.4],
    'a pause within it is not its end')
  t.same(underLoad([0.3, 0.3]), [0.3, 0.3])
})

t.test('a goal that leaves no time to wait leaves nothing to use; without bursts all of it', async t => {
  t.equal(usableShare({ cpu: 0.5, cores: 1, burst: 0.001, delay: 0 }), 0)
  t.equal(usableShare({ cpu: 0.25, cores: 1, burst: 0, delay: 0.05 }), 1)
  t.ok(
    usableShare({ cpu: 0.1, cores: 1, burst: 0.001, delay: 0.05 }) <
      usableShare({ cpu: 0.25, cores: 1, burst: 0.001, delay: 0.05 }),
    'a small quota is gone sooner'
  )
  t.equal(usableShare({ cpu: 0.25, cores: 1, burst: 0.001, delay: 0.08 }), 1, 'no pause is as long as that')
  t.ok(usableShare({ cpu: 0.5, cores: 2, burst: 0.001, delay: 0.06 }) < 1,
    'two cores use up half a core in a quarter of a period')
})
