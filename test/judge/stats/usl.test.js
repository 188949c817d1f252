import t from '../../support/tap.js'
import { PUBLISHED } from '../../../bench/features/size/capacity/scaling.js'
import { fitUsl, predictUsl } from '../../../bench/judge/stats/usl.js'

const upTo8 = (/** @type {Record<number, number>} */ table) => [1, 2, 4, 8].map(n => ({ n, x: table[n] }))

for (const [size, table] of Object.entries(PUBLISHED)) {
  t.test(`predicts the published figure of 16 CPUs within 10 % from 1 to 8 CPUs: ${size}`, async t => {
    const found = predictUsl(upTo8(table), 16)
    if ('refused' in found) return t.fail(found.refused)
    t.ok(Math.abs(found.x / table[16] - 1) < 0.1, `${Math.round(found.x)} and ${table[16]}`)
    t.ok(found.low < table[16] && table[16] < found.high, 'the published figure lies in the interval')
  })
}

t.test('recovers the parameters of exact data', async t => {
  for (const usl of [{ lambda: 1000, sigma: 0.05, kappa: 0.001 }, { lambda: 3, sigma: 0, kappa: 0.02 }, {
    lambda: 7e5,
    sigma: 0.3,
    kappa: 0
  }]) {
    const { lambda, sigma, kappa } = usl
    const found = fitUsl([1, 2, 3, 5, 8, 13].map(n =>
      ({ n, x: lambda * n / (1 + sigma * (n - 1) + kappa * n * (n - 1)) })))
    for (const name of /** @type {const} */ (['lambda', 'sigma', 'kappa'])) {
      t.ok(Math.abs(found[name] - usl[name]) < 1e-6 * Math.max(1, usl[name]), name)
    }
  }
})

t.test('limits superlinear growth to linear', async t => {
  const { sigma, kappa } = fitUsl([1, 2, 4, 8].map(n => ({ n, x: 100 * n ** 1.1 })))
  t.same({ sigma, kappa }, { sigma: 0, kappa: 0 })
})

t.test('the interval is wider for larger numbers and for noisier points', async t => {
  const noisy = [1, 2, 3, 4, 6, 8].map((n, i) => ({
    n,
    x: 100 * n / (1 + 0.05 * (n - 1)) * (1 + (i % 2 ? 0.03 : -0.03))
  })
  )
  const width = (/** @type {ReturnType<typeof predictUsl>} */ found) =>
    'refused' in found ? NaN : found.high / found.low
  t.ok(width(predictUsl(noisy, 16)) > width(predictUsl(noisy, 8)))
  t.ok(width(predictUsl(noisy.map(({ n }) => ({ n, x: 100 * n / (1 + 0.05 * (n - 1)) })), 8)) < 1.001,
    'exact points have a narrow interval')
})

t.test('predicts up to twice the largest measured number', async t => {
  const points = upTo8(PUBLISHED['1 KB'])
  t.notOk('refused' in predictUsl(points, 16))
  t.match(predictUsl(points, 17), { refused: /17 is more than 2 times the largest number measured, 8/ })
})

t.test('rejects too few and impossible points', async t => {
  t.throws(() => fitUsl([1, 2, 4].map(n => ({ n, x: n }))), RangeError)
  t.throws(() => fitUsl([1, 1, 2, 4].map(n => ({ n, x: n }))), RangeError, 'a repeated number counts once')
  t.throws(() => fitUsl([0, 1, 2, 4].map(n => ({ n, x: 1 }))), RangeError)
  t.throws(() => fitUsl([1, 2, 4, 8].map(n => ({ n, x: 0 }))), RangeError)
})
