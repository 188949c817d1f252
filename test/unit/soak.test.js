import t from '../support/tap.js'
import { soak, computeTrend } from '../../bench/studies/sizing/soak.js'
import { randomFrom } from '../../bench/shared/random.js'
import { makeSample } from '../support/record.js'

/**
 * Simulates memory readings over ten minutes.
 *
 * @param {number} perHour MiB
 * @param {number} [noise] MiB
 */
function readings (perHour, noise = 4) {
  const random = randomFrom(1, 'memory')
  return Array.from({ length: 40 }, (_, i) => ({
    seconds: 15 * (i + 1),
    memoryMiB: 120 + perHour * 15 * (i + 1) / 3600 + noise * (2 * random() - 1)
  }))
}

t.test('reports steady growth as a leak, but neither a sawtooth nor a warm-up nor slow growth', async t => {
  t.match(computeTrend(readings(600)), { leaks: true })
  t.ok(Math.abs(computeTrend(readings(600)).slope / 600 - 1) < 0.1)
  t.match(computeTrend(readings(0)), { leaks: false })
  t.match(computeTrend(readings(3, 0.01)), { leaks: false }, 'grows by less than the memory used within a day')
  const warmedUp = readings(0).map((point, i) => ({ ...point, memoryMiB: point.memoryMiB + Math.min(60, 10 * i) }))
  t.match(computeTrend(warmedUp), { leaks: false })
})

t.test('half a minute is too short to report a leak', async t => {
  const short = readings(3000).map(({ seconds, memoryMiB }) => ({ seconds: seconds / 20, memoryMiB }))
  t.match(computeTrend(short), { leaks: false })
})

t.test('reports neither an interval nor a leak for too few readings', async t => {
  t.match(computeTrend(readings(600).slice(0, 3)), { low: null, high: null, leaks: false })
  t.match(computeTrend([]), { slope: 0, low: null, leaks: false })
})

t.test('a soak loads half of the capacity for the given time', async t => {
  /** @type {{ rate: number, seconds: number }[]} */
  const orders = []
  const rig = {
    tools: {},
    processes: 1,
    warm: async () => null,
    closed: async () => makeSample(),
    paced: async (/** @type {{ rate: number, seconds: number, seed: number }} */ order) => {
      orders.push(order)
      return makeSample({ memoryMiB: { proxy: 10, server: 90 + orders.length } })
    },
    limitStats: () => null,
    close: async () => {}
  }
  const common = { capacity: 1000, seed: 1, note: () => {}, interrupted: () => false }
  const { seconds, rate, points, leaks } = await soak(rig, { ...common, seconds: 600 })
  t.same([seconds, rate, points.length, leaks], [600, 500, 40, true])
  t.ok(orders.every(order => order.rate === 500 && order.seconds === 15))
  t.equal((await soak(rig, { ...common, seconds: 24 })).points.length, 12, 'a short one has a dozen readings')
  t.same((await soak(rig, { ...common, seconds: 24, interrupted: () => true })).points, [])
})
