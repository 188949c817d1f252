import t from 'tap'
import { verify } from '../../bench/studies/sizing/verify.js'
import { makePlan } from '../support/offerings.js'
import { makeSample } from '../support/record.js'
import { armOf } from '../support/samples.js'

/** @import { LimitStats } from '../../bench/types.js' */

/**
 * What a plan's verification finds with a rig that is as slow as it is told.
 * @param {number[]} p99s ms, window by window: the first is before it counts
 * @param {number} [periods] in which something ran, in each window
 */
async function verified (p99s, periods = 100) {
  /** @type {number[]} */
  const seconds = []
  let stats = /** @type {LimitStats} */ ({
    periods: 0, throttledPeriods: 0, throttledSeconds: 0, oomKills: 0, memoryPeakMiB: 40
  })
  let closed = 0
  const rig = {
    tools: {},
    processes: 1,
    closed: async () => makeSample(),
    paced: async (/** @type {any} */ order) => {
      seconds.push(order.seconds)
      stats = { ...stats, periods: stats.periods + periods }
      const latencyMs = { p50: 1, p90: 2, p95: 3, p99: p99s[seconds.length - 1], max: 99, rate: 1, source: 'x' }
      return makeSample({ latencyMs })
    },
    limitStats: () => stats,
    close: async () => { closed++ }
  }
  const plan = makePlan({ vcpu: 0.5, memoryMiB: 512 })
  const options = /** @type {any} */ ({
    row: { plan, instances: 2 }, rate: 1000, quick: false, seed: 1, note: () => {}, temp: '/nowhere', p99Ms: 50
  })
  const found = verify(armOf('express-json'), options, /** @type {any} */ async () => rig)
  await found.catch(() => {})
  t.equal(closed, 1)
  return { ...await found, seconds }
}

t.test('what is measured before it has settled is discarded', async t => {
  const { holds, latencyMs, windows, seconds, rate, limits } = await verified([170, 4, 4])
  t.match({ holds, latencyMs, rate }, { holds: true, latencyMs: { p99: 4 }, rate: 500 })
  t.same(windows, { held: 2, of: 2 })
  t.same(seconds, [5, 10, 10])
  t.equal(limits.periods, 100, 'those of the window alone')
})

t.test('one window may have been disturbed, or lucky: the middle of three counts', async t => {
  t.match(await verified([4, 120, 4, 5]), { holds: true, why: null, windows: { held: 2, of: 3 } })
  t.match(await verified([4, 4, 120, 130]), { holds: false, windows: { held: 1, of: 3 } })
  t.match(await verified([4, 120, 4, 130]), { holds: false, latencyMs: { p99: 130 }, windows: { held: 1, of: 3 } })
  t.match(await verified([4, 120, 121]), { holds: false, why: /121\.0 ms or longer/, windows: { held: 0, of: 2 } })
})

t.test('where nothing ran under the limits nothing is verified', async t => {
  await t.rejects(verified([4, 4], 0), { code: 'cannot-size' })
})
