/** Tests that the clients of a rollout count each planted fault as what it is. */
import { EventEmitter, once } from 'node:events'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
// @ts-expect-error the package has no types
import { WebSocketServer } from 'ws'
import t from '../../../support/tap.js'
import { playVisits } from '../../../../bench/features/rollout/clients/play-visits.js'
import { openVisits } from '../../../../bench/features/rollout/clients/client.js'
import { listen, toAddress } from '../../../support/plays.js'
import { makeFiles, makeSites, sendFile, serveFiles } from '../../../support/rollout-sites.js'

/** @import { RequestListener, Server } from 'node:http' */
/** @import { Visit } from '../../../../bench/features/rollout/clients/plan-visits.js' */
/** @import { ClientOrder } from '../../../../bench/features/rollout/clients/play-visits.js' */
/** @import { Visits } from '../../../../bench/features/rollout/types.js' */

/** @type {Visit} */
const VISIT = { atMs: 0, isNew: true, late: [{ afterMs: 0, file: 0, api: 0 }] }
/** Outcomes of one visit without a fault. */
const RIGHT = { page: { ok: 1 }, file: { ok: 5 }, 'late-file': { ok: 1 }, api: { ok: 1 } }
const [, LATE] = Object.keys(makeFiles('old')).filter(path => /main.*js|About.*js/.test(path))
const PAGE = makeFiles('old')['/'][1]

/**
 * @param {Server} server
 * @param {Partial<ClientOrder> & { visits?: Iterable<Visit> | AsyncIterable<Visit> }} [order] visits: at whose end
 *   long connections are given up
 */
function play (server, { visits = [VISIT], ...order } = {}) {
  const over = new AbortController()
  const address = toAddress(server)
  const defaults = { address, sites: makeSites(), retries: false, idle: 0, stream: null, websocket: null }
  const endAfter = async function * () {
    yield * visits
    over.abort()
  }
  return playVisits({ ...defaults, ...order }, order.stream || order.websocket ? endAfter() : visits, over.signal)
}

/** @param {Visits} visits */
const toCounts = ({ clients }) => Object.fromEntries(clients.map(({ client, counts }) => [client, counts]))

/** @type {RequestListener} */
const cut = req => { req.socket.destroy() }

/** Yields to the clients in this process until they have read all that was sent. */
async function settle () {
  await sleep(50)
  for (let i = 0; i < 20; i++) await turn()
}

/**
 * Yields visits after something has happened.
 * @param {Promise<unknown>} happened
 * @param {Visit[]} [visits]
 * @returns {AsyncGenerator<Visit>}
 */
async function * after (happened, visits = []) {
  await happened
  await settle()
  yield * visits
}

t.test('counts no loss where there is none', async t => {
  const server = await serveFiles(t, makeFiles('old'))
  const visits = await play(server)
  t.same(toCounts(visits), RIGHT)
  t.strictSame([visits.losses.length, visits.mixedPages, visits.pages], [0, 0, 1])
  t.ok(visits.lagMs >= 0)
})

t.test('requests of a returning browser the page, and files without hashes alone', async t => {
  const server = await serveFiles(t, makeFiles('old'))
  const isServed = new Promise(resolve => server.on('request', (req, res) => {
    if (req.url === '/api/items') res.on('finish', resolve)
  }))
  const visits = await play(server, {
    visits: (async function * () {
      yield VISIT
      yield * after(isServed, [{ ...VISIT, isNew: false, late: [] }])
    })()
  })
  t.same(toCounts(visits), { ...RIGHT, page: { ok: 2 }, file: { ok: 6 } })
})

t.test('opens as many connections for the files of a page as a browser', async t => {
  const server = await serveFiles(t, makeFiles('old'))
  let connections = 0
  server.on('connection', () => connections++)
  const { old } = makeSites()
  const many = { ...old, files: [...old.files, ...old.files, ...old.files] }
  const visits = await play(server, { sites: { old: many, new: many } })
  t.same(toCounts(visits).file, { ok: 15 })
  t.equal(connections, 6)
})

