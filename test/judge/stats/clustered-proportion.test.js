import t from '../../support/tap.js'
import { clusteredInterval } from '../../../bench/judge/stats/clustered-proportion.js'
import { betaQuantile } from '../../../bench/judge/stats/student.js'
import { sum } from '../../../bench/shared/group-by.js'
import { randomFrom } from '../../../bench/shared/random.js'

/** @type {(a: number, b: number) => boolean} */
const close = (a, b) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b))

t.test('quantiles of beta distributions equal their closed forms', async t => {
  for (const p of [0.025, 0.5, 0.975]) {
    t.ok(close(betaQuantile(p, 1, 20_000), 1 - (1 - p) ** (1 / 20_000)))
    t.ok(close(betaQuantile(p, 7, 1), p ** (1 / 7)))
  }
})

t.test('without a hit, the bound is that of Clopper and Pearson over all trials', async t => {
  const { share, low, high, isClustered } = clusteredInterval(Array(5).fill({ hits: 0, trials: 4000 }), 0.95)
  t.strictSame({ share, low, isClustered }, { share: 0, low: 0, isClustered: false })
  t.ok(close(high, 1 - 0.025 ** (1 / 20_000)))
})

t.test('a single cluster has the interval of Clopper and Pearson', async t => {
  // R: binom.test(10, 100)$conf.int
  const { low, high } = clusteredInterval([{ hits: 10, trials: 100 }], 0.95)
  t.ok(Math.abs(low - 0.04900469) < 1e-7)
  t.ok(Math.abs(high - 0.1762226) < 1e-7)
})

t.test('hits that come together have a wider interval than the same hits in all clusters', async t => {
  const toWidth = (/** @type {number[]} */ hits) => {
    const { low, high } = clusteredInterval(hits.map(hits => ({ hits, trials: 4000 })), 0.95)
    return high - low
  }
  t.ok(toWidth([50, 0, 0, 0, 0]) > 3 * toWidth([10, 10, 10, 10, 10]))
  const { low, high } = clusteredInterval([{ hits: 50, trials: 20_000 }], 0.95)
  t.ok(close(toWidth([10, 10, 10, 10, 10]), high - low), 'equal clusters are as good as independent trials')
})

t.test('no trial leaves everything possible', async t => {
  t.strictSame(clusteredInterval([], 0.95), { share: NaN, low: 0, high: 1, isClustered: false })
})

t.test('covers a share that differs between clusters, unlike an interval over trials', async t => {
  const random = randomFrom(7, 'clusters')
  const SHARE = 0.01
  const covered = { clusters: 0, trials: 0 }
  for (let i = 0; i < 400; i++) {
    const clusters = Array.from({ length: 8 }, () => {
      // A quarter of the clusters has all hits.
      const rate = random() < 0.25 ? 4 * SHARE : 0
      return { hits: Array.from({ length: 500 }, random).filter(value => value < rate).length, trials: 500 }
    })
    const holds = (/** @type {{ hits: number, trials: number }[]} */ all) => {
      const { low, high } = clusteredInterval(all, 0.95)
      return low <= SHARE && SHARE <= high
    }
    if (holds(clusters)) covered.clusters++
    if (holds([{ hits: sum(clusters.map(({ hits }) => hits)), trials: 4000 }])) covered.trials++
  }
  // In a tenth of the cases no cluster has hits, and nothing shows the variation.
  t.ok(covered.clusters >= 0.85 * 400, `${covered.clusters} of 400`)
  t.ok(covered.trials < 0.7 * 400, `${covered.trials} of 400`)
})
