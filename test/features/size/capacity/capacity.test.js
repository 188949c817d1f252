import t from '../../../support/tap.js'
import { isDisputed, judgeTrial, searchCapacity } from '../../../../bench/features/size/capacity/capacity.js'
import { randomFrom } from '../../../../bench/shared/random.js'
import { makeSample } from '../../../support/record.js'

/**
 * Simulates a topology that meets the goal up to a rate, with noise.
 * @param {number} limit in requests per second
 * @param {{ noise?: number, seed?: number, generator?: number }} [options] noise: share of the limit; generator:
 *   highest rate that the generator can send
 */
function topology (limit, { noise = 0, seed = 1, generator = Infinity } = {}) {
  const random = randomFrom(seed, 'noise')
  /** @type {number[]} */
  const rates = []
  return {
    rates,
    /** @param {number} rate */
    trial: async rate => {
      rates.push(rate)
      const holds = rate <= Math.min(generator, limit * (1 + noise * (2 * random() - 1)))
      return {
        rate,
        holds,
        why: holds ? null : /** @type {const} */ ({ code: 'too-slow', params: { p99Ms: 90 } }),
        isGeneratorLimited: !holds && rate > generator && rate <= limit,
        sample: makeSample({ rps: rate })
      }
    }
  }
}

t.test('finds the capacity within 4 % from any estimated peak', async t => {
  for (const peak of [200, 900, 1000, 1300, 5000]) {
    const { trial, rates } = topology(1000)
    const { rate, low, high, searches, atLeast } = await searchCapacity({ trial, peak })
    t.ok(Math.abs(rate / 1000 - 1) < 0.04, `from ${peak}: ${Math.round(rate)}`)
    t.ok(low <= rate && rate <= high)
    t.equal(searches.length, 6)
    t.equal(atLeast, false)
    t.ok(rates.length <= 45, `in ${rates.length} trials`)
  }
})

t.test('stays within 5 % of the capacity when every trial is noisy', async t => {
  const found = []
  for (let seed = 1; seed <= 40; seed++) {
    const { trial } = topology(1000, { noise: 0.08, seed })
    found.push((await searchCapacity({ trial, peak: 1200 })).rate)
  }
  t.ok(found.filter(rate => Math.abs(rate / 1000 - 1) < 0.05).length >= 38, 'in at least 38 of 40 searches')
})

t.test('reports a lower bound when the generator is the bottleneck', async t => {
  const { trial } = topology(1000, { generator: 600 })
  const { rate, atLeast } = await searchCapacity({ trial, peak: 1000 })
  t.equal(atLeast, true)
  t.ok(rate <= 625 && rate >= 560)
})

t.test('returns a capacity of 0 after few trials when no rate meets the goal', async t => {
  const { trial, rates } = topology(0)
  t.match(await searchCapacity({ trial, peak: 1000 }), { rate: 0, searches: [0] })
  t.ok(rates.length <= 14)
})

t.test('ends the search when every rate meets the goal', async t => {
  const { trial, rates } = topology(Infinity)
  const { rate } = await searchCapacity({ trial, peak: 100, quick: true })
  t.ok(rate > 1000)
  t.ok(rates.length <= 3 * 14)
})

t.test('begins no further search when the time is over', async t => {
  const { trial } = topology(1000)
  t.equal((await searchCapacity({ trial, peak: 1000, isEnough: () => true })).searches.length, 1)
})

t.test('two searches that differ are disputed until there is a third', async t => {
  t.same([[1000], [1000, 1100], [1000, 2000], [1000, 2000, 1900]].map(isDisputed), [false, false, true, false])
})

const latencyMs = { p50: 5, p90: 10, p95: 20, p99: 40, max: 90, rate: 100, source: 'paced, open loop' }

t.test('judges a trial by its p99 and its failures, and blames the generator only if p99 minus lag holds', async t => {
  const wrongSocket = /** @type {const} */ ({ code: 'wrong-socket', params: { socketType: 'tcp', transport: 'uds' } })
  const errors = { non2xx: 1, timeouts: 0, resets: 0, mismatches: 0 }
  const late = (/** @type {number} */ p99) => ({
    lagMs: { p50: 1, p99: 30, max: 40 },
    invalid: /** @type {const} */ ({ code: 'behind-schedule', params: { p99Ms: 9, limitMs: 5 } }),
    latencyMs: { ...latencyMs, p99 }
  })
  /** @type {[sample: Parameters<typeof makeSample>[0], expected: object, p99Ms?: number][]} */
  const cases = [
    [{ latencyMs }, { holds: true, why: null, isGeneratorLimited: false }],
    [{ latencyMs }, { holds: false, why: { code: 'too-slow', params: { p99Ms: 40 } } }, 39],
    [{ latencyMs, requests: 999, errors },
      { holds: false, why: { code: 'requests-failed', params: { failed: 1, requests: 1000 } } }],
    [{ latencyMs: null }, { holds: false }],
    [{ latencyMs, invalid: wrongSocket },
      { holds: false, why: { code: 'trial-invalid', params: { reason: wrongSocket } }, isGeneratorLimited: false }],
    [late(70), { holds: false, isGeneratorLimited: true }],
    [late(90), { holds: false, isGeneratorLimited: false }],
    [late(49), { holds: true, why: null, isGeneratorLimited: false }]
  ]
  for (const [sample, expected, p99Ms = 50] of cases) {
    t.match(judgeTrial(makeSample(sample), { rate: 100, p99Ms }), expected)
  }
})
