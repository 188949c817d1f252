import t from 'tap'
import { NoAnswer } from '../../../bench/studies/check/client.js'
import { fail, pass } from '../../../bench/studies/check/outcome.js'
import { runProbes } from '../../../bench/studies/check/turns.js'

/** @import { TopicProbe } from '../../../bench/studies/check/types.js' */

/** @typedef {{ dead: string | null, dying: string | null, starts: number, stops: number }} State */

/**
 * A chain without processes. A probe kills it by setting `dead`, or `dying`: dead only when it is
 * given time, or when the next probe asks.
 * @param {{ startsAtMost?: number }} [options]
 */
function fakeChain ({ startsAtMost = Infinity } = {}) {
  /** @type {State} */
  const state = { dead: null, dying: null, starts: 0, stops: 0 }
  /** @type {any} */
  const chain = {
    async start () {
      if (++state.starts > startsAtMost) throw new Error('no port')
      state.dead = state.dying = null
    },
    context () {
      if (state.dying) [state.dead, state.dying] = [state.dying, null]
      return state
    },
    death: async (/** @type {number} */ patienceMs) => state.dead ?? (patienceMs > 100 ? state.dying : null),
    async stop () { state.stops++ }
  }
  return { chain, state }
}

/**
 * @param {string} name
 * @param {(state: State) => any} run
 * @returns {TopicProbe}
 */
const probe = (name, run) => ({
  name,
  title: name,
  topic: 'test',
  rfc: null,
  safety: false,
  run: /** @type {any} */ (run)
})
const fine = (/** @type {string} */ name) => probe(name, async state => state.dead ? fail('no answer') : pass('fine'))

t.test('every probe has a result, in their order', async t => {
  const { chain, state } = fakeChain()
  const results = await runProbes(chain, [fine('a'), probe('b', async () => {
    throw new NoAnswer('no answer within 1.5 s')
  }), fine('c')])
  t.strictSame(results, [
    { probe: 'a', outcome: 'pass', saw: 'fine', died: false },
    { probe: 'b', outcome: 'fail', saw: 'no answer within 1.5 s', died: false },
    { probe: 'c', outcome: 'pass', saw: 'fine', died: false }
  ])
  t.match(state, { starts: 1, stops: 1 })
})

t.test('a server that dies is started anew, and the check goes on', async t => {
  const { chain } = fakeChain()
  const results = await runProbes(chain, [fine('a'), probe('kills', async state => {
    state.dead = 'it ended'
    return pass('200')
  }), fine('c')])
  t.match(results, [{ outcome: 'pass' }, { outcome: 'fail', saw: 'it ended', died: true }, {
    outcome: 'pass',
    died: false
  }])
})

t.test('a late death is put down to the probe that caused it', async t => {
  const { chain } = fakeChain()
  const deadly = new Set()
  const results = await runProbes(chain, [fine('a'), probe('poisons', async state => {
    state.dying = 'it ended later'
    return pass('200')
  }), fine('innocent'), fine('d')], deadly)
  t.match(results, [{ outcome: 'pass' }, { probe: 'poisons', outcome: 'fail', saw: 'it ended later', died: true }, {
    probe: 'innocent',
    outcome: 'pass'
  }, { outcome: 'pass' }])
  t.strictSame([...deadly], ['poisons'])
})

t.test('a death that is known already is not made sure of again', async t => {
  const { chain, state } = fakeChain()
  await runProbes(chain, [probe('kills', async state => {
    state.dead = 'it ended'
    return pass('200')
  })], new Set(['kills']))
  t.equal(state.starts, 2)
})

t.test('when it cannot be started again the rest is untested, and it is stopped all the same', async t => {
  const { chain, state } = fakeChain({ startsAtMost: 1 })
  const results = await runProbes(chain, [probe('kills', async state => {
    state.dead = 'it ended'
    return pass('200')
  }), fine('b')])
  t.match(results, [{ died: true }, { outcome: 'untested', died: false }])
  t.equal(state.stops, 1)
})

t.test('an error of a probe itself is no finding', async t => {
  const { chain, state } = fakeChain()
  await t.rejects(runProbes(chain, [probe('broken', async () => {
    throw new TypeError('a mistake in the probe')
  })]), /a mistake in the probe/)
  t.equal(state.stops, 1)
})
