/** Tests the limits of responses to the clients of scenarios. */
import t from '../support/tap.js'
import { KeepingAgent, request } from '../../bench/load/scenario-client.js'
import { listen, toAddress } from '../support/plays.js'

t.test('reads a body up to its limit, and drops it if it is not needed', async t => {
  const server = await listen(t, (_, res) => { res.end('x'.repeat(100)) })
  const get = (/** @type {Partial<Parameters<typeof request>[1]>} */ order) =>
    request(toAddress(server), { path: '/', ...order })
  t.match(await get({ maxBytes: 99 }), { outcome: 'too-large', status: null })
  t.match(await get({ maxBytes: 100 }), { outcome: 'ok', status: 200 })
  t.equal((await get({})).body.length, 100)
  t.equal((await get({ dropsBody: true })).body.length, 0)
})

t.test('states whether the head of a response has arrived', async t => {
  const server = await listen(t, (req, res) => {
    if (req.url === '/begun') res.write('x', () => res.destroy())
    else res.destroy()
  })
  const get = (/** @type {string} */ path) => request(toAddress(server), { path })
  t.match(await get('/begun'), { outcome: 'truncated', headers: { connection: 'close' }, isSilent: false })
  t.match(await get('/silent'), { outcome: 'reset', headers: null, isSilent: true, isKept: false })
})

t.test('a request that has waited for the connection of another one is sent on a kept connection', async t => {
  const server = await listen(t, (_, res) => { res.end('x') })
  const agent = new KeepingAgent({ maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const get = () => request(toAddress(server), { path: '/', agent })
  const results = await Promise.all([get(), get()])
  t.strictSame([...results, await get()].map(({ isKept }) => isKept), [false, true, true])
})
