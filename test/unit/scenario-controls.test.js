/** Controls of scenarios: each finds a planted fault, and none where there is none. */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { request } from '../../bench/load/scenario-client.js'
import blocked from '../../bench/scenarios/blocked.js'
import pool from '../../bench/scenarios/pool.js'
import reload from '../../bench/scenarios/reload.js'
import behaviour from '../../servers/behaviour.js'
import { NO_READING } from '../support/played-app.js'

/** @import { AddressInfo } from 'node:net' @import { RequestListener, Server } from 'node:http' */
/** @import { Test } from 'tap' @import { OptionValue, Play, PlayContext, Scenario } from '../../bench/types.js' */

/**
 * @param {Test} t
 * @param {RequestListener} handler
 */
async function serve (t, handler) {
  const server = http.createServer({ keepAliveTimeout: 30_000 }, handler)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/** @param {Server} server */
function toTarget (server) {
  const { port } = /** @type {AddressInfo} */ (server.address())
  const address = { url: `http://127.0.0.1:${port}`, socketPath: null, host: '127.0.0.1', port }
  return { ...address, path: '/', headers: {}, origin: address }
}

/**
 * @param {Scenario} scenario
 * @param {Server} server
 * @param {Record<string, OptionValue>} options
 * @param {PlayContext['act']} [act]
 */
const play = (scenario, server, options, act = async () => {}) => scenario.play({
  target: toTarget(server),
  options,
  act,
  read: async () => ({
    ...NO_READING, memoryMiB: { proxy: 1, server: 2 }, openFiles: { proxy: 3, server: 4 }
  }),
  signal: AbortSignal.timeout(60_000),
  seed: 1
})

/**
 * @param {Play} played
 * @param {string} name
 */
const getFigure = ({ figures = [] }, name) => figures.find(figure => figure.name === name)?.value

t.test('blocked counts the requests that wait for those that block', async t => {
  const options = { rate: 100, every: 50, block: 300, seconds: 1 }
  const isBlock = (/** @type {string | undefined} */ url) => url?.startsWith('/block')
  let until = 0
  // Behaves like a blocked event loop, without blocking the client, which is in this process.
  const one = await serve(t, async (req, res) => {
    if (isBlock(req.url)) until = performance.now() + 300
    while (performance.now() < until) await sleep(until - performance.now() + 1)
    res.end('response')
  })
  const spared = await serve(t, async (req, res) => {
    if (isBlock(req.url)) await sleep(300)
    res.end('response')
  })
  const [planted, other] = [await play(blocked, one, options), await play(blocked, spared, options)]
  for (const { groups } of [planted, other]) {
    t.match(groups, [
      { name: 'others', requests: 98, counts: { ok: 98 } }, { name: 'blocking', requests: 2, counts: { ok: 2 } }
    ])
  }
  const [held, free] = [planted, other].map(played => Number(getFigure(played, 'others that took 20 ms or longer')))
  t.ok(held > free, `${held} % wait, and ${free} % without the fault`)
})

t.test('pool reports the connections that bursts open', async t => {
  const options = { requests: 5, bursts: 4, pause: 20 }
  for (const [opens, expected] of [[true, 1], [false, 0]]) {
    let connections = 0
    const server = await serve(t, (req, res) => {
      if (req.url !== '/connections' && opens) connections++
      res.end(req.url === '/connections' ? String(connections) : 'response')
    })
    const played = await play(pool, server, options)
    t.match(played.groups, [{ name: 'burst', requests: 20, counts: { ok: 20 } }])
    t.equal(getFigure(played, 'new upstream connections'), expected)
    t.equal(getFigure(played, 'memory of the app'), 2)
  }
})

t.test('pool reports an app that does not count its connections', async t => {
  const server = await serve(t, (req, res) => { res.writeHead(req.url === '/connections' ? 404 : 200).end() })
  const played = await play(pool, server, { requests: 2, bursts: 1, pause: 20 })
  t.match(played.evidence, [/no path \/connections/])
  t.equal(getFigure(played, 'new upstream connections'), undefined)
})

t.test('the app counts the connections since the first reading', async t => {
  const root = t.testdir()
  writeFileSync(`${root}/1kb.json`, '{}')
  const server = await serve(t, await behaviour({ root, options: { idle: 'long' } }))
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const count = async () => (await request(toTarget(server), { path: '/connections', agent })).body.toString()
  t.equal(await count(), '0')
  await request(toTarget(server), { path: '/' })
  await request(toTarget(server), { path: '/' })
  t.equal(await count(), '2')
})

t.test('reload counts what a release loses', async t => {
  const options = { act: 'restart-app', times: 1, rate: 100 }
  const server = await serve(t, (req, res) => { req.resume().on('end', () => res.end('response')) })
  const calm = await play(reload, server, options)
  t.equal(getFigure(calm, 'failed requests'), 0)
  t.same(calm.evidence, [])
  for (const { name, requests, counts } of calm.groups) t.same(counts, { ok: requests }, name)
  const planted = await play(reload, server, options, async () => {
    const { port } = /** @type {AddressInfo} */ (server.address())
    server.close()
    server.closeAllConnections()
    await sleep(300)
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  })
  t.ok(Number(getFigure(planted, 'failed requests')) > 0)
  t.ok(Number(getFigure(planted, 'longest time without a response')) >= 290, 'the service was absent for 300 ms')
  t.ok(planted.groups.some(({ counts }) => counts.refused > 0))
  t.match(planted.evidence, [/^first failure of (GET|POST), (kept|new) connection: (refused|reset)/])
})

t.test('reload fails if the action does', async t => {
  const server = await serve(t, (req, res) => { req.resume().on('end', () => res.end('response')) })
  const failing = play(reload, server, { act: 'restart-app', times: 1, rate: 50 }, async () => {
    throw new Error('the planted failure')
  })
  await t.rejects(failing, { message: 'the planted failure' })
})
