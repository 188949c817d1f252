import t from '../../support/tap.js'
import { emulate } from '../../../bench/features/size/emulate.js'
import { makeOffering } from '../../support/offerings.js'
import { makeSample } from '../../support/record.js'
import { armOf } from '../../support/samples.js'

/** @import { LimitStats, Offering } from '../../../bench/types.js' */

const WORD = 'nginx:uds/express-json'
const LATE = /** @type {any} */ ({ code: 'behind-schedule', params: { p99Ms: 40, limitMs: 10 } })

/**
 * Emulates an offering with a scripted rig.
 *
 * @param {number[]} p99s in ms, window by window, the last of them from then on; the first is of the settling time;
 *   below 0: the generator was late
 * @param {number} [periods] periods per window in which a process ran
 * @param {number[]} [closedP99s] in ms, of the windows in a closed loop after the warm-up
 * @param {{ spec?: string, overrides?: Partial<Offering>, isQuick?: boolean, interruptedAfter?: number }}
 *   [options] spec: of the arm; overrides: of the offering; interruptedAfter: windows
 */
async function emulated (p99s, periods = 100, closedP99s = [], options = {}) {
  const { spec = WORD, overrides = {}, isQuick = false, interruptedAfter = Infinity } = options
  /** @type {(number | undefined)[]} */
  const inFlight = []
  const toLatency = (/** @type {number} */ p99) =>
    ({ p50: 1, p90: 2, p95: 3, p99, max: 99, rate: 1, source: 'x' })
  /** @type {number[]} */
  const seconds = []
  let stats = /** @type {LimitStats} */ ({
    periods: 0, throttledPeriods: 0, throttledSeconds: 0, oomKills: 0, memoryPeakMiB: 40
  })
  let closed = 0
  const rig = {
    tools: {},
    processes: 1,
    warm: async () => null,
    closed: async (/** @type {any} */ { connections }) => {
      const p99 = connections === undefined ? undefined : closedP99s[inFlight.push(connections) - 1]
      return makeSample(p99 === undefined ? {} : { latencyMs: toLatency(p99) })
    },
    paced: async (/** @type {any} */ order) => {
      seconds.push(order.seconds)
      stats = { ...stats, periods: stats.periods + periods }
      const p99 = p99s[Math.min(seconds.length, p99s.length) - 1]
      const late = { lagMs: { p50: 1, p99: 40, max: 60 }, invalid: LATE }
      const memoryMiB = { proxy: 10, server: 50 + seconds.length }
      return makeSample({ latencyMs: toLatency(Math.abs(p99)), memoryMiB, ...p99 < 0 && late })
    },
    limitStats: () => stats,
    heapLimitMiB: async () => 259,
    close: async () => { closed++ }
  }
  const offering = makeOffering({ vcpu: 1, memoryMiB: 512, ...overrides })
  const request = /** @type {any} */ ({
    row: { offering, topology: WORD, instances: 2, perInstance: 1200 },
    rate: 1000,
    spare: 1,
    quick: isQuick,
    interrupted: () => seconds.length > interruptedAfter,
    seed: 1,
    printProgress: () => {},
    temp: '/nowhere',
    p99Ms: 50
  })
  const found = emulate(armOf(spec), request, async () => /** @type {any} */ (rig))
  await found.catch(() => {})
  t.equal(closed, 1)
  return { ...await found, windowSeconds: seconds, inFlight }
}

t.test('measures a minute in windows after the settling time, and reports the middle of them', async t => {
  const found = await emulated([170, 4, 9, 5])
  t.match(found, { holds: true, why: null, rate: 1000, latencyMs: { p99: 5 } }, 'one of two instances is lost')
  t.same(found.windows, { held: 20, of: 20, seconds: 3 })
  t.same([found.seconds, found.windowSeconds], [60, [5, ...new Array(20).fill(3)]])
  t.equal(found.limits?.periods, 2000, 'counts the periods of all windows, without the settling time')
  t.same(found.memory, { firstMiB: 62, lastMiB: 81, limitMiB: 512, heapLimitMiB: 259 })
})

