import t from '../../../support/tap.js'
import {
  estimateInstance, estimateRange, factorBetweenSizings, MODEL, toMeasured
} from '../../../../bench/features/size/prices/instance.js'
import { makeOffering } from '../../../support/offerings.js'
import { sizing } from '../../../support/sizing.js'

const BETWEEN_SIZINGS = factorBetweenSizings(null)
const [topology] = sizing.topologies
const curve = [0.25, 0.5, 0.9].map(share => ({
  share,
  rate: 3000 * share,
  latencyMs: { p50: 1, p90: 111, p95: 120, p99: 130, max: 140, rate: 3000 * share, source: 'paced' },
  cores: 0.9 * share,
  micros: { load: 0, proxy: 50, server: 250 },
  invalid: null
}))
const measured = toMeasured({ ...topology, curve }, 50, 0)

t.test('a response near the capacity takes no longer than the goal, which holds there', async t => {
  t.equal(measured.busySeconds, 0.05, 'a p90 of 111 ms is of a disturbed window')
})

t.test('the range under a quota contains the error on both sides of the estimate', async t => {
  const offering = makeOffering({ vcpu: 0.25, memoryMiB: 512 })
  // The spread of bursts ends where the estimate is, as with a high confidence.
  const burst = Number(measured.burst)
  const range = { low: 3000, high: 3000, burst: { low: burst, high: burst }, pause: { low: 0.02, high: 0.02 } }
  const own = estimateRange(offering, { ...measured, pause: 0.02, range }) ?? { low: NaN, high: NaN }
  const factor = BETWEEN_SIZINGS * MODEL.usual
  t.ok(own.high / own.low >= factor ** 2 * 0.999, `${own.low} to ${own.high}`)
  const whole = estimateRange(makeOffering({ vcpu: 1, memoryMiB: 512 }), { ...measured, range })
  t.match(whole, { low: 3000 / BETWEEN_SIZINGS, high: 3000 * BETWEEN_SIZINGS }, 'without a quota the search decides')
})

t.test('without a spread of bursts over the windows the range contains the bursts in the middle', async t => {
  const offering = makeOffering({ vcpu: 0.125, memoryMiB: 512 })
  const burst = Number(measured.burst)
  const topology = { ...measured, pause: 0.02 }
  const range = { low: 2900, high: 3100, burst: { low: burst, high: burst }, pause: { low: 0.02, high: 0.02 } }
  const found = estimateRange(offering, topology)
  t.same(found, estimateRange(offering, { ...topology, range }))
  const { rate } = estimateInstance(offering, { cores: 0.125, workers: 1 }, topology)
  t.equal(found?.low, rate / (BETWEEN_SIZINGS * MODEL.usual))
  const larger = makeOffering({ vcpu: 0.126, memoryMiB: 512 })
  const raw = estimateInstance(larger, { cores: 0.125, workers: 1 }, topology).rate
  t.equal(rate, raw / (MODEL.worst / 1.25), 'each fitted cell is estimated at most 1.25 times too high')
  t.ok(Number(found?.high) >= raw * MODEL.worst, 'and the error is the largest one on the other side, too')
})

t.test('the range contains the CPU time that other programs used at the start', async t => {
  t.equal(BETWEEN_SIZINGS, 1.24)
  t.equal(factorBetweenSizings(0.05), BETWEEN_SIZINGS, 'an idle machine has some, too')
  t.equal(factorBetweenSizings(0.25), BETWEEN_SIZINGS / 0.75)
  t.equal(factorBetweenSizings(0.9), BETWEEN_SIZINGS / 0.5, 'the scheduler shares equally')
  const range = { low: 3000, high: 3000 }
  const { low = NaN, high = NaN } =
    estimateRange(makeOffering({ vcpu: 1, memoryMiB: 512 }), { ...measured, range, otherShare: 0.25 }) ?? {}
  t.same([low, high].map(Math.round), [3000 / BETWEEN_SIZINGS * 0.75, 3000 * BETWEEN_SIZINGS / 0.75].map(Math.round))
})
