import t from '../support/tap.js'
import { toService } from '../../bench/judge/fleet/tails.js'
import { simulateFleet } from '../../bench/judge/fleet/simulate.js'

/** @import { Random } from '../../bench/shared/random.js' */
/** @import { Fleet, Policy } from '../../bench/judge/fleet/simulate.js' */

const MEAN = 0.001
/** @param {Random} random */
const exponential = random => -MEAN * Math.log(1 - random())

/**
 * Computes the probability that a request waits in M/M/n (Erlang C), from the recursion of Erlang B.
 * @param {number} n
 * @param {number} load in erlangs
 */
function erlangC (n, load) {
  let blocked = 1
  for (let k = 1; k <= n; k++) blocked = load * blocked / (k + load * blocked)
  return n * blocked / (n - load * (1 - blocked))
}

/**
 * @param {number} actual
 * @param {number} expected
 * @param {number} tolerance as a share of the expected value
 */
const isNear = (actual, expected, tolerance) => Math.abs(actual / expected - 1) < tolerance

t.test('a shared queue waits as in M/M/n by Erlang C', async t => {
  for (const [n, use] of [[1, 0.7], [2, 0.7], [4, 0.8], [16, 0.9]]) {
    const load = n * use
    const found = simulateFleet({
      instances: n, rate: load / MEAN, policy: 'shared-queue', service: exponential, requests: 600_000
    })
    const waits = erlangC(n, load)
    t.ok(isNear(found.waited, waits, 0.05), `${n} instances: ${found.waited} of ${waits} wait`)
    const meanWait = waits * MEAN / (n - load)
    t.ok(isNear(found.meanWait, meanWait, 0.1), `${n} instances: ${found.meanWait} of ${meanWait} s`)
  }
})

t.test('one instance waits as in M/G/1 by Pollaczek and Khinchine', async t => {
  const pause = 0.01
  const dispersion = 0.003
  // E[S²] is the variance P²q(1 − q) plus the square of the mean; q = c(I − c)/P².
  const q = MEAN * (dispersion - MEAN) / pause ** 2
  const secondMoment = pause ** 2 * q * (1 - q) + MEAN ** 2
  for (const use of [0.3, 0.6, 0.8]) {
    const rate = use / MEAN
    const service = toService({ mean: MEAN, dispersion, pause })
    const found = simulateFleet({ instances: 1, rate, policy: 'round-robin', service, requests: 600_000 })
    const expected = rate * secondMoment / (2 * (1 - use))
    t.ok(isNear(found.meanWait, expected, 0.1), `use ${use}: ${found.meanWait} of ${expected} s`)
  }
})

t.test('a burst that was not measured lasts 20 ms, and takes at most 70 % of the CPU time', async t => {
  const draw = (/** @type {object} */ measured) => {
    const service = toService({ mean: MEAN, ...measured })
    return [0, 1 - 1e-9].map(value => service(() => value).toFixed(6))
  }
  const q = MEAN * (0.003 - MEAN) / 0.02 ** 2
  t.strictSame(draw({ dispersion: 0.003 }), [MEAN - q * 0.02 + 0.02, MEAN - q * 0.02].map(value => value.toFixed(6)))
  t.strictSame(draw({ dispersion: 1, pause: 0.01 }), [0.3 * MEAN + 0.01, 0.3 * MEAN].map(value => value.toFixed(6)))
  t.strictSame(draw({}), [MEAN.toFixed(6), MEAN.toFixed(6)], 'no burst without a dispersion')
})

t.test('random choice of an instance is M/M/1 for each, with exponential response times', async t => {
  const found = simulateFleet({
    instances: 4, rate: 4 * 0.7 / MEAN, policy: 'random', service: exponential, requests: 600_000
  })
  const mean = MEAN / 0.3
  t.ok(isNear(found.mean, mean, 0.08), `mean ${found.mean} of ${mean}`)
  t.ok(isNear(found.p50, mean * Math.LN2, 0.08), `p50 ${found.p50}`)
  t.ok(isNear(found.p99, mean * Math.log(100), 0.1), `p99 ${found.p99}`)
})

t.test('the same seed gives the same result, another seed another', async t => {
  /** @type {Fleet} */
  const fleet = { instances: 3, rate: 2000, policy: 'random', service: exponential, requests: 5000 }
  t.same(simulateFleet(fleet), simulateFleet(fleet))
  t.not(simulateFleet(fleet).p99, simulateFleet({ ...fleet, seed: 2 }).p99)
})

t.test('least connections has the shortest tail, and avoids a slow instance', async t => {
  const p99 = (/** @type {Policy} */ policy, slow = false) => simulateFleet({
    instances: 4,
    rate: 2400,
    policy,
    service: exponential,
    ...slow ? { slow: { instance: 0, factor: 1.5 } } : {}
  }).p99
  t.ok(p99('least-connections') < p99('round-robin'))
  t.ok(p99('round-robin') < p99('random'))
  t.ok(p99('round-robin', true) > 2 * p99('least-connections', true))
})

t.test('requests in flight of a lost instance fail, and the others serve the rest', async t => {
  /** @type {Fleet} */
  const fleet = { instances: 3, rate: 1800, policy: 'least-connections', service: exponential, requests: 50_000 }
  const all = simulateFleet(fleet)
  const without = simulateFleet({ ...fleet, lost: { instance: 1, at: 0.1 } })
  t.equal(all.failed, 0)
  t.ok(without.failed >= 0 && without.failed < 50 / 50_000, `${without.failed}`)
  t.ok(without.p99 > all.p99)
})
