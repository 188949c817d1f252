/** Proxies that serve the files of an app themselves (+static), tried with the real programs. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '../support/tap.js'
import { fetchResponses } from '../../bench/measure/gate/gate.js'
import { skipWithout } from '../support/needs.js'
import { staged, wordFor } from '../support/stage.js'

/** @import { StagedArm } from '../../bench/measure/types.js' */
/** @import { MixedRequest } from '../../bench/types.js' */

const SCRIPT = 'console.log(1)\n'.repeat(200)
const SECRET = 'the secret'
const PROXIES = [
  { name: 'nginx', options: '+gzip+gzip_static', packs: true, followsLinks: false },
  { name: 'apache', options: '', packs: false, followsLinks: false },
  { name: 'caddy', options: '+gzip+gzip_static', packs: true, followsLinks: true }
]

const dir = t.testdir({
  'app.mjs': `import express from ${JSON.stringify(import.meta.resolve('express'))}
const app = express()
app.use('/assets', express.static(${JSON.stringify(join(t.testdirName, 'public'))}))
app.get('/assetsfoo', (_request, response) => response.send('foo'))
app.get('/', (_request, response) => response.send('text '.repeat(200)))
export default app
`,
  // The usual layout: static files first, and routes behind, which respond with the method and the path.
  'site.mjs': `import express from ${JSON.stringify(import.meta.resolve('express'))}
const app = express()
app.get('/index.html', (_request, response) => response.send('rendered'))
app.use(express.static(${JSON.stringify(join(t.testdirName, 'public'))}, { index: false, redirect: false }))
app.use(({ method, url }, response) =>
  response.status(method === 'GET' ? 200 : 201).send((method + ' ' + url + ' ').repeat(99)))
export default app
`,
  secret: SECRET,
  public: {
    '.env': SECRET,
    'a b.txt': 'text',
    'app.js': SCRIPT,
    'app.js.gz': gzipSync(SCRIPT),
    'font.woff2': 'font',
    'mod.mjs': 'export {}',
    'site.webmanifest': '{}',
    sub: { 'index.html': '<h1>page</h1>' },
    list: { 'only.css': 'a {}' }
  }
})
const folder = join(dir, 'public')
mkdirSync(join(folder, 'sub/.git'))
writeFileSync(join(folder, 'sub/.git/config'), SECRET)
const spec = wordFor(join(dir, 'app.mjs'))
const site = wordFor(join(dir, 'site.mjs'))
/** Headers of the gate's requests, because an option of compression needs a compressed response. */
const headers = { 'Accept-Encoding': 'gzip' }

/**
 * @param {Pick<StagedArm, 'running' | 'network'>} arm
 * @param {MixedRequest[]} requests
 */
async function ask ({ running, network }, requests) {
  const { answers, failures } = await fetchResponses({
    target: running.target,
    load: { path: '/', headers: {}, requests },
    network,
    times: requests.length,
    headerNames: ['etag', 'location']
  })
  if (failures.length > 0) throw new Error(failures[0])
  return requests.map((_, i) => /** @type {typeof answers[0]['answer']} */ (
    answers.find(({ answer }) => answer.request === i)?.answer))
}

t.jobs = PROXIES.length // nginx keeps the lines of its log for up to 5 s. Tests that change the folder run alone.

