/** Controls of scenarios: each finds a planted fault, and none where there is none. */
import { once } from 'node:events'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { request } from '../../bench/load/scenario-client.js'
import { behaviourApp, getMetric, listen, NO_READING, play, toAddress } from '../support/plays.js'

t.test('blocked counts the requests that wait for those that block', async t => {
  const options = { rate: 100, every: 50, block: 300, seconds: 1 }
  const isBlock = (/** @type {string | undefined} */ url) => url?.startsWith('/block')
  let until = 0
  // Behaves like a blocked event loop, without blocking the client, which is in this process.
  const one = await listen(t, async (req, res) => {
    if (isBlock(req.url)) until = performance.now() + 300
    while (performance.now() < until) await sleep(until - performance.now() + 1)
    res.end('response')
  })
  const spared = await listen(t, async (req, res) => {
    if (isBlock(req.url)) await sleep(300)
    res.end('response')
  })
  const [planted, other] = [
    await play(t, 'blocked', { server: one, options }), await play(t, 'blocked', { server: spared, options })
  ]
  for (const { groups } of [planted, other]) {
    t.match(groups, [
      { name: 'others', requests: 98, counts: { ok: 98 } }, { name: 'blocking', requests: 2, counts: { ok: 2 } }
    ])
  }
  const [held, free] = [planted, other].map(played => Number(getMetric(played, 'others that took 20 ms or longer')))
  t.ok(held > free, `${held} % wait, and ${free} % without the fault`)
})

t.test('blocked rejects an app that does not block, whose other requests would be fast', async t => {
  for (const status of [200, 404]) {
    const server = await listen(t, (req, res) => { res.writeHead(status).end('response') })
    await t.rejects(play(t, 'blocked', { server, options: { rate: 100, every: 50, block: 300, seconds: 1 } }),
      /the app has no path \/block\?ms=300 that does so/)
  }
})

t.test('pool reports the connections that bursts open', async t => {
  const options = { requests: 5, bursts: 4, pause: 20 }
  const read = async () => ({ ...NO_READING, memoryMiB: { proxy: 1, server: 2 } })
  for (const [opens, expected] of [[true, 1], [false, 0]]) {
    let connections = 0
    const server = await listen(t, (req, res) => {
      if (req.url !== '/connections' && opens) connections++
      res.end(req.url === '/connections' ? String(connections) : 'response')
    })
    const played = await play(t, 'pool', { server, options, read })
    t.match(played.groups, [{ name: 'burst', requests: 20, counts: { ok: 20 } }])
    t.equal(getMetric(played, 'new upstream connections'), expected)
    t.equal(getMetric(played, 'memory of the app'), 2)
  }
})

t.test('pool reports an app that does not count its connections', async t => {
  const server = await listen(t, (req, res) => { res.writeHead(req.url === '/connections' ? 404 : 200).end() })
  const played = await play(t, 'pool', { server, options: { requests: 2, bursts: 1, pause: 20 } })
  t.match(played.evidence, [/GET \/connections of the app returned no number/])
  t.equal(getMetric(played, 'new upstream connections'), undefined)
})

t.test('the app counts the connections since the first reading', async t => {
  const server = await listen(t, await behaviourApp(t))
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const count = async () => (await request(toAddress(server), { path: '/connections', agent })).body.toString()
  t.equal(await count(), '0')
  await request(toAddress(server), { path: '/' })
  await request(toAddress(server), { path: '/' })
  t.equal(await count(), '2')
})

t.test('reload counts what a release loses', async t => {
  const options = { act: 'restart-app', times: 1, rate: 100 }
  /** @type {(string | undefined)[]} */
  const methods = []
  const server = await listen(t, (req, res) => {
    methods.push(req.method)
    req.resume().on('end', () => res.end('response'))
  })
  const calm = await play(t, 'reload', { server, options })
  t.equal(new Set(methods.filter((method, i) => i % 4 === 0)).size, 2,
    'one of four processes gets requests of all kinds')
  t.equal(getMetric(calm, 'failed requests'), 0)
  t.same(calm.evidence, [])
  for (const { name, requests, counts } of calm.groups) t.same(counts, { ok: requests }, name)
  const act = async () => {
    const { port, host } = toAddress(server)
    server.close()
    server.closeAllConnections()
    await sleep(300)
    server.listen(Number(port), host)
    await once(server, 'listening')
  }
  const planted = await play(t, 'reload', { server, options, act })
  t.ok(Number(getMetric(planted, 'failed requests')) > 0)
  t.ok(Number(getMetric(planted, 'longest time without a response')) >= 290, 'the service was absent for 300 ms')
  t.ok(planted.groups.some(({ counts }) => counts.refused > 0))
  const { evidence = [] } = planted
  t.ok(evidence.length > 0)
  for (const line of evidence) {
    t.match(line, /^first failure of (GET|POST), (kept|new) connection: (refused|reset)/)
  }
})

t.test('reload fails if the action does', async t => {
  const server = await listen(t, (req, res) => { req.resume().on('end', () => res.end('response')) })
  const options = { act: 'restart-app', times: 1, rate: 50 }
  const act = async () => { throw new Error('the planted failure') }
  await t.rejects(play(t, 'reload', { server, options, act }), { message: 'the planted failure' })
})
