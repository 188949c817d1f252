/** Tests when the processes of a role count as warm. */
import t from '../support/tap.js'
import { findMoving, RoleCosts } from '../../bench/measure/steady.js'

/**
 * Feeds a role with readings every 0.1 s.
 * @param {object} options
 * @param {(cpuSeconds: number) => number} options.micros CPU time of a request, by the CPU time of its process so far
 * @param {number} options.seconds
 * @param {number[]} [options.shares] of a core that each process uses
 * @param {'compiled' | 'native'} [options.code]
 */
function feed ({ micros, seconds, shares = [1], code = 'compiled' }) {
  const role = new RoleCosts('server', code)
  let requests = 0
  const used = shares.map(() => 0)
  for (let step = 0; step <= seconds * 10; step++) {
    role.add({ atSeconds: step / 10, requests, cpuSeconds: new Map(used.map((cpu, pid) => [pid, cpu])) })
    shares.forEach((share, pid) => {
      used[pid] += share / 10
      requests += share / 10 / micros(used[pid]) * 1e6
    })
  }
  return role
}

const isWarm = (/** @type {RoleCosts[]} */ ...roles) => findMoving(roles, false) === null

t.test('waits until the cost has stopped to fall', async t => {
  // 29 µs that fall to 20 µs within 4.5 s of CPU time, as Node 24 was measured.
  const micros = (/** @type {number} */ cpu) => cpu > 4.5 ? 20 : 29 - 2 * cpu
  t.notOk(isWarm(feed({ micros, seconds: 4.4 })))
  t.ok(isWarm(feed({ micros, seconds: 9 })))
})

t.test('waits for the least requests, although the cost is level before a later step', async t => {
  t.notOk(isWarm(feed({ micros: () => 20, seconds: 2.3 })))
  t.ok(isWarm(feed({ micros: () => 20, seconds: 2.5 })))
  t.ok(isWarm(feed({ micros: () => 20, seconds: 2, code: 'native' })), 'native code')
})

t.test('waits for a server that is 40 % dearer in its first 100,000 requests', async t => {
  for (const micros of [20, 40, 55]) {
    const dearSeconds = 1.4 * micros / 10
    const planted = (/** @type {number} */ cpu) => cpu <= dearSeconds ? 1.4 * micros : micros
    const found = Array.from({ length: 300 }, (_, step) => step / 10)
      .find(seconds => seconds > 1 && isWarm(feed({ micros: planted, seconds })))
    t.ok(Number(found) > dearSeconds, `${micros} µs`)
  }
})

t.test('waits for the least CPU time of an app with dear requests', async t => {
  t.notOk(isWarm(feed({ micros: () => 1000, seconds: 7.9 })))
  t.ok(isWarm(feed({ micros: () => 1000, seconds: 8.1 })))
})

t.test('waits for each worker of a cluster, and not for its idle primary', async t => {
  const shares = [0.4, 0.4, 0.4, 0.4, 0.001]
  t.notOk(isWarm(feed({ micros: () => 20, seconds: 5.9, shares })))
  t.ok(isWarm(feed({ micros: () => 20, seconds: 6.2, shares })))
  t.notOk(isWarm(feed({ micros: () => 20, seconds: 6.2, shares: [0.8, 0.3] })), 'one worker gets fewer requests')
})

t.test('ignores disturbances, which last less than a quarter of the CPU time', async t => {
  const micros = (/** @type {number} */ cpu) => cpu > 4 && cpu < 4.6 ? 60 : 20
  t.ok(isWarm(feed({ micros, seconds: 5 })))
})

t.test('ignores roles with a small share of the CPU time', async t => {
  const server = feed({ micros: () => 5000, seconds: 9 })
  const load = feed({ micros: () => 20, seconds: 9, shares: [0.01], code: 'native' })
  t.ok(isWarm(server, load))
  t.equal(findMoving([server, feed({ micros: () => 20, seconds: 5, shares: [0.3] })], false)?.role, 'server')
})

t.test('at the limit excuses only processes that wait most of the time', async t => {
  const waiting = feed({ micros: () => 100, seconds: 20, shares: [0.05] })
  t.equal(findMoving([waiting], false), waiting)
  t.equal(findMoving([waiting], true), null)
  const busy = feed({ micros: () => 100, seconds: 20, shares: [0.15] })
  t.equal(findMoving([busy], true), busy)
  const falling = feed({ micros: cpu => 100 - 80 * cpu, seconds: 20, shares: [0.05] })
  t.equal(findMoving([falling], true), falling)
})

t.test('reports the change of the cost between the last two quarters of the CPU time', async t => {
  const { change } = feed({ micros: cpu => cpu > 4 ? 18 : 20, seconds: 5.3 })
  t.equal(change.toFixed(3), '-0.100')
  t.ok(Number.isNaN(feed({ micros: () => 20, seconds: 0.5 }).change), 'too few readings')
})

t.test('a disturbance of a whole quarter is no fall afterwards', async t => {
  const micros = (/** @type {number} */ cpu) => cpu > 4 && cpu < 6 ? 30 : 20
  t.ok(isWarm(feed({ micros, seconds: 8 })))
})

t.test('at the limit the cost of a load generator may still change', async t => {
  const server = feed({ micros: () => 20, seconds: 9 })
  const load = new RoleCosts('load', 'native')
  for (let step = 0; step <= 90; step++) {
    load.add({ atSeconds: step / 10, requests: 100 * step, cpuSeconds: new Map([[0, step / 10 - step * step / 4000]]) })
  }
  t.ok(load.isFalling)
  t.equal(findMoving([server, load], false), load)
  t.equal(findMoving([server, load], true), null)
})

t.test('an arm without a response is not warm', async t => {
  const silent = feed({ micros: () => Infinity, seconds: 5 })
  t.equal(findMoving([silent], true), silent)
})
