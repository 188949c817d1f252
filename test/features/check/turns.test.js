import t from '../../support/tap.js'
import { Turns } from '../../../bench/features/check/turns.js'

t.test('runs an action alone after those before it, and lets later ones wait for its end', async t => {
  const turns = new Turns()
  /** @type {string[]} */
  const log = []
  /** @type {Map<string, () => void>} */
  const ends = new Map()
  const take = (/** @type {string} */ name, isAlone = false) => turns.take(async () => {
    log.push(name)
    await new Promise(resolve => ends.set(name, () => resolve(undefined)))
    return name
  }, isAlone)
  const settle = () => new Promise(resolve => setImmediate(resolve))
  const all = Promise.all([take('a'), take('b'), take('alone', true), take('c')])
  await settle()
  t.strictSame(log, ['a', 'b'], 'side by side')
  ends.get('a')?.()
  await settle()
  t.strictSame(log, ['a', 'b'], 'waits for the other one, too')
  ends.get('b')?.()
  await settle()
  t.strictSame(log, ['a', 'b', 'alone'])
  ends.get('alone')?.()
  await settle()
  t.strictSame(log, ['a', 'b', 'alone', 'c'])
  ends.get('c')?.()
  t.strictSame(await all, ['a', 'b', 'alone', 'c'])
})

t.test('lets the next action run after one that failed alone', async t => {
  const turns = new Turns()
  await t.rejects(turns.take(async () => { throw new Error('no response') }, true), /no response/)
  t.equal(await turns.take(async () => 1, false), 1)
})