t.test('holds the goal if 95 % of the windows do, and ends when more have missed it', async t => {
  t.match(await emulated([4, 120, 4]), { holds: true, windows: { held: 19, of: 20 } })
  t.match(await emulated([4, 120, 4, 130, 4]), {
    holds: false,
    why: { code: 'too-slow', params: { p99Ms: 130 } },
    windows: { held: 1, of: 3 },
    latencyMs: { p99: 120 }
  })
})

t.test('marks an emulation of --quick as too short to count, if it holds the goal', async t => {
  t.match(await emulated([4], 100, [], { isQuick: true }), { holds: true, tooShort: true, windows: { of: 20 } })
  t.notOk((await emulated([4])).tooShort)
  t.notOk((await emulated([120], 100, [], { isQuick: true })).tooShort, 'a goal that was missed is missed')
})

t.test('reports no emulation that was interrupted', async t => {
  t.equal((await emulated([4], 100, [], { interruptedAfter: 5 })).windows, undefined)
})

t.test('makes a window again that misses the goal while the generator is late, six times at most', async t => {
  t.match(await emulated([4, -160, -160, 4]), { holds: true, windows: { held: 20, of: 20 } })
  t.match(await emulated([4, -40, 4]), { holds: true, windows: { held: 20, of: 20 } }, 'holds although it was late')
  t.match(await emulated([4, -160]), { holds: false, windows: { held: 0, of: 2 } })
})

t.test('rejects an emulation in which no process ran under the limits', async t => {
  await t.rejects(emulated([4, 4], 0), { code: 'cannot-size' })
})

t.test('measures p99 with the requests in flight that a kit permits, and lowers them until the goal holds', async t => {
  t.match(await emulated([9, 4, 4], 100, [45]), {
    inFlight: [60], atLimit: { limit: 60, inFlight: 60, p99Ms: 45, holds: true }
  }, '1,200 requests a second for 50 ms each')
  t.match(await emulated([9, 4, 4], 100, [100, 40]), {
    inFlight: [60, 30], holds: true, why: null, atLimit: { limit: 60, inFlight: 30, p99Ms: 40, holds: true }
  })
  t.match(await emulated([9, 4, 4], 100, [45], { overrides: { mostConcurrency: 40 } }), {
    inFlight: [40], atLimit: { limit: 40, inFlight: 40, holds: true }
  }, 'the provider permits 40')
  t.same((await emulated([9, 90, 90], 100, [45])).inFlight, [], 'only where the goal holds at the rate')
  t.notOk((await emulated([9, 4, 4])).atLimit, 'without a p99 there is no verdict')
})

t.test('lowers the requests in flight by the part of p99 that is not the pause of the quota', async t => {
  t.match(await emulated([9, 4, 4], 100, [100, 45], { overrides: { vcpu: 0.75 } }), {
    inFlight: [60, 20], holds: true, atLimit: { limit: 60, inFlight: 20, p99Ms: 45 }
  }, 'a pause of 25 ms: a third of what p99 was beyond it')
})

t.test('tests no limit of requests in flight where the pause of the quota is longer than the goal', async t => {
  const quota = await emulated([9, 4, 4], 100, [90], { overrides: { vcpu: 0.25 } })
  t.match(quota, { holds: true, pauseMs: 75 })
  t.strictSame(quota.inFlight, [])
  t.notOk(quota.atLimit)
  const fly = { vcpu: 0.25, burst: { periodMs: 40, seconds: 1, rule: '10 ms of every 40 ms' } }
  t.match(await emulated([9, 4, 4], 100, [45], { overrides: fly }), { inFlight: [60], holds: true }, 'a pause of 30 ms')
})

t.test('an instance that misses the goal at every limit of requests in flight does not hold it', async t => {
  t.match(await emulated([9, 4, 4], 100, [100, 60, 55, 55]), {
    inFlight: [60, 30, 25, 22],
    holds: false,
    why: { code: 'too-slow', params: { p99Ms: 55 } },
    windows: { held: 20, of: 20 },
    atLimit: { limit: 60, inFlight: 22, holds: false }
  })
})

t.test('an emulation is of the topology of its row, and records that the instance ended TLS', async t => {
  t.notOk((await emulated([4, 4, 4])).endsTls)
  const spec = 'nginx:uds+tls=ecdsa-p256/express-json'
  const { topology, endsTls } = await emulated([4, 4, 4], 100, [], { spec })
  t.strictSame([topology, endsTls], [WORD, true])
})
