import t from '../../../support/tap.js'
import { measureCurve } from '../../../../bench/features/size/capacity/curve.js'
import { makeSample } from '../../../support/record.js'

const SHARES = [0.25, 0.5, 0.9]
/** @param {number | null} p99 */
const sampleWith = p99 => makeSample({
  latencyMs: p99 === null
    ? null
    : { p50: 1, p90: 2, p95: 3, p99, max: 2 * p99, rate: 100, source: 'paced, open loop' }
})

/**
 * Measures a curve with scripted trials.
 * @param {Record<number, (number | null)[]>} p99s successive results of the trials at each share, in ms
 */
async function curveOf (p99s) {
  /** @type {number[]} */
  const trials = []
  const { points } = await measureCurve({
    shares: SHARES,
    capacity: 1000,
    trial: async (_, share) => {
      trials.push(share)
      const left = p99s[share]
      return sampleWith(/** @type {number | null} */ (left.length > 1 ? left.shift() : left[0]))
    },
    interrupted: () => false
  })
  return { points, trials }
}

t.test('measures each share once when latency rises with load', async t => {
  const { points, trials } = await curveOf({ 0.25: [5], 0.5: [9], 0.9: [40] })
  t.same(trials, SHARES)
  t.same(points.map(({ latencyMs, rate, disturbed, trials }) => [latencyMs?.p99, rate, disturbed, trials]),
    [[5, 250, false, 1], [9, 500, false, 1], [40, 900, false, 1]])
})

t.test('repeats a share whose latency exceeds that of a higher share', async t => {
  const { points, trials } = await curveOf({ 0.25: [5], 0.5: [394, 9], 0.9: [52] })
  t.same(trials, [...SHARES, 0.5])
  t.match(points[1], { latencyMs: { p99: 9 }, p99Range: { low: 9, high: 394 }, trials: 2, disturbed: false })
})

t.test('marks a share that stays slower as disturbed after a limited number of trials', async t => {
  const { points, trials } = await curveOf({ 0.25: [90], 0.5: [9], 0.9: [40] })
  t.ok(trials.length <= SHARES.length + 4)
  t.same(points.map(({ disturbed }) => disturbed), [true, false, false])
})

t.test('repeats a share without a response', async t => {
  const { points } = await curveOf({ 0.25: [null, 5], 0.5: [9], 0.9: [40] })
  t.match(points[0], { latencyMs: { p99: 5 }, disturbed: false })
})

t.test('repeats a share with a late generator, and does not report it as disturbed', async t => {
  const late = /** @type {const} */ ({ code: 'behind-schedule', params: { p99Ms: 40, limitMs: 10 } })
  const after = async (/** @type {number} */ tries) => {
    let n = 0
    const { points } = await measureCurve({
      shares: SHARES,
      capacity: 1000,
      trial: async (_, share) => {
        const isLate = share === 0.9 && n++ < tries
        return { ...sampleWith(isLate ? 500 : 40 * share), invalid: isLate ? late : null }
      },
      interrupted: () => false
    })
    return points[2]
  }
  t.match(await after(1), { invalid: null, trials: 2, latencyMs: { p99: 36 }, p99Range: { low: 36, high: 36 } })
  t.match(await after(9), { invalid: { code: 'behind-schedule' }, trials: 5, disturbed: false, p99Range: null })
})

t.test('accepts small variations of latency', async t => {
  const { trials } = await curveOf({ 0.25: [6], 0.5: [5], 0.9: [40] })
  t.same(trials, SHARES)
})

t.test('leaves out response times of a share in whose trials the generator was late by a tenth', async t => {
  const lagOf = async (/** @type {number[]} */ ...lags) => {
    let n = 0
    const { points, samples } = await measureCurve({
      shares: [0.5],
      capacity: 1000,
      trial: async () => {
        const lagMs = { p50: 0, p99: lags[Math.min(n++, lags.length - 1)], max: 9 }
        return { ...sampleWith(5), lagMs }
      },
      interrupted: () => false
    })
    t.same(samples[0].sample.latencyMs, points[0].latencyMs, 'the sample of a report has what the point has')
    return points[0]
  }
  t.match(await lagOf(0.6), { latencyMs: null, lagging: true, disturbed: false, trials: 5, invalid: null })
  const repeated = await lagOf(0.6, 0.4)
  t.match(repeated, { latencyMs: { p99: 5 }, trials: 2 })
  t.notOk(repeated.lagging)
})