for (const { name, options, packs, followsLinks } of PROXIES) {
  t.test(`${name} serves files below the prefix and nothing else`, {
    skip: skipWithout(name), buffered: false
  }, async t => {
    const open = () => staged(t, `${name}:keepalive+static${options}/${spec}`,
      { headers, files: [`/assets=${folder}`], filesHidden: 'ignore' })
    const arm = await open()
    const before = await arm.running.origin()
    t.ok(before?.files, 'the app counts requests for files, those of the gate')
    const [script] = await ask(arm, [{ path: '/assets/app.js' }])
    t.match(script, { status: 200, bytes: SCRIPT.length, contentType: /^text\/javascript/ })
    /** @type {(MixedRequest & { status: number, bytes?: number, contentType?: RegExp | string })[]} */
    const cases = [
      { path: '/assets/app.js', method: 'HEAD', status: 200, bytes: 0 },
      { path: '/assets/app.js', headers: { Range: 'bytes=0-3' }, status: 206, bytes: 4 },
      { path: '/assets/app.js', headers: { 'If-None-Match': script.headers?.etag ?? '' }, status: 304 },
      { path: '/assets/app.js?v=1', status: 200, bytes: SCRIPT.length },
      { path: '/assets/a%20b.txt', status: 200, bytes: 4, contentType: /^text\/plain/ },
      { path: '/assets/mod.mjs', status: 200, contentType: /^text\/javascript/ },
      { path: '/assets/site.webmanifest', status: 200, contentType: /^application\/manifest\+json/ },
      { path: '/assets/font.woff2', status: 200, contentType: 'font/woff2' },
      { path: '/assets/sub/', status: 200, contentType: /^text\/html/ },
      { path: '/assets/missing.js', status: 404 },
      { path: '/assets/.env', status: 404 },
      { path: '/assets/%2eenv', status: 404 },
      { path: '/assets/sub/.git/config', status: 404 }
    ]
    const answers = await ask(arm, cases.map(({ path, method, headers }) => ({ path, method, headers })))
    for (const [i, { path, method = 'GET', headers, ...expected }] of cases.entries()) {
      t.match(answers[i], expected, `${method} ${path} ${JSON.stringify(headers ?? {})}`)
    }
    const [packed] = await ask(arm, [{ path: '/assets/app.js', headers: { 'Accept-Encoding': 'gzip' } }])
    t.equal(packed.contentEncoding, packs ? 'gzip' : null)
    t.equal(packed.plainSha256, script.sha256)
    t.equal((await arm.running.origin())?.files, before?.files, 'the app receives no request for a file')

    const [foo, slashless] = await ask(arm, [{ path: '/assetsfoo' }, { path: '/assets' }])
    t.match(foo, { status: 200, bytes: 3 }, 'another path that begins like the prefix is one of the app')
    t.match(slashless, { status: 301, location: /\/assets\/$/ }, 'the app redirects the prefix without a slash')
    const list = await ask(arm, [{ path: '/assets/list/' }])
    t.ok([403, 404].includes(list[0].status), 'no list of a folder')
    const escapes = ['/assets/../secret', '/assets/%2e%2e/secret', '/assets/..%2fsecret', '/assets//../../secret',
      '/assets/sub/../../../secret', '/assets/..%5csecret', '/assets/%00']
    for (const [i, { status }] of (await ask(arm, escapes.map(path => ({ path })))).entries()) {
      t.ok(status >= 400, `${escapes[i]}: ${status}`)
    }
    const link = `link-${name}`
    symlinkSync(join(dir, 'secret'), join(folder, link))
    const [linked] = await ask(arm, [{ path: `/assets/${link}` }])
    // Caddy has no option against links, so a folder with links is refused before it starts.
    t.equal(linked.status === 200, followsLinks, `a link of a later moment: ${linked.status}`)
    await t.rejects(open(), { code: 'bad-option', message: new RegExp(link) })
    rmSync(join(folder, link))
  })
}

for (const { name, options } of PROXIES) {
  t.test(`${name} sends the files of the whole site and hides no route`, {
    skip: skipWithout(name), buffered: true
  }, async t => {
    const arm = await staged(t, `${name}:keepalive+static+production${options}/${site}`,
      { headers, files: [`/=${folder}`], filesHidden: 'ignore' })
    const before = await arm.running.origin()
    t.ok(before?.files, 'the app counts requests for files, those of the gate')
    const [script] = await ask(arm, [{ path: '/app.js' }])
    /** @type {(MixedRequest & { status: number, bytes?: number })[]} */
    const files = [
      { path: '/app.js', status: 200, bytes: SCRIPT.length },
      { path: '/app.js', method: 'HEAD', status: 200, bytes: 0 },
      { path: '/app.js?v=1', headers: { Range: 'bytes=0-3' }, status: 206, bytes: 4 },
      { path: '/app.js', headers: { 'If-None-Match': script.headers?.etag ?? '' }, status: 304 },
      { path: '/app.js', headers: { Accept: 'text/html' }, status: 200, bytes: SCRIPT.length },
      { path: '/a%20b.txt', status: 200, bytes: 4 },
      { path: '/sub/index.html', status: 200, bytes: 13 }
    ]
    const answers = await ask(arm, files.map(({ path, method, headers }) => ({ path, method, headers })))
    for (const [i, { path, method = 'GET', headers, ...expected }] of files.entries()) {
      t.match(answers[i], expected, `${method} ${path} ${JSON.stringify(headers ?? {})}`)
    }
    const after = await arm.running.origin()
    t.same([after?.files, after?.requests], [before?.files, before?.requests], 'no request for a file reaches the app')

    const routes = ['/', '/missing.js', '/sub', '/sub/', '/list/', '/app.js/', '/.env', '/%2eenv', '/sub/.git/config',
      '/.well-known/a', '/api/..%2fapp.js']
    const [front, origin] = await Promise.all([arm.running.target, arm.running.originTarget].map(target =>
      ask({ network: arm.network, running: { ...arm.running, target } }, routes.map(path => ({ path })))))
    for (const [i, path] of routes.entries()) {
      t.equal(origin[i].status, 200, `the app has a route for ${path}`)
      t.same([front[i].status, front[i].sha256], [200, origin[i].sha256], path)
    }
    const posts = ['/app.js', '/list/'].map(path => ({ path, method: 'POST', body: { base64: 'YT0x', bytes: 3 } }))
    t.same((await ask(arm, posts)).map(({ status }) => status), [201, 201], 'POST reaches the app, also for a file')
    t.equal((await arm.running.origin())?.files, before?.files, 'no other request is counted as one for a file')
  })
}

t.test('refuses the files of the whole site where a route hides one', {
  skip: skipWithout('nginx'), buffered: false
}, async t => {
  const hidden = join(folder, 'index.html')
  writeFileSync(hidden, '<h1>not sent by the app</h1>')
  t.teardown(() => rmSync(hidden))
  await t.rejects(staged(t, `nginx:keepalive+static/${site}`, { files: [`/=${folder}`], filesHidden: 'ignore' }),
    { message: /^\/index\.html: the app sends another content/ })
})
