import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:net'
import t from '../support/tap.js'
import { serveLoad } from '../../bench/studies/remote/load-service.js'
import { channels } from '../support/channels.js'
import { fakeEngines, fakeGenerator } from '../support/fake-engines.js'

/** @import { AddressInfo } from 'node:net' */
/** @import { Test } from 'tap' */

/**
 * Opens a served side and a load service whose generators start after `allow` is called.
 * @param {Test} t
 */
async function serviceOf (t) {
  const served = createServer(socket => socket.destroy()).listen(0, '127.0.0.1')
  t.teardown(() => { served.close() })
  await once(served, 'listening')
  const [rig, loader] = channels(t)
  /** @type {string[]} */
  const events = []
  const gates = new EventEmitter()
  const [requested, allowed] = [once(gates, 'requested'), once(gates, 'allowed')]
  const engines = fakeEngines('1', () => fakeGenerator({ kill: async () => { events.push('killed') } }))
  const service = serveLoad(loader, {
    ...engines,
    find: async name => {
      const found = await engines.find(name)
      return {
        ...found,
        start: async order => {
          gates.emit('requested')
          await allowed
          events.push('started')
          return found.start(order)
        }
      }
    }
  }, t.testdir({}))
  rig.listen()
  loader.listen()
  const { port } = /** @type {AddressInfo} */ (served.address())
  const order = {
    name: 'it',
    load: { engine: 'autocannon', connections: 1, path: '/', headers: {} },
    target: { url: `http://127.0.0.1:${port}`, socketPath: null, body: null, certificate: null },
    maxSeconds: 1
  }
  const start = () => rig.request('load/start', { engine: 'autocannon', order })
  return { rig, service, start, events, requested, allow: () => gates.emit('allowed') }
}

t.test('kills a generator that was still starting when the link was lost', async t => {
  const { rig, service, start, events, requested, allow } = await serviceOf(t)
  const starting = t.rejects(start(), { code: 'host-lost' })
  await requested
  rig.close()
  await starting
  const closing = service.close()
  allow()
  await closing
  t.strictSame(events, ['started', 'killed'], 'started and then killed')
})

t.test('rejects a start after the service was closed', async t => {
  const { service, start, events, allow } = await serviceOf(t)
  allow()
  await service.close()
  await t.rejects(start(), { code: 'host-lost' })
  t.strictSame(events, [])
})
