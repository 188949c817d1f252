import t from '../support/tap.js'
import { behaviourApp, getCounts, getMetric, listen, play } from '../support/plays.js'

/** @import { PlayReading } from '../../bench/types.js' */

const READERS = { clients: 'readers', count: 3, speed: 400_000, bytes: 200_000, seconds: 20, others: 20 }
const STARTERS = { ...READERS, clients: 'starters', count: 60, speed: 1, seconds: 3 }

t.test('reads slowly, serves the others, and reports the memory that the served side adds', async t => {
  let readings = 0
  const read = async () => {
    const memory = readings++ === 0 ? 10 : 35
    return /** @type {PlayReading} */ ({
      memoryMiB: { proxy: 5, server: memory }, temporaryMiB: { proxy: readings, server: 0 }
    })
  }
  const server = await listen(t, await behaviourApp(t))
  const played = await play(t, 'slow-clients', { server, options: READERS, read })
  const counts = getCounts(played)
  t.same(counts['slow readers'], { ok: 3 })
  t.same(Object.keys(counts.others), ['ok'])
  t.same(Object.keys(counts['others, before']), ['ok'])
  t.equal(getMetric(played, 'memory that the app adds'), 25)
  t.equal(getMetric(played, 'memory that the proxy adds'), 0)
  t.equal(getMetric(played, 'temporary files of the proxy'), readings)
  t.ok(Number(getMetric(played, 'longest block of the app')) > 0)
  const [{ delays }] = played.groups.filter(({ name }) => name === 'slow readers')
  // 200 KB at 400 KB/s. The head of the response shortens no wait, because its bytes are read at the same speed.
  t.ok(Number(delays?.response.max) >= 500_000, 'no reader is faster than its speed')
})

t.test('counts a response that ends early, and an app without the path', async t => {
  const app = await behaviourApp(t)
  const origin = await listen(t, app)
  const server = await listen(t, (req, res) =>
    req.url === '/' ? app(req, res) : res.writeHead(200, { 'Content-Length': 9 }).end('short'))
  const played = await play(t, 'slow-clients', { server, origin, options: READERS })
  t.same(getCounts(played)['slow readers'], { truncated: 3 })
  t.match(played.evidence, [/first fault of slow readers: truncated/])
  const lacking = await listen(t, (req, res) => { res.writeHead(404).end() })
  await t.rejects(play(t, 'slow-clients', { server: lacking, options: READERS }),
    /send GET \/bytes\?size=200000, and the app has no such path: status-404/)
})

t.test('finds that slow starters take all connections, and that without a limit others are served', async t => {
  const app = await behaviourApp(t)
  const [origin, server] = [await listen(t, app), await listen(t, app)]
  // Without slow clients, only a pause of a second and a half would bring 30 others at once.
  server.maxConnections = 30
  const limited = getCounts(await play(t, 'slow-clients', { server, origin, options: STARTERS }))
  t.same(Object.keys(limited['others, before']), ['ok'])
  t.ok(limited.others.reset > 0, JSON.stringify(limited.others))
  const counts = getCounts(await play(t, 'slow-clients', { server: origin, options: STARTERS }))
  t.same(counts['slow starters'], { held: 60 })
  t.same(Object.keys(counts.others), ['ok'])
})
