import t from 'tap'
import { searchCapacity } from '../../bench/studies/sizing/capacity.js'
import { outcomeOf } from '../../bench/studies/sizing/size-topology.js'
import { randomFrom } from '../../bench/plan/random.js'
import { makeSample } from '../support/record.js'

/**
 * A topology that holds the goal up to a rate, give or take its noise.
 * @param {number} limit
 * @param {{ noise?: number, seed?: number, generator?: number }} [options] noise: as a share; generator: what it can
 *   send
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
        why: holds ? null : 'late',
        generator: !holds && rate > generator && rate <= limit,
        sample: makeSample({ rps: rate })
      }
    }
  }
}

t.test('a capacity is found within 4 %, wherever the pilot thought it was', async t => {
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

t.test('with noise in every trial the median stays within 5 %', async t => {
  const found = []
  for (let seed = 1; seed <= 40; seed++) {
    const { trial } = topology(1000, { noise: 0.08, seed })
    found.push((await searchCapacity({ trial, peak: 1200 })).rate)
  }
  t.ok(found.filter(rate => Math.abs(rate / 1000 - 1) < 0.05).length >= 38, 'in 38 of 40 at least')
})

t.test('what the generator could not send is no capacity', async t => {
  const { trial } = topology(1000, { generator: 600 })
  const { rate, atLeast } = await searchCapacity({ trial, peak: 1000 })
  t.equal(atLeast, true)
  t.ok(rate <= 625 && rate >= 560)
})

t.test('a goal that nothing meets has a capacity of none, after few trials', async t => {
  const { trial, rates } = topology(0)
  t.match(await searchCapacity({ trial, peak: 1000 }), { rate: 0, searches: [0] })
  t.ok(rates.length <= 14)
})

t.test('a topology that holds whatever comes does not search for ever', async t => {
  const { trial, rates } = topology(Infinity)
  const { rate } = await searchCapacity({ trial, peak: 100, quick: true })
  t.ok(rate > 1000)
  t.ok(rates.length <= 3 * 14)
})

t.test('no further search is begun when time is over', async t => {
  const { trial } = topology(1000)
  t.equal((await searchCapacity({ trial, peak: 1000, enough: () => true })).searches.length, 1)
})

const latencyMs = { p50: 5, p90: 10, p95: 20, p99: 40, max: 90, rate: 100, source: 'paced, open loop' }
const goal = { rate: 100, p99Ms: 50 }

t.test('the goal holds where one in a hundred is in time, and nothing fails', async t => {
  t.match(outcomeOf(makeSample({ latencyMs }), goal), { holds: true, why: null, generator: false })
  t.match(outcomeOf(makeSample({ latencyMs }), { ...goal, p99Ms: 39 }), {
    holds: false,
    why: /one in a hundred took 40\.0 ms/
  })
  t.match(
    outcomeOf(makeSample({ latencyMs, requests: 999, errors: { non2xx: 1, timeouts: 0, resets: 0, mismatches: 0 } }),
      goal),
    { holds: false, why: /1 of 1000 requests failed/ }
  )
  t.match(outcomeOf(makeSample({ latencyMs: null }), goal), { holds: false })
  t.match(outcomeOf(makeSample({ latencyMs, invalid: { code: 'wrong-socket', text: 'not the right one' } }), goal), {
    holds: false,
    why: 'not the right one',
    generator: false
  })
})

t.test('a generator that was late is not taken for a server that was', async t => {
  const late = { lagMs: { p50: 1, p99: 30, max: 40 }, invalid: { code: 'behind-schedule', text: 'late' } }
  t.match(outcomeOf(makeSample({ ...late, latencyMs: { ...latencyMs, p99: 70 } }), goal), {
    holds: false,
    generator: true
  })
  t.match(outcomeOf(makeSample({ ...late, latencyMs: { ...latencyMs, p99: 90 } }), goal), {
    holds: false,
    generator: false
  })
  t.match(outcomeOf(makeSample({ ...late, latencyMs: { ...latencyMs, p99: 49 } }), goal), {
    holds: true,
    why: null,
    generator: false
  }, 'in time all the same')
})
