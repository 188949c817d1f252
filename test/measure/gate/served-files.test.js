/** Which files of a folder an app sends to a stranger. */
import { createServer } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import t from '../../support/tap.js'
import { listPrefixFiles } from '../../../bench/measure/gate/file-list.js'
import { createUnservedError, findUnserved } from '../../../bench/measure/gate/served-files.js'
import { listening } from '../../support/listening.js'

/** @import { RequestListener } from 'node:http' */
/** @import { Test } from 'tap' */

/**
 * Starts an app in front of a folder.
 * @param {Test} t
 * @param {Parameters<Test['testdir']>[0]} files
 * @param {RequestListener} handler
 */
async function open (t, files, handler) {
  /** @type {string[]} */
  const calls = []
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`)
    handler(request, response)
  })
  const target = { url: `http://127.0.0.1:${await listening(t, server)}`, socketPath: null }
  const { files: all, others } = listPrefixFiles([{ prefix: '/assets', folder: t.testdir(files) }], '/')
  return { app: { target, network: { enter: [] } }, all, twins: others, calls }
}

/**
 * Returns a handler that sends bodies by path, and a status for all others.
 * @param {Record<string, string>} bodies
 * @param {number} [status]
 * @returns {RequestListener}
 */
const sendBodies = (bodies, status = 404) => ({ url = '' }, response) => {
  const body = bodies[url]
  if (body === undefined) return response.writeHead(status).end()
  response.writeHead(200, { 'Content-Length': Buffer.byteLength(body) }).end(body)
}

t.test('requests by HEAD a file whose body is not compared', async t => {
  const { app, all, calls } = await open(t, { 'a.js': 'a' }, sendBodies({ '/assets/a.js': 'b' }))
  t.equal(await findUnserved(app, { others: all }), null)
  t.strictSame(calls, ['HEAD /assets/a.js'])
})

t.test('compares the body of a file that is to be compared', async t => {
  const { app, all, calls } = await open(t, { 'a.js': 'a' }, sendBodies({ '/assets/a.js': 'b' }))
  t.strictSame(await findUnserved(app, { files: all, others: [] }), {
    path: '/assets/a.js',
    why: 'the app sends another content than that of the file',
    status: null,
    location: null
  })
  t.strictSame(calls, ['GET /assets/a.js'])
})

t.test('lets GET decide where HEAD is refused, has no length, or another one', async t => {
  for (const refuse of [405, 501, 404, null]) {
    const { app, all, calls } = await open(t, { 'a.js': 'abc' }, ({ method }, response) => {
      if (method === 'HEAD' && refuse !== null) return response.writeHead(refuse).end()
      response.writeHead(200).end('abc')
    })
    t.equal(await findUnserved(app, { others: all }), null, String(refuse))
    t.strictSame(calls, ['HEAD /assets/a.js', 'GET /assets/a.js'], String(refuse))
  }
})

t.test('finds a page that an app sends in place of a protected file', async t => {
  const { app, all } = await open(t, { 'a.js': 'abc' }, (_, response) => { response.end('<p>Please log in</p>') })
  t.match(await findUnserved(app, { others: all }), { path: '/assets/a.js', why: /another content/, status: null })
})

t.test('finds a protected file behind many others', async t => {
  const names = Array.from({ length: 900 }, (_, i) => `${i}.js`)
  const bodies = Object.fromEntries(names.map(name => [`/assets/${name}`, 'a']))
  delete bodies['/assets/873.js']
  const files = Object.fromEntries(names.map(name => [name, 'a']))
  const { app, all } = await open(t, files, sendBodies(bodies, 401))
  t.equal(all.length, 900)
  const unserved = await findUnserved(app, { others: all })
  t.strictSame(unserved,
    { path: '/assets/873.js', why: 'the app responds with status 401', status: 401, location: null })
  t.match(unserved && createUnservedError(unserved, { name: 'nginx+static/app', proxy: 'nginx' }), {
    code: 'file-published', message: /publish \/assets\/873\.js: .* status 401, and nginx serves/
  })
})

t.test('accepts the compressed form of a file, and no other file with such a name', async t => {
  const bodies = { '/assets/a.js': 'abc' }
  const good = await open(t, { 'a.js': 'abc', 'a.js.gz': gzipSync('abc'), 'a.js.br': brotliCompressSync('abc') },
    sendBodies(bodies))
  t.equal(good.twins.length, 2)
  t.equal(await findUnserved(good.app, { others: good.twins }), null)
  const secret = await open(t, { 'a.js': 'abc', 'a.js.gz': gzipSync('secret') }, sendBodies(bodies))
  t.match(await findUnserved(secret.app, { others: secret.twins }), { path: '/assets/a.js.gz', status: 404 })
  const twice = await open(t, { 'a.js': 'abc', 'a.js.gz': gzipSync('abc'), 'a.js.gz.gz': 'secret' }, sendBodies(bodies))
  t.match(await findUnserved(twice.app, { others: twice.twins }), { path: '/assets/a.js.gz.gz', status: 404 })
})

t.test('ends with the file for which no time is left', async t => {
  const { app, all, calls } = await open(t, { 'a.js': 'a' }, sendBodies({ '/assets/a.js': 'a' }))
  const unserved = await findUnserved(app, { others: all }, performance.now() - 1)
  t.match(unserved, { path: '/assets/a.js', why: /time .* over/, status: null })
  t.strictSame(calls, [])
})

t.test('sends headers of the load as a stranger, without secrets', async t => {
  /** @type {import('node:http').IncomingHttpHeaders[]} */
  const seen = []
  const { app, all } = await open(t, { 'a.js': 'a' }, (request, response) => {
    const { connection, ...headers } = request.headers
    seen.push(headers)
    sendBodies({ '/assets/a.js': 'a' })(request, response)
  })
  const headers = {
    Host: 'shop.example', Cookie: 'sid=1', Authorization: 'Bearer sesame', 'x-forwarded-for': '127.0.0.1'
  }
  t.equal(await findUnserved({ ...app, headers }, { others: all }), null)
  t.strictSame(seen, [{ host: 'shop.example', 'x-forwarded-for': '203.0.113.1' }])
})
