import { renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../../support/tap.js'
import { passFilesGate } from '../../../bench/measure/gate/files-gate.js'
import { findFileChange, listPrefixFiles } from '../../../bench/measure/gate/file-list.js'
import { isSameType } from '../../../bench/shared/http/media-types.js'
import { openFilesArm, toHandler } from '../../support/files-arm.js'

const BODIES = { '/assets/a.js': 'a', '/assets/sub/b%20c.js': 'b' }

/**
 * @param {import('tap').Test} t
 * @param {object} handlers
 * @param {import('node:http').RequestListener} [handlers.app]
 * @param {import('node:http').RequestListener} [handlers.proxy]
 * @param {string} [spec]
 */
async function pass (t, { app = toHandler(BODIES), proxy = toHandler(BODIES) }, spec) {
  const folder = t.testdir({ 'a.js': 'a', 'a.js.gz': gzipSync('a'), '.hidden': 'h', sub: { 'b c.js': 'b' } })
  const staged = await openFilesArm(t, {
    folder,
    app,
    proxy: (request, response) => {
      staged.calls.push(String(request.url))
      proxy(request, response)
    },
    spec
  })
  return { staged, result: await passFilesGate(staged, '/') }
}

/**
 * Opens an arm whose proxy requests each file from the app, too.
 * @param {import('tap').Test} t
 * @param {string} [spec]
 */
async function openPassing (t, spec) {
  const app = toHandler({ '/assets/a.js': 'a' })
  /** @type {Awaited<ReturnType<typeof openFilesArm>>} */
  const staged = await openFilesArm(t, {
    folder: t.testdir({ 'a.js': 'a' }),
    app,
    spec,
    proxy: async (request, response) => {
      await fetch(staged.running.originTarget.url)
      app(request, response)
    }
  })
  return staged
}

t.test('passes a proxy that serves all files as the app does, while the app is paused', async t => {
  const { staged, result } = await pass(t, {})
  t.match(result, { differences: null })
  t.equal(staged.calls.length, 7, 'each file plain and compressed, and a missing one')
  t.equal(staged.calls[0], 'pause')
  t.strictSame(staged.calls.slice(-2), ['resume', '/assets/hopbench-finds-no-such-file'])
  t.notMatch(staged.calls, ['/assets/a.js.gz'], 'a.js.gz stands for a.js')
  t.same(/** @type {any} */ (result).files.map((/** @type {any} */ { path }) => path),
    ['/assets/a.js', '/assets/sub/b%20c.js', '/assets/a.js.gz'], 'watches all files that the proxy may send')
})

t.test('sends the headers of the load, except secrets and Accept-Encoding', async t => {
  /** @type {import('node:http').IncomingHttpHeaders[]} */
  const seen = []
  const handle = (/** @type {any} */ request, /** @type {any} */ response) => {
    seen.push(request.headers)
    toHandler({ '/assets/a.js': 'a' })(request, response)
  }
  const staged = await openFilesArm(t, { folder: t.testdir({ 'a.js': 'a' }), app: handle, proxy: handle })
  staged.arm.load.headers = {
    Host: 'shop.example', 'X-Forwarded-Proto': 'https', Cookie: 'sid=1', 'Accept-Encoding': 'gzip'
  }
  t.match(await passFilesGate(staged, '/'), { differences: null })
  t.equal(seen.length, 6)
  for (const headers of seen) {
    t.match(headers, { host: 'shop.example', 'x-forwarded-proto': 'https', cookie: undefined })
    t.not(headers['accept-encoding'], 'gzip')
  }
})

t.test('refuses a proxy that would publish a file that the app protects', async t => {
  for (const status of [401, 403, 404, 302]) {
    const app = (/** @type {any} */ request, /** @type {any} */ response) => {
      response.writeHead(status, status === 302 ? { Location: '/login' } : {}).end()
    }
    await t.rejects(pass(t, { app }), { code: 'file-published', message: /\/assets\/a\.js/ }, String(status))
  }
})

t.test('refuses a proxy that would publish a file whose body is not compared', async t => {
  const folder = t.testdir({ 'a.js': 'a', 'a.js.gz': 'not a.js' })
  const send = toHandler({ '/assets/a.js': 'a', '/assets/a.js.gz': 'not a.js' })
  writeFileSync(join(folder, 'large'), '')
  truncateSync(join(folder, 'large'), 65 * 2 ** 20)
  /** @type {string[]} */
  const methods = []
  /** Returns the result of the gate for an app that sends the large file, and another one with a status. */
  const passWith = async (/** @type {string} */ other, /** @type {number} */ status) => {
    const app = (/** @type {any} */ request, /** @type {any} */ response) => {
      methods.push(request.method)
      if (request.url === other) return response.writeHead(status).end()
      if (request.url !== '/assets/large') return send(request, response)
      response.writeHead(200, { 'Content-Length': 65 * 2 ** 20 }).end()
    }
    return passFilesGate(await openFilesArm(t, { folder, app, proxy: toHandler({ '/assets/a.js': 'a' }) }), '/')
  }
  await t.rejects(passWith('/assets/large', 403), { code: 'file-published', message: /\/assets\/large/ })
  await t.rejects(passWith('/assets/a.js.gz', 404), { code: 'file-published', message: /\/assets\/a\.js\.gz/ })
  t.match(await passWith('/assets/large', 429), /^\/assets\/large: the app responds with status 429/)
  t.ok(methods.includes('HEAD'))
})

t.test('refuses other bytes, another type, another status, and a wrong compressed file', async t => {
  const other = await pass(t, { proxy: toHandler({ ...BODIES, '/assets/a.js': 'z' }) })
  t.match(other.result, /^\/assets\/a\.js: the body of the proxy differs/)
  const type = await pass(t, { proxy: toHandler(BODIES, { 'Content-Type': 'text/plain' }) })
  t.match(type.result, /Content-Type of the app is text\/javascript, that of the proxy text\/plain/)
  const missing = await pass(t, { proxy: toHandler({ '/assets/a.js': 'a' }) })
  t.match(missing.result, /^\/assets\/sub\/b%20c\.js: the app responds with status 200, the proxy with 404/)
  const stale = await pass(t, {
    proxy: (request, response) => {
      if (!String(request.headers['accept-encoding']).includes('gzip') || request.url !== '/assets/a.js') {
        return toHandler(BODIES)(request, response)
      }
      response.writeHead(200, { 'Content-Type': 'text/javascript', 'Content-Encoding': 'gzip' }).end(gzipSync('old'))
    }
  })
  t.match(stale.result, /^\/assets\/a\.js: the body of the proxy differs .* with Content-Encoding: gzip/)
})

t.test('refuses an app that responds differently to each request, or fails', async t => {
  let times = 0
  const varying = await pass(t, { app: (_request, response) => { response.end(String(times++)) } })
  t.match(varying.result, /responds differently to each request for \/assets\/a\.js/)
  const failing = await pass(t, { app: (_request, response) => { response.writeHead(500).end() } })
  t.match(failing.result, /responds to \/assets\/a\.js with status 500/)
})

t.test('refuses a proxy that responds to a missing file, and an app that receives requests for files', async t => {
  const fallback = await pass(t, {
    proxy: (request, response) => toHandler({ [String(request.url)]: 'a', ...BODIES })(request, response)
  })
  t.match(fallback.result, /no-such-file: the app responds with status 404, the proxy with 200$/)
  t.match(await passFilesGate(await openPassing(t), '/'), /counted \d+ requests for files that the proxy serves/)
})

t.test('counts that a proxy without +static passes all requests on', async t => {
  const kept = await pass(t, {}, 'nginx:keepalive/./app.js')
  t.match(kept.result, /counted 0 of 2 requests for files/)
  const staged = await openPassing(t, 'nginx:keepalive/./app.js')
  t.match(await passFilesGate(staged, '/'), { differences: null })
  t.same(staged.calls, [], 'the app is not paused')
})

t.test('lists headers that differ, which is no fault', async t => {
  const { result } = await pass(t, {
    app: toHandler(BODIES, { 'Cache-Control': 'max-age=0', ETag: '"1"' }), proxy: toHandler(BODIES, { ETag: '"2"' })
  })
  t.match(result, {
    differences: {
      compared: 2,
      total: 2,
      headers: [{ name: 'cache-control', files: 2, path: '/assets/a.js', app: 'max-age=0', proxy: null }]
    }
  })
})

t.test('compares types by their media type, and a charset only where both have one', async t => {
  t.ok(isSameType('text/css; charset=utf-8', 'text/css'))
  t.ok(isSameType('application/javascript', 'text/javascript; charset=UTF-8'))
  t.ok(isSameType(null, 'application/octet-stream'))
  t.notOk(isSameType('text/css; charset=utf-8', 'text/css; charset=iso-8859-1'))
  t.notOk(isSameType('text/css', 'text/plain'))
})

t.test('compares a sample of many files, the same one each time', async t => {
  const folder = t.testdir({})
  for (let i = 0; i < 1010; i++) writeFileSync(join(folder, `${i}.js`), '')
  const list = () => listPrefixFiles([{ prefix: '/assets', folder }], '/')
  t.equal(list().files.length, 1000)
  t.equal(list().total, 1010)
  t.same(list().files, list().files)
  const first = Array.from({ length: 1010 }, (_, i) => `/assets/${i}.js`).sort().slice(0, 1000)
  t.notSame(list().files.map(({ path }) => path).sort(), first, 'not the first ones by name')
  t.strictSame([...list().files, ...list().others].map(({ path }) => path).sort(),
    Array.from({ length: 1010 }, (_, i) => `/assets/${i}.js`).sort(), 'the others are listed, too')
})

t.test('watches precompressed files without comparing them', async t => {
  const folder = t.testdir({ 'a.js': 'a', 'a.js.gz': 'x', 'a.js.br': 'x', 'b.gz': 'x' })
  const { files, watched, others, total } = listPrefixFiles([{ prefix: '/assets', folder }], '/')
  t.same(files.map(({ path }) => path), ['/assets/a.js', '/assets/b.gz'])
  t.equal(total, 2)
  t.strictSame(others.map(({ path, original }) => [path, original]),
    ['/assets/a.js.br', '/assets/a.js.gz'].map(path => [path, join(folder, 'a.js')]))
  const staged = { files: { files: watched, differences: null } }
  t.equal(findFileChange(staged), null)
  writeFileSync(join(folder, 'a.js.gz'), 'longer')
  t.match(findFileChange(staged), { params: { path: '/assets/a.js.gz' } })
})

t.test('names a file that changed, was replaced or removed', async t => {
  const folder = t.testdir({ 'a.js': 'a', 'b.js': 'b' })
  const { files } = listPrefixFiles([{ prefix: '/assets', folder: '.' }], folder)
  const staged = { files: { files, differences: null } }
  t.equal(findFileChange(staged), null)
  t.equal(findFileChange({}), null)
  writeFileSync(join(folder, 'b.js'), 'longer')
  t.same(findFileChange(staged), { code: 'file-changed', params: { path: '/assets/b.js' } })
  writeFileSync(join(folder, 'new.js'), 'a')
  renameSync(join(folder, 'new.js'), join(folder, 'a.js'))
  t.match(findFileChange(staged), { params: { path: '/assets/a.js' } })
  rmSync(join(folder, 'a.js'))
  t.match(findFileChange(staged), { params: { path: '/assets/a.js' } })
})
