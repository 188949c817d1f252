import t from '../support/tap.js'
import { atPace } from '../../bench/measure/pace.js'
import { armOf } from '../support/samples.js'

/** @import { Arm, SlowerUsers } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

/**
 * Makes an arm with users.
 * @param {string} name
 * @param {number} connections
 * @param {number} [perUserPerSecond]
 * @returns {Arm}
 */
const arm = (name, connections, perUserPerSecond) => ({
  ...armOf('nginx/files'),
  name,
  load: {
    engine: 'locust', connections, path: '/', headers: {}, ...perUserPerSecond !== undefined && { perUserPerSecond }
  }
})
/** Share of the rate of the pilot that users who wait can have. */
const SHARE = 0.5

/**
 * Finds the pace of users with a pilot that has this rate.
 * @param {Test} t
 * @param {Arm[]} arms
 * @param {number} rate requests per second
 * @returns {Promise<{ slower: SlowerUsers | null, loaded: string[] }>} loaded: arms of the pilot
 */
async function paceOf (t, arms, rate) {
  /** @type {string[]} */
  const loaded = []
  const { findPace } = /** @type {typeof import('../../bench/measure/pace.js')} */ (
    await t.mockImport('../../bench/measure/pace.js', {
      '../../bench/measure/undisturbed.js': { measureUndisturbed: async () => ({ rps: rate }) }
    }))
  /** @type {any} */
  const stages = { begin: async (/** @type {Arm} */ { name }) => { loaded.push(name); return {} }, end: async () => {} }
  /** @type {any} */
  const order = { engine: { plugin: { about: { title: 'Locust' } } }, printProgress: () => {} }
  return { slower: await findPace(arms, stages, order), loaded }
}

const arms = [arm('few', 2000, 1), arm('default', 6000, 1), arm('tuned', 6000, 1)]

t.test('keeps the request rate of users when the generator has enough capacity', async t => {
  t.equal((await paceOf(t, arms, 13000)).slower, null)
  t.equal((await paceOf(t, arms, 6000 / SHARE)).slower, null)
})

t.test('lowers the request rate of users, never their number, when the generator is too slow', async t => {
  const { slower } = await paceOf(t, arms, 5000)
  t.match(slower, {
    capacity: 5000,
    share: SHARE,
    arms: [{ arm: 'default', users: 6000, wanted: 1 }, { arm: 'tuned', users: 6000, wanted: 1 }]
  })
  t.equal(slower?.arms.length, 2, '2,000 users keep their rate')
  for (const { users, used } of slower?.arms ?? []) t.ok(Math.abs(used * users - 5000 * SHARE) < 1e-6)
  const [few, , tuned] = arms.map(arm => atPace(arm, slower))
  t.equal(few.load.perUserPerSecond, 1)
  t.match(tuned.load, { connections: 6000, perUserPerSecond: slower?.arms[1].used })
})

t.test('defaults to one request per second', async t => {
  const plain = arm('plain', 1000)
  const { slower } = await paceOf(t, [{ ...plain, load: { ...plain.load, spawnPerSecond: 10 } }], 500)
  t.match(slower, { arms: [{ arm: 'plain', wanted: 1 }] })
  t.equal((await paceOf(t, [arm('slow', 6000, 0.1)], 1300)).slower, null)
})

t.test('lowers no rate when the capacity of the generator is unknown', async t => {
  t.equal((await paceOf(t, arms, 0)).slower, null)
  t.equal((await paceOf(t, arms, NaN)).slower, null)
})

t.test('the pilot measures the last arm with the most users', async t => {
  t.strictSame((await paceOf(t, arms, 5000)).loaded, ['tuned'])
})
