import t from '../../support/tap.js'
import { verify } from '../../../bench/features/size/verify.js'
import { makeOffering } from '../../support/offerings.js'
import { makeSample } from '../../support/record.js'
import { armOf } from '../../support/samples.js'

/** @import { LimitStats, Offering } from '../../../bench/types.js' */

const WORD = 'nginx:uds/express-json'
const LATE = /** @type {any} */ ({ code: 'behind-schedule', params: { p99Ms: 40, limitMs: 10 } })

/**
 * Verifies an offering with a scripted rig.
 *
 * @param {number[]} p99s in ms, window by window; the first is of the settling time; below 0: the generator was late
 * @param {number} [periods] periods per window in which a process ran
 * @param {number[]} [closedP99s] in ms, of the windows in a closed loop after the warm-up
 * @param {{ spec?: string, overrides?: Partial<Offering> }} [options] spec: of the arm; overrides: of the offering
 */
async function verified (p99s, periods = 100, closedP99s = [], { spec = WORD, overrides = {} } = {}) {
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
      const p99 = p99s[seconds.length - 1]
      const late = { lagMs: { p50: 1, p99: 40, max: 60 }, invalid: LATE }
      return makeSample({ latencyMs: toLatency(Math.abs(p99)), ...p99 < 0 && late })
    },
    limitStats: () => stats,
    close: async () => { closed++ }
  }
  const offering = makeOffering({ vcpu: 1, memoryMiB: 512, ...overrides })
  const options = /** @type {any} */ ({
    row: { offering, topology: WORD, instances: 2, perInstance: 1200 },
    rate: 1000,
    spare: 1,
    quick: false,
    seed: 1,
    printProgress: () => {},
    temp: '/nowhere',
    p99Ms: 50
  })
  const found = verify(armOf(spec), options, async () => /** @type {any} */ (rig))
  await found.catch(() => {})
  t.equal(closed, 1)
  return { ...await found, seconds, inFlight }
}

t.test('discards the window of the settling time', async t => {
  const { holds, latencyMs, windows, seconds, rate, limits } = await verified([170, 4, 4])
  t.match({ holds, latencyMs, rate }, { holds: true, latencyMs: { p99: 4 }, rate: 1000 },
    'one of two instances is lost')
  t.same(windows, { held: 2, of: 2 })
  t.same(seconds, [5, 10, 10])
  t.equal(limits.periods, 100, 'counts only the periods of the deciding window')
})

t.test('decides by two of three windows', async t => {
  t.match(await verified([4, 120, 4, 5]), { holds: true, why: null, windows: { held: 2, of: 3 } })
  t.match(await verified([4, 4, 120, 130]), { holds: false, windows: { held: 1, of: 3 } })
  t.match(await verified([4, 120, 4, 130]), { holds: false, latencyMs: { p99: 130 }, windows: { held: 1, of: 3 } })
  t.match(await verified([4, 120, 121]), {
    holds: false,
    why: { code: 'too-slow', params: { p99Ms: 121 } },
    windows: { held: 0, of: 2 }
  })
})

t.test('makes a window again that misses the goal while the generator is late, three times at most', async t => {
  t.match(await verified([4, -160, -160, 4, 5]), { holds: true, windows: { held: 2, of: 2 } })
  t.match(await verified([4, -40, 4]), { holds: true, windows: { held: 2, of: 2 } }, 'holds although it was late')
  t.match(await verified([4, -160, -160, -160, -160, -160]), { holds: false, windows: { held: 0, of: 2 } })
})

t.test('rejects a verification in which no process ran under the limits', async t => {
  await t.rejects(verified([4, 4], 0), { code: 'cannot-size' })
})

t.test('measures p99 with the requests in flight that a kit permits, and lowers them until the goal holds', async t => {
  t.match(await verified([9, 4, 4], 100, [45]), {
    inFlight: [60], atLimit: { limit: 60, inFlight: 60, p99Ms: 45, holds: true }
  }, '1,200 requests a second for 50 ms each')
  t.match(await verified([9, 4, 4], 100, [100, 40]), {
    inFlight: [60, 30], holds: true, why: null, atLimit: { limit: 60, inFlight: 30, p99Ms: 40, holds: true }
  })
  t.match(await verified([9, 4, 4], 100, [45], { overrides: { mostConcurrency: 40 } }), {
    inFlight: [40], atLimit: { limit: 40, inFlight: 40, holds: true }
  }, 'the provider permits 40')
  t.same((await verified([9, 90, 90], 100, [45])).inFlight, [], 'only where the goal holds at the rate')
  t.notOk((await verified([9, 4, 4])).atLimit, 'without a p99 there is no verdict')
})

t.test('lowers the requests in flight by the part of p99 that is not the pause of the quota', async t => {
  t.match(await verified([9, 4, 4], 100, [100, 45], { overrides: { vcpu: 0.75 } }), {
    inFlight: [60, 20], holds: true, atLimit: { limit: 60, inFlight: 20, p99Ms: 45 }
  }, 'a pause of 25 ms: a third of what p99 was beyond it')
})

t.test('tests no limit of requests in flight where the pause of the quota is longer than the goal', async t => {
  const quota = await verified([9, 4, 4], 100, [90], { overrides: { vcpu: 0.25 } })
  t.match(quota, { holds: true, pauseMs: 75 })
  t.strictSame(quota.inFlight, [])
  t.notOk(quota.atLimit)
  const fly = { vcpu: 0.25, burst: { periodMs: 40, seconds: 1, rule: '10 ms of every 40 ms' } }
  t.match(await verified([9, 4, 4], 100, [45], { overrides: fly }), { inFlight: [60], holds: true }, 'a pause of 30 ms')
})

t.test('an instance that misses the goal at every limit of requests in flight does not hold it', async t => {
  t.match(await verified([9, 4, 4], 100, [100, 60, 55, 55]), {
    inFlight: [60, 30, 25, 22],
    holds: false,
    why: { code: 'too-slow', params: { p99Ms: 55 } },
    windows: { held: 2, of: 2 },
    atLimit: { limit: 60, inFlight: 22, holds: false }
  })
})

t.test('a verification is of the topology of its row, and records that the instance ended TLS', async t => {
  t.notOk((await verified([4, 4, 4])).endsTls)
  const spec = 'nginx:uds+tls=ecdsa-p256/express-json'
  const { topology, endsTls } = await verified([4, 4, 4], 100, [], { spec })
  t.strictSame([topology, endsTls], [WORD, true])
})
