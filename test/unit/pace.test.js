import t from 'tap'
import { GENERATOR_SHARE, hardest, slowerUsers } from '../../bench/measure/pace.js'
import { parse } from '../../bench/topology/word.js'

/** @param {string} name @param {number} connections @param {number} [perUserPerSecond] @returns {import('../../bench/types.d.ts').Arm} */
const arm = (name, connections, perUserPerSecond) => ({
  name, word: 'nginx/files', topology: parse('nginx/files'), twinOf: null, load: { engine: 'locust', connections, path: '/', headers: {}, ...perUserPerSecond !== undefined && { perUserPerSecond } }
})
const arms = [arm('few', 2000, 1), arm('default', 6000, 1), arm('tuned', 6000, 1)]

t.test('a generator that can keep the pace keeps it', async t => {
  t.equal(slowerUsers(arms, 9000), null)
  t.equal(slowerUsers(arms, 6000 / GENERATOR_SHARE), null)
})

t.test('the pace is lowered for all, never the number of users', async t => {
  const slower = slowerUsers(arms, 3000)
  t.match(slower, { wanted: 1, capacity: 3000, share: GENERATOR_SHARE, users: 6000 })
  t.ok(Math.abs(Number(slower?.used) * 6000 - 3000 * GENERATOR_SHARE) < 1e-6)
})

t.test('the arm that asks the most decides, and once a second is what nobody has said', async t => {
  t.match(slowerUsers([arm('many', 6000, 0.1), arm('busy', 1000, 2)], 1000), { wanted: 2, users: 1000 })
  t.match(slowerUsers([arm('plain', 1000)], 500), { wanted: 1 })
})

t.test('where nothing was made nothing is known', async t => {
  t.equal(slowerUsers(arms, 0), null)
  t.equal(slowerUsers(arms, NaN), null)
})

t.test('the pilot loads the last of the arms with the most users', async t => {
  t.equal(hardest(arms).name, 'tuned')
})
