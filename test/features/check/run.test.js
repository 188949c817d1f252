import t from '../../support/tap.js'
import { NoResponse } from '../../../bench/features/check/client.js'
import { fail, pass } from '../../../bench/features/check/outcome.js'
import { runProbes } from '../../../bench/features/check/study.js'
import { Turns } from '../../../bench/features/check/turns.js'

/** @import { TopicProbe } from '../../../bench/features/check/types.js' */

/** @typedef {{ dead: string | null, dying: string | null, starts: number, stops: number }} State */

/**
 * Returns a chain without processes.
 *
 * A probe ends the chain by setting `dead`. A chain with `dying` ends only when `death` waits, or at the next probe.
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
const kills = probe('kills', async state => {
  state.dead = 'it ended'
  return pass('200')
})
const fine = (/** @type {string} */ name) => probe(name, async state => state.dead ? fail('no response') : pass('fine'))

t.test('returns a result for every probe, in order', async t => {
  const { chain, state } = fakeChain()
  const results = await runProbes(chain, [fine('a'), probe('b', async () => {
    throw new NoResponse('no response within 1.5 s')
  }), fine('c')])
  t.strictSame(results, [
    { probe: 'a', outcome: 'pass', saw: 'fine', died: false },
    { probe: 'b', outcome: 'fail', saw: 'no response within 1.5 s', died: false },
    { probe: 'c', outcome: 'pass', saw: 'fine', died: false }
  ])
  t.match(state, { starts: 1, stops: 1 })
})

t.test('repeats a probe without a connection, which is untested if it has none again', async t => {
  const refused = 'GET /: the connection ended without a response (connect ECONNREFUSED 127.0.0.1:8081)'
  const { chain, state } = fakeChain()
  let attempts = 0
  const results = await runProbes(chain, [
    probe('early', async () => ++attempts === 1 ? fail(`/../: ${refused}`) : pass('404')),
    probe('never', async () => { throw new NoResponse(refused) }),
    fine('c')
  ])
  t.strictSame(results, [
    { probe: 'early', outcome: 'pass', saw: '404', died: false },
    { probe: 'never', outcome: 'untested', saw: `no connection in two attempts: ${refused}`, died: false },
    { probe: 'c', outcome: 'pass', saw: 'fine', died: false }
  ])
  t.match([attempts, state.starts], [2, 1])
})

t.test('attributes a crash after which a probe has no connection', async t => {
  const { chain } = fakeChain()
  const results = await runProbes(chain, [fine('a'), probe('kills', async state => {
    state.dead = 'it ended'
    return fail('connect ECONNREFUSED 127.0.0.1:8081')
  })])
  t.match(results, [{ outcome: 'pass' }, { outcome: 'fail', died: true }])
})

t.test('restarts a server that crashed and continues with the next probe', async t => {
  const { chain } = fakeChain()
  const results = await runProbes(chain, [fine('a'), kills, fine('c')])
  t.match(results, [{ outcome: 'pass' }, { outcome: 'fail', saw: 'it ended', died: true },
    { outcome: 'pass', died: false }])
})

t.test('attributes a late crash to the probe that caused it', async t => {
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

t.test('does not repeat a probe that is known to crash the server', async t => {
  const { chain, state } = fakeChain()
  await runProbes(chain, [kills], new Set(['kills']))
  t.equal(state.starts, 2)
})

t.test('reports the remaining probes as untested when a restart fails, and still stops the server', async t => {
  const { chain, state } = fakeChain({ startsAtMost: 1 })
  const results = await runProbes(chain, [kills, fine('b')])
  t.match(results, [{ died: true }, { outcome: 'untested', died: false }])
  t.equal(state.stops, 1)
})

t.test('rethrows an error in the code of a probe and stops the server', async t => {
  const { chain, state } = fakeChain()
  await t.rejects(runProbes(chain, [probe('broken', async () => {
    throw new TypeError('a mistake in the probe')
  })]), /a mistake in the probe/)
  t.equal(state.stops, 1)
})

t.test('a probe of CPU time waits for the probes of other chains, except behind a proxy', async t => {
  const turns = new Turns()
  let end = () => {}
  turns.take(() => new Promise(resolve => { end = () => resolve(undefined) }), false)
  const runAlone = (/** @type {boolean} */ proxied) => {
    const { chain, state } = fakeChain()
    chain.context = () => ({ ...state, proxied })
    return runProbes(chain, [{ ...fine('cpu'), alone: true }], new Set(), turns)
  }
  t.match(await runAlone(true), [{ outcome: 'pass' }])
  let isDone = false
  const bare = runAlone(false).then(() => { isDone = true })
  for (let i = 0; i < 10; i++) await new Promise(resolve => setImmediate(resolve))
  t.equal(isDone, false, 'waits')
  end()
  await bare
  t.equal(isDone, true)
})
