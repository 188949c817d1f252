import t from 'tap'
import scenario from '../../bench/scenarios/slow-clients.js'
import { behaviourApp, planPlay } from '../support/played-app.js'

/** @import { Play, PlayReading } from '../../bench/types.js' */

const READERS = { clients: 'readers', count: 3, speed: 400_000, bytes: 200_000, seconds: 20, others: 20 }
const STARTERS = { ...READERS, clients: 'starters', count: 60, speed: 1, seconds: 3 }

/** @param {Play} play */
const countsOf = ({ groups }) => Object.fromEntries(groups.map(({ name, counts }) => [name, counts]))

t.test('reads slowly, serves the others, and reports the memory that the served side adds', async t => {
  let readings = 0
  const read = async () => {
    const memory = readings++ === 0 ? 10 : 35
    return /** @type {PlayReading} */ ({
      memoryMiB: { proxy: 5, server: memory }, temporaryMiB: { proxy: readings, server: 0 }
    })
  }
  const play = await scenario.play(await planPlay(t, { app: await behaviourApp(t), options: READERS, read }))
  const counts = countsOf(play)
  t.same(counts['slow readers'], { ok: 3 })
  t.same(Object.keys(counts.others), ['ok'])
  t.same(Object.keys(counts['others, before']), ['ok'])
  const figures = Object.fromEntries(play.figures?.map(({ name, value }) => [name, value]) ?? [])
  t.match(figures, {
    'memory that the app adds': 25, 'memory that the proxy adds': 0, 'temporary files of the proxy': readings
  })
  t.ok(figures['longest block of the app'] > 0)
  const [{ delays }] = play.groups.filter(({ name }) => name === 'slow readers')
  // 200 KB at 400 KB/s. The head of the response shortens no wait, because its bytes are read at the same speed.
  t.ok(JSON.parse(JSON.stringify(delays?.response)).max >= 500_000, 'no reader is faster than its speed')
})

t.test('counts a response that ends early, and an app without the path', async t => {
  const app = await behaviourApp(t)
  const play = await scenario.play(await planPlay(t, {
    app,
    front: (req, res) => req.url === '/' ? app(req, res) : res.writeHead(200, { 'Content-Length': 9 }).end('short'),
    options: READERS
  }))
  t.same(countsOf(play)['slow readers'], { truncated: 3 })
  t.match(play.evidence, [/first fault of slow readers: truncated/])
  const lacking = await planPlay(t, { app: (req, res) => { res.writeHead(404).end() }, options: READERS })
  await t.rejects(scenario.play(lacking), /send GET \/bytes\?size=200000, and the app has no such path: status-404/)
})

t.test('writes slowly', async t => {
  const options = { ...READERS, clients: 'writers' }
  const play = await scenario.play(await planPlay(t, { app: await behaviourApp(t), options }))
  t.same(countsOf(play)['slow writers'], { ok: 3 })
})

t.test('finds that slow starters take all connections, and that without a limit others are served', async t => {
  const app = await behaviourApp(t)
  // Without slow clients, only a pause of a second and a half would bring 30 others at once.
  const limited = await scenario.play(await planPlay(t, { app, options: STARTERS, maxConnections: 30 }))
  const { others, 'others, before': before } = countsOf(limited)
  t.same(Object.keys(before), ['ok'])
  t.ok(others.reset > 0, JSON.stringify(others))
  const counts = countsOf(await scenario.play(await planPlay(t, { app, options: STARTERS })))
  t.same(counts['slow starters'], { held: 60 })
  t.same(Object.keys(counts.others), ['ok'])
})
