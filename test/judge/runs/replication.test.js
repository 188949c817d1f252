import t from '../../support/tap.js'
import { heterogeneity } from '../../../bench/judge/runs/replication.js'
import { subtractEstimates, createEstimators, computeInterval } from '../../../bench/judge/runs/run-estimate.js'
import { fromSamples } from '../../../bench/features/selftest/study.js'
import { turnsPerMicro } from '../../../bench/features/selftest/planted.js'
import { makeSample } from '../../support/record.js'

t.test('computes Q of DerSimonian and Laird like a calculation by hand', async t => {
  const { q, df, between } = heterogeneity([
    { centre: 0, variance: 0.01 }, { centre: 0.3, variance: 0.02 }, { centre: 0.1, variance: 0.04 }
  ])
  // Weights 100, 50 and 25; mean 17.5 / 175 = 0.1; Q = 100 · 0.01 + 50 · 0.04 + 0 = 3.
  t.ok(Math.abs(q - 3) < 1e-12)
  t.equal(df, 2)
  // (3 - 2) / (175 - (10,000 + 2,500 + 625) / 175)
  t.ok(Math.abs(between - 1 / 100) < 1e-12)
  t.match(heterogeneity([{ centre: 0, variance: 1 }, { centre: NaN, variance: 1 }]), { q: NaN, df: 0, between: NaN })
})

const rates = (/** @type {number[]} */ ...values) => new Map(values.map((value, block) => [block, value]))
const starts = (/** @type {number} */ each) => new Map(Array.from({ length: 12 }, (_, b) => [b, Math.floor(b / each)]))

t.test('uses the variance between starts of a run, or between blocks with one start', async t => {
  const steps = rates(...[1, 1.02, 0.98, 1.1, 1.12, 1.08, 1.05, 1.03, 1.07, 0.97, 0.99, 0.95].map(x => 1000 * x))
  const flat = rates(...Array(12).fill(1000))
  const byArm = new Map([['a', steps], ['b', flat]])
  const several = createEstimators(byArm, starts(3)).pair('a', 'b')
  t.match(several, { starts: 4, df: 3 })
  t.ok(several.startVariance > 0.002)
  const single = createEstimators(byArm, starts(12)).pair('a', 'b')
  t.match(single, { starts: 1, df: 11, startVariance: NaN })
  t.ok(computeInterval(several, 0.95).low < computeInterval(single, 0.95).low)
  const arm = createEstimators(byArm, starts(3)).arm('a')
  t.ok(Math.abs(arm.centre - several.centre - Math.log(1000)) < 0.01)
  t.match(createEstimators(new Map(), starts(3)).pair('a', 'b'), { starts: 0, df: 0 })
  t.match(computeInterval({ ...single, df: 0 }, 0.95), { low: 0, high: Infinity })
})

t.test('compares two runs by Welch; a run of one start uses the variance of the other run', async t => {
  const run = { centre: 0.1, variance: 4e-4, df: 4, starts: 5, startVariance: 1e-3 }
  const twice = subtractEstimates({ ...run, centre: 0 }, run)
  t.ok(Math.abs(twice.variance - 8e-4) < 1e-15 && Math.abs(twice.centre - 0.1) < 1e-15)
  t.ok(Math.abs(twice.df - 8) < 1e-9)
  const single = { centre: 0, variance: 1e-4, df: 20, starts: 1, startVariance: NaN }
  const mixed = subtractEstimates(single, run)
  t.ok(Math.abs(mixed.variance - (1e-4 + 1e-3 + 4e-4)) < 1e-15)
  t.ok(mixed.df > 4 && mixed.df < 9, `${mixed.df}`)
  t.ok(Math.abs(subtractEstimates(single, single).variance - 2e-4) < 1e-15, 'unknown in both runs')
  t.equal(subtractEstimates({ ...single, df: 0 }, run).df, 0)
})

t.test('computes the CPU time of a planted share from two rates', async t => {
  const cpuSeconds = { load: 0, proxy: 0, server: 0.5, idle: 0 }
  const samples = [0, 1, 2].flatMap(block => [
    makeSample({ arm: 'few', block, rps: 8000, requests: 4000, cpuSeconds }),
    makeSample({ arm: 'much', block, rps: 4000, requests: 2000 })
  ])
  t.match(fromSamples(samples), { microsPerShare: 150, microsPerRequest: 125 })
  t.throws(() => fromSamples(samples.map(sample => ({ ...sample, rps: 8000 }))), { code: 'not-saturated' })
  t.throws(() => fromSamples([]), { code: 'not-saturated' })
  t.ok(turnsPerMicro() > 1)
})
