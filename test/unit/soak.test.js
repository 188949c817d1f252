import t from 'tap'
import { soak, trendOf } from '../../bench/studies/sizing/soak.js'
import { randomFrom } from '../../bench/shared/random.js'
import { makeSample } from '../support/record.js'

/**
 * Readings over ten minutes.
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

t.test('memory that grows and grows is a leak; a sawtooth, a warm-up and a trickle are none', async t => {
  t.match(trendOf(readings(600)), { leaks: true })
  t.ok(Math.abs(trendOf(readings(600)).slope / 600 - 1) < 0.1)
  t.match(trendOf(readings(0)), { leaks: false })
  t.match(trendOf(readings(3, 0.01)), { leaks: false }, 'not as much again in a day')
  const warmedUp = readings(0).map((point, i) => ({ ...point, memoryMiB: point.memoryMiB + Math.min(60, 10 * i) }))
  t.match(trendOf(warmedUp), { leaks: false })
})

t.test('half a minute shows no leak: that is how a heap fills', async t => {
  const short = readings(3000).map(({ seconds, memoryMiB }) => ({ seconds: seconds / 20, memoryMiB }))
  t.match(trendOf(short), { leaks: false })
})

t.test('too few readings have no interval, and are no leak', async t => {
  t.match(trendOf(readings(600).slice(0, 3)), { low: null, high: null, leaks: false })
  t.match(trendOf([]), { slope: 0, low: null, leaks: false })
})

t.test('a soak loads half of the capacity for as long as it is asked to', async t => {
  /** @type {{ rate: number, seconds: number }[]} */
  const orders = []
  const rig = {
    tools: {},
    processes: 1,
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