t.test('counts a late file that is gone, also if the page is sent in its place', async t => {
  /** @type {Record<string, RequestListener>} */
  const faults = {
    404: (_, res) => { res.writeHead(404).end() },
    'the page': (_, res) => { res.setHeader('Content-Type', 'text/html').end(PAGE) }
  }
  for (const [name, fault] of Object.entries(faults)) {
    const visits = await play(await serveFiles(t, makeFiles('old'), { [LATE]: fault }))
    t.same(toCounts(visits), { ...RIGHT, 'late-file': { gone: 1 } }, name)
    t.match(visits.losses, [{ client: 'late-file', path: LATE, outcome: 'gone', build: 'old', isKept: true }], name)
    const now = Number(process.hrtime.bigint() / 1000000n)
    t.ok(visits.losses[0].atMs > now - 60_000 && visits.losses[0].atMs <= now, 'on the monotonic clock')
  }
})

t.test('counts a late file as recovered if the page of the new build has its own', async t => {
  const [older, newer] = [makeFiles('old'), makeFiles('new')]
  for (const hasNew of [true, false]) {
    let isReplaced = false
    const server = await listen(t, (req, res) => {
      if (req.url === LATE) isReplaced = true
      const late = Object.keys(newer).filter(path => path.includes('About'))
      const { [hasNew ? '' : late[0]]: _, ...files } = newer
      sendFile(isReplaced ? files : older, req, res)
    })
    const visits = await play(server, { retries: true })
    const again = hasNew ? { 'gone-recovered': 1, ok: 1 } : { gone: 2 }
    // The file that both builds have is kept.
    t.same(toCounts(visits), { page: { ok: 2 }, file: { ok: 9 }, 'late-file': again, api: { ok: 1 } })
    t.same(visits.losses.map(({ outcome, build }) => [outcome, build]),
      hasNew ? [['gone-recovered', 'old']] : [['gone', 'new'], ['gone', 'old']])
  }
})

t.test('counts files of the other build, and the pages that have them', async t => {
  const [type, body] = makeFiles('new')['/icon.svg']
  const server = await serveFiles(t, makeFiles('old'), {
    '/icon.svg': (_, res) => { res.setHeader('Content-Type', type).end(body) }
  })
  const { old, new: other } = makeSites()
  const sites = { old: { ...old, files: [...old.files, ...old.files.filter(({ isHashed }) => !isHashed)] }, new: other }
  const visits = await play(server, { sites, visits: [VISIT, VISIT] })
  t.same(toCounts(visits).file, { ok: 8, mixed: 4 })
  t.match(visits, { mixedPages: 2, pages: 2 })
})

t.test('counts errors of proxies, resets and truncated responses', async t => {
  /** @type {[string, RequestListener, boolean][]} */
  const faults = [
    ['status-502', (_, res) => { res.writeHead(502).end() }, true],
    // Repeated on a new connection.
    ['reset', cut, false],
    ['truncated', (_, res) => { res.writeHead(200, { 'Content-Length': 9 }).write('[', () => res.destroy()) }, true]
  ]
  for (const [outcome, fault, isKept] of faults) {
    const visits = await play(await serveFiles(t, makeFiles('old'), { '/api/items': fault }))
    t.same(toCounts(visits), { ...RIGHT, api: { [outcome]: 1 } })
    t.match(visits.losses, [{ client: 'api', path: '/api/items', outcome, build: 'old', isKept }])
  }
  const down = await play(await serveFiles(t, {}, { '/': (_, res) => { res.writeHead(503).end() } }))
  t.same(toCounts(down), { page: { 'status-503': 1 } })
  t.match(down, { pages: 0, losses: [{ client: 'page', build: null, isKept: false }] })
  const address = { url: 'http://127.0.0.1:1', host: '127.0.0.1', port: 1, socketPath: null }
  t.same(toCounts(await play(await serveFiles(t, {}), { address })), { page: { refused: 1 } })
})

t.test('repeats a request once if the server closes the kept connection before a response', async t => {
  let cuts = 0
  const server = await serveFiles(t, makeFiles('old'), {
    '/api/items': (req, res) => cuts++ === 0 ? cut(req, res) : sendFile(makeFiles('old'), req, res)
  })
  const visits = await play(server)
  t.same(toCounts(visits), { ...RIGHT, api: { repeated: 1 } })
  t.same(visits.losses, [])
  let begins = 0
  const begun = await serveFiles(t, makeFiles('old'), {
    '/api/items': (req, res) => begins++ === 0
      ? res.socket?.write('HTTP/1.1 200', () => cut(req, res))
      : sendFile(makeFiles('old'), req, res)
  })
  t.same(toCounts(await play(begun)).api, { reset: 1 }, 'not after the first byte')
  let pages = 0
  const fresh = await serveFiles(t, makeFiles('old'), {
    '/': (req, res) => pages++ === 0 ? cut(req, res) : sendFile(makeFiles('old'), req, res)
  })
  t.same(toCounts(await play(fresh)), { page: { reset: 1 } }, 'not on a new connection')
})

