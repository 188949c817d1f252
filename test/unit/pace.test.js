import t from '../support/tap.js'
import { atPace, findHardest, findSlowerUsers, GENERATOR_SHARE } from '../../bench/measure/pace.js'
import { parse } from '../../bench/plan/spec.js'

/** @import { Arm } from '../../bench/types.js' */

/**
 * Makes an arm with users.
 * @param {string} name
 * @param {number} connections
 * @param {number} [perUserPerSecond]
 * @returns {Arm}
 */
const arm = (name, connections, perUserPerSecond) => ({
  name,
  spec: 'nginx/files',
  topology: parse('nginx/files'),
  twinOf: null,
  load: {
    engine: 'locust',
    connections,
    path: '/',
    headers: {},
    ...perUserPerSecond !== undefined && { perUserPerSecond }
  }
})
const arms = [arm('few', 2000, 1), arm('default', 6000, 1), arm('tuned', 6000, 1)]

t.test('keeps the request rate of users when the generator has enough capacity', async t => {
  t.equal(findSlowerUsers(arms, 13000), null)
  t.equal(findSlowerUsers(arms, 6000 / GENERATOR_SHARE), null)
})

t.test('lowers the request rate of users, never their number, when the generator is too slow', async t => {
  const slower = findSlowerUsers(arms, 5000)
  t.match(slower, {
    capacity: 5000,
    share: GENERATOR_SHARE,
    arms: [{ arm: 'default', users: 6000, wanted: 1 }, { arm: 'tuned', users: 6000, wanted: 1 }]
  })
  t.equal(slower?.arms.length, 2, '2,000 users keep their rate')
  for (const { users, used } of slower?.arms ?? []) t.ok(Math.abs(used * users - 5000 * GENERATOR_SHARE) < 1e-6)
  const [few, , tuned] = arms.map(arm => atPace(arm, slower))
  t.equal(few.load.perUserPerSecond, 1)
  t.match(tuned.load, { connections: 6000, perUserPerSecond: slower?.arms[1].used })
})

t.test('defaults to one request per second', async t => {
  t.match(findSlowerUsers([arm('plain', 1000)], 500), { arms: [{ arm: 'plain', wanted: 1 }] })
  t.equal(findSlowerUsers([arm('slow', 6000, 0.1)], 1300), null)
})

t.test('lowers no rate when the capacity of the generator is unknown', async t => {
  t.equal(findSlowerUsers(arms, 0), null)
  t.equal(findSlowerUsers(arms, NaN), null)
})

t.test('the pilot measures the last arm with the most users', async t => {
  t.equal(findHardest(arms).name, 'tuned')
})
