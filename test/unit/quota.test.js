import t from 'tap'
import { burstSeconds, pauseSeconds } from '../../bench/studies/sizing/bursts.js'
import { usableShare } from '../../bench/studies/sizing/quota.js'
import { serve, shareServed } from '../support/quota-server.js'

/** What a request costs on average, garbage collections and all. */
const MEAN = 0.0006
const COLLECTIONS = [{ pause: 0.01, every: 300 }, { pause: 0.025, every: 800 }]

/**
 * What sizing estimates from what it sees of a server on a core of its own.
 * @param {{ pause: number, every: number, waited?: number }} app
 */
function seen ({ pause, every, waited = 1 }) {
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
 * @param {{ pause: number, every: number, waited?: number }} app
 * @param {{ cpu: number, delay: number, length?: number }} quota
 */
const served = ({ pause, every, waited }, { cpu, delay, length }) =>
  shareServed({
    mean: MEAN, delay, cpu, length, cost: MEAN - pause / every, pause, every, waited, seconds: 200 / cpu, seed: 7
  })

t.test('of a quota the share is estimated that a server under it gets through, from what is seen of it ' +
  'without', async t => {
  const cells = COLLECTIONS.flatMap(app => [0.0625, 0.25].flatMap(cpu =>
    [0.05, 0.1, 0.25].map(delay => ({ app, cpu, delay }))))
  const ratios = cells.map(({ app, cpu, delay }) => {
    const ratio = usableShare({ ...seen(app), cpu, delay }) / served(app, { cpu, delay })
    t.ok(ratio < 1.25, `${app.pause * 1000} ms, ${cpu} CPU, ${delay * 1000} ms: ${ratio.toFixed(2)}`)
    return ratio
  })
  const near = ratios.filter(ratio => Math.abs(ratio - 1) < 0.15).length
  t.ok(near >= 0.8 * ratios.length, `${near} of ${ratios.length} within 15 %`)
})

t.test('a sixteenth of a core is not promised whole because no pause is as long as the goal', async t => {
  const app = seen(COLLECTIONS[1])
  t.ok(usableShare({ ...app, cpu: 0.0625, delay: 0.1 }) < 0.4)
  t.ok(usableShare({ ...app, cpu: 0.1, delay: 0.1 }) < 0.6)
})

t.test('a goal that is a millisecond longer is good for a little more, and nowhere for much more', async t => {
  for (const cpu of [0.0625, 0.25]) {
    let before = 0
    for (let ms = 80; ms <= 100; ms += 2) {
      const share = usableShare({ cores: 1, burst: 0.0014, cost: MEAN, pause: 0.02, cpu, delay: ms / 1000 })
      const told = `${cpu} CPU, ${ms} ms: ${before.toFixed(3)}, ${share.toFixed(3)}`
      if (ms > 80) t.ok(Math.abs(share - before) < 0.04, told)
      before = share
    }
  }
})

t.test("a provider's own period is taken into account", async t => {
  const app = COLLECTIONS[1]
  const provider = usableShare({ ...seen(app), cpu: 0.25, delay: 0.05, period: 0.08 })
  t.ok(Math.abs(provider / served(app, { cpu: 0.25, delay: 0.05, length: 0.08 }) - 1) < 0.2)
})

t.test('what costs less together is good for more, but for no more than it saves', async t => {
  const app = seen(COLLECTIONS[0])
  const at = (/** @type {number} */ batch, delay = 0.05) => usableShare({ ...app, cpu: 0.25, delay, batch })
  t.ok(at(0.8) > at(1))
  t.equal(at(0.1), at(0.3), 'a point that was lucky promises no more than a batch can')
  t.ok(at(0.7, 1) > 1)
  t.ok(at(0.7, 1) <= 1 / 0.7)
})

t.test('a goal that leaves no time to wait leaves nothing to use; without bursts nearly all of it', async t => {
  t.equal(usableShare({ cpu: 0.5, cores: 1, burst: 0.001, delay: 0 }), 0)
  t.ok(usableShare({ cpu: 0.25, cores: 1, burst: 0.00001, cost: 0.00001, delay: 0.05 }) > 0.95)
  t.equal(usableShare({ cpu: 0.25, cores: 1, burst: 0, delay: 0.05 }), 1)
})
