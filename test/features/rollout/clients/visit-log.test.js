/** Tests how the requests of clients are counted. */
import t from '../../../support/tap.js'
import { VisitLog } from '../../../../bench/features/rollout/clients/visit-log.js'
import { clock } from '../../../../bench/load/scenario-client.js'

t.test('lists the first losses of each client and outcome', async t => {
  const log = new VisitLog()
  const add = (/** @type {string} */ outcome, /** @type {number} */ times) => {
    for (let i = 0; i < times; i++) log.add({ client: 'api', path: `/${i}`, outcome, atMs: i, ms: 1 })
  }
  add('refused', 90)
  add('ok', 2)
  add('gone', 1)
  t.same(log.listCounts(), [{ client: 'api', requests: 93, counts: { refused: 90, ok: 2, gone: 1 } }])
  t.equal(log.losses.length, 21)
  t.same(log.losses.at(-1), { client: 'api', path: '/0', outcome: 'gone', build: null, atMs: 0, ms: 1, isKept: false })
})

t.test('measures pauses between right responses of requests alone', async t => {
  const log = new VisitLog()
  const start = clock() + 1000
  const add = (/** @type {'api' | 'idle'} */ client, /** @type {string} */ outcome, /** @type {number} */ at) =>
    log.add({ client, path: '/', outcome, atMs: start + at, ms: 0 })
  add('api', 'ok', 0)
  add('idle', 'ok', 4000)
  add('api', 'status-502', 5000)
  add('api', 'repeated', 9000)
  // A response that began earlier and came first.
  add('api', 'ok', 8000)
  log.notePause(start + 10_000)
  t.equal(Math.round(log.longestPauseMs), 9000)
})