t.test('measures the longest time between two right responses', async t => {
  const server = await serveFiles(t, makeFiles('old'), {
    '/api/items': async (req, res) => {
      await sleep(200)
      sendFile(makeFiles('old'), req, res)
    }
  })
  const { longestPauseMs } = await play(server)
  t.ok(longestPauseMs >= 100, `${longestPauseMs} ms`)
})

t.test('uses idle connections once after the visits, unless they were closed in time', async t => {
  const play2 = async (/** @type {RequestListener} */ later, /** @type {boolean} */ closes = false) => {
    const events = new EventEmitter()
    let requests = 0
    const server = await listen(t, (req, res) => {
      if (++requests > 2) return later(req, res)
      res.on('finish', () => { if (requests === 2) events.emit('open') })
      sendFile(makeFiles('old'), req, res)
    })
    const opened = once(events, 'open').then(settle).then(() => { if (closes) server.closeIdleConnections() })
    return toCounts(await play(server, { idle: 2, visits: after(opened) }))
  }
  const send = (/** @type {Parameters<RequestListener>} */ ...call) => sendFile(makeFiles('old'), ...call)
  t.same(await play2(send), { idle: { ok: 2 } })
  t.same(await play2(send, true), { idle: { closed: 2 } })
  t.same(await play2(cut), { idle: { reset: 2 } })
  let cuts = 0
  t.same(await play2((req, res) => cuts++ < 2 ? cut(req, res) : send(req, res)), { idle: { repeated: 2 } })
})

t.test('counts how streams are interrupted', async t => {
  /** @type {[string, RequestListener, boolean][]} */
  const ends = [
    ['ok', () => {}, false],
    ['ended', (_, res) => { res.end() }, true],
    ['truncated', (_, res) => { res.destroy() }, true]
  ]
  for (const [outcome, end, isEnded] of ends) {
    const events = new EventEmitter()
    let [opened, closed] = [0, 0]
    const server = await listen(t, (req, res) => {
      res.on('close', () => { if (++closed === 4 && isEnded) events.emit('all') })
      res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n', () => {
        if (++opened === 4 && !isEnded) events.emit('all')
        end(req, res)
      })
    })
    const counts = toCounts(await play(server, { stream: '/events', visits: after(once(events, 'all')) }))
    t.same(counts, { stream: { [outcome]: 4 } })
  }
})

t.test('counts how WebSockets are closed', async t => {
  /** @type {[string, (socket: any) => void][]} */
  const ends = [
    ['ok', () => {}],
    ['closed-1001', socket => socket.close(1001)],
    ['cut', socket => socket.terminate()]
  ]
  for (const [outcome, end] of ends) {
    const sockets = new WebSocketServer({ noServer: true })
    const events = new EventEmitter()
    let [opened, closed] = [0, 0]
    const server = await listen(t, (_, res) => { res.end() }, (req, duplex, head) => {
      sockets.handleUpgrade(req, duplex, head, (/** @type {any} */ socket) => {
        socket.on('close', () => { if (++closed === 4 && outcome !== 'ok') events.emit('all') })
        if (++opened === 4 && outcome === 'ok') events.emit('all')
        end(socket)
      })
    })
    const counts = toCounts(await play(server, { websocket: '/ws', visits: after(once(events, 'all')) }))
    t.same(counts, { websocket: { [outcome]: 4 } })
  }
})

t.test('visits from a child process until the end', async t => {
  const server = await serveFiles(t, makeFiles('old'))
  const target = { url: toAddress(server).url, enter: [], dir: t.testdir() }
  const order = { sites: makeSites(), rate: 500, seed: 1, retries: false, idle: 1, stream: null, websocket: null }
  const visits = await openVisits({ ...target, ...order })
  while ((await once(server, 'request'))[0].url !== '/icon.svg');
  const { clients, losses, pages } = await visits.end()
  t.same(losses, [])
  t.ok(pages >= 1)
  for (const { requests, counts, client } of clients) t.same(counts, { ok: requests }, client)
  t.ok(['page', 'file', 'idle'].every(name => clients.some(({ client }) => client === name)))
  await t.rejects(openVisits({ ...target, ...order, enter: ['false'] }),
    { code: 'gate-refused', message: /its clients have ended/ })
})
