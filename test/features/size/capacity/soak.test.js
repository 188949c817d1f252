import t from '../../../support/tap.js'
import { soak } from '../../../../bench/features/size/topology.js'
import { randomFrom } from '../../../../bench/shared/random.js'
import { makeSample } from '../../../support/record.js'

/** Length of a soak with forty readings. */
const SECONDS = 600

/**
 * Makes a rig that has a new reading of memory after each window.
 *
 * @param {(window: number) => number} memoryAt in MiB
 */
function makeRig (memoryAt) {
  /** @type {{ rate: number, seconds: number }[]} */
  const orders = []
  const rig = {
    tools: {},
    processes: 1,
    warm: async () => null,
    closed: async () => makeSample(),
    paced: async (/** @type {{ rate: number, seconds: number, seed: number }} */ order) => {
      orders.push(order)
      return makeSample({ memoryMiB: { proxy: 10, server: memoryAt(orders.length) - 10 } })
    },
    limitStats: () => null,
    close: async () => {}
  }
  return { rig, orders }
}

/**
 * Makes a soak whose memory grows.
 *
 * @param {number} perHour MiB
 * @param {{ noise?: number, seconds?: number, extra?: (window: number) => number, windows?: number }} [options] noise,
 *   extra: MiB; windows: after which the soak is interrupted
 */
async function soakOf (perHour, { noise = 4, seconds = SECONDS, extra = () => 0, windows = Infinity } = {}) {
  const random = randomFrom(1, 'memory')
  const { rig, orders } = makeRig(window =>
    120 + perHour * 15 * window / 3600 + noise * (2 * random() - 1) + extra(window))
  return soak(rig, {
    capacity: 1000,
    seconds,
    seed: 1,
    printProgress: () => {},
    interrupted: () => orders.length >= windows
  })
}

t.test('reports steady growth as a leak, but neither a sawtooth nor a warm-up nor slow growth', async t => {
  const growing = await soakOf(600)
  t.match(growing, { leaks: true })
  t.ok(Math.abs(growing.slope / 600 - 1) < 0.1)
  t.match(await soakOf(0), { leaks: false })
  t.match(await soakOf(3, { noise: 0.01 }), { leaks: false }, 'grows by less than the memory used within a day')
  t.match(await soakOf(0, { extra: window => Math.min(60, 10 * (window - 1)) }), { leaks: false })
})

t.test('the interval of a falling memory mirrors that of a rising one', async t => {
  const [up, down] = [await soakOf(30, { noise: 1 }), await soakOf(-30, { noise: -1 })]
  for (const [a, b] of [[up.low, down.high], [up.high, down.low]]) {
    t.ok(Math.abs(Number(a) + Number(b)) < 1e-6, `${a}, ${b}`)
  }
  t.ok(Number(up.low) < up.slope && up.slope < Number(up.high))
})

t.test('half a minute is too short to report a leak', async t => {
  t.match(await soakOf(3000, { seconds: 30 }), { leaks: false })
})

t.test('reports neither an interval nor a leak for too few readings', async t => {
  t.match(await soakOf(600, { windows: 3 }), { low: null, high: null, leaks: false })
  t.match(await soakOf(600, { windows: 0 }), { slope: 0, low: null, leaks: false })
})

t.test('a soak loads half of the capacity for the given time', async t => {
  const { rig, orders } = makeRig(window => 100 + window)
  const common = { capacity: 1000, seed: 1, printProgress: () => {}, interrupted: () => false }
  const { seconds, rate, points, leaks } = await soak(rig, { ...common, seconds: SECONDS })
  t.same([seconds, rate, points.length, leaks], [600, 500, 40, true])
  t.ok(orders.every(order => order.rate === 500 && order.seconds === 15))
  t.equal((await soak(rig, { ...common, seconds: 24 })).points.length, 12, 'a short one has a dozen readings')
  t.same((await soak(rig, { ...common, seconds: 24, interrupted: () => true })).points, [])
})
