import t from '../../../support/tap.js'
import { burstSeconds, pauseSeconds } from '../../../../bench/features/size/capacity/bursts.js'
import { usableShare } from '../../../../bench/features/size/capacity/cost.js'
import { serve, shareServed } from '../../../support/quota-server.js'

/** Mean CPU time of a request, including garbage collection, in seconds. */
const MEAN = 0.0006
const COLLECTIONS = [{ pause: 0.01, every: 300 }, { pause: 0.025, every: 800 }]

/**
 * Simulates an app on a separate core and returns the input of the estimate.
 * @param {{ pause: number, every: number, waited?: number }} app
 */
function measure ({ pause, every, waited = 1 }) {
  const app = { cost: MEAN - pause / every, pause, every }
  const windows = [200, 400, 700].map(rate => serve({ ...app, cpu: 1, rate, seconds: 120, seed: rate }).parts)
  return {
    cores: 1,
    burst: Number(burstSeconds(windows, 1)),
    pause: Number(pauseSeconds(windows, 1)),
    cost: MEAN,
    batch: waited
  }
}

/**
 * Simulates an app under a quota and returns the share of the quota that it can use.
 * @param {{ pause: number, every: number, waited?: number }} app
 * @param {{ cpu: number, delay: number, length?: number }} quota
 */
const served = ({ pause, every, waited }, { cpu, delay, length }) =>
  shareServed({
    mean: MEAN, delay, cpu, length, cost: MEAN - pause / every, pause, every, waited, seconds: 200 / cpu, seed: 7
  })

t.test('estimates the usable share of a quota from measurements without a quota', async t => {
  const cells = COLLECTIONS.flatMap(app => [0.0625, 0.25].flatMap(cpu =>
    [0.05, 0.1, 0.25].map(delay => ({ app, cpu, delay }))))
  const ratios = cells.map(({ app, cpu, delay }) => {
    const ratio = usableShare({ ...measure(app), cpu, delay }) / served(app, { cpu, delay })
    t.ok(ratio < 1.25, `${app.pause * 1000} ms, ${cpu} CPU, ${delay * 1000} ms: ${ratio.toFixed(2)}`)
    return ratio
  })
  const near = ratios.filter(ratio => Math.abs(ratio - 1) < 0.15).length
  t.ok(near >= 0.8 * ratios.length, `${near} of ${ratios.length} within 15 %`)
})

t.test('the usable share is a smooth function of the goal', async t => {
  for (const cpu of [0.0625, 0.25]) {
    let before = 0
    for (let ms = 80; ms <= 100; ms += 2) {
      const share = usableShare({ cores: 1, burst: 0.0014, cost: MEAN, pause: 0.02, cpu, delay: ms / 1000 })
      const message = `${cpu} CPU, ${ms} ms: ${before.toFixed(3)}, ${share.toFixed(3)}`
      if (ms > 80) t.ok(Math.abs(share - before) < 0.04, message)
      before = share
    }
  }
})

t.test('a request is late by its wait, and not by its own CPU time', async t => {
  for (let cost = 0.005; cost < 0.05; cost += 0.005) {
    const share = usableShare({ cores: 1, burst: cost, cost, cpu: 1, delay: 0.02 })
    t.ok(share > 0, `${(1000 * cost).toFixed(0)} ms of CPU time, a wait of 20 ms: ${share.toFixed(3)}`)
  }
})

t.test('uses the period of the provider', async t => {
  const app = COLLECTIONS[1]
  const provider = usableShare({ ...measure(app), cpu: 0.25, delay: 0.05, period: 0.08 })
  t.ok(Math.abs(provider / served(app, { cpu: 0.25, delay: 0.05, length: 0.08 }) - 1) < 0.2)
})

t.test('batched requests raise the usable share by at most what they save', async t => {
  const app = measure(COLLECTIONS[0])
  const at = (/** @type {number} */ batch, delay = 0.05) => usableShare({ ...app, cpu: 0.25, delay, batch })
  t.ok(at(0.8) > at(1))
  t.equal(at(0.1), at(0.3), 'the saving of a batch is limited')
  t.ok(at(0.7, 1) > 1)
  t.ok(at(0.7, 1) <= 1 / 0.7)
})

t.test('returns 0 for a goal without time to wait, and nearly 1 without bursts', async t => {
  t.equal(usableShare({ cpu: 0.5, cores: 1, burst: 0.001, delay: 0 }), 0)
  t.ok(usableShare({ cpu: 0.25, cores: 1, burst: 0.00001, cost: 0.00001, delay: 0.05 }) > 0.95)
  t.equal(usableShare({ cpu: 0.25, cores: 1, burst: 0, delay: 0.05 }), 1)
})
