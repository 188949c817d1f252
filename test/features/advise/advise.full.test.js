/**
 * The look of hopbench advise at running apps, and apps about which it gives no advice. An app that SIGTERM ends with a
 * request in flight: advised-apps.full.test.js.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { hopbench, leavesNothing, makeWorkspace } from '../../support/cli.js'
import { checkKit, checkWithTestApp } from '../../../bench/features/advise/check-kit.js'
import { inspectInWorker } from '../../../bench/features/advise/inspect.js'
import { adviseRequestFrom } from '../../../bench/features/advise/request.js'
import { armFrom } from '../../../bench/request/request.js'
import { toKitArm, writeKit } from '../../../bench/features/advise/write.js'
import { makeState } from '../../support/advice.js'
import { inEnvironment } from '../../support/provoke.js'

/** Responds to each path with other headers, and handles SIGTERM if HANDLES is set. */
const APP = `
import { createServer } from 'node:http'
const text = 'a text that is long enough for compression '.repeat(100)
const routes = {
  '/': response => {
    response.setHeader('Cache-Control', 'public, max-age=60')
    response.setHeader('Content-Type', 'text/html; charset=utf-8')
    response.setHeader('X-Powered-By', 'Test')
    response.end(text)
  },
  '/login': response => { response.writeHead(302, { Location: '/enter' }).end() },
  '/gone': response => { response.writeHead(404).end() },
  '/broken': response => { response.writeHead(500).end() },
  '/private': (response, { cookie }) => { response.writeHead(cookie === 'sid=1' ? 200 : 401).end('private') },
  '/cookie': response => { response.setHeader('Set-Cookie', 'sid=1'); response.end(text) },
  '/random': response => { response.end(String(Math.random())) }
}
const server = createServer(({ url, headers }, response) => (routes[url] ?? routes['/'])(response, headers))
server.keepAliveTimeout = process.env.SHORT ? 1000 : 7000
server.listen(process.env.PORT, process.env.ADDRESS)
if (process.env.HANDLES) process.on('SIGTERM', () => server.close())
`

const workspace = makeWorkspace(t)
writeFileSync(join(workspace.dir, 'app.mjs'), APP)
mkdirSync(join(workspace.dir, 'assets'))
writeFileSync(join(workspace.dir, 'assets/a.css'), 'a{}')
writeFileSync(join(workspace.dir, 'package.json'), JSON.stringify({ name: 'shop', scripts: {} }))

// The page of another site, which this app does not have.
writeFileSync(join(workspace.dir, 'other.har'), JSON.stringify({
  log: {
    entries: [{
      request: { method: 'GET', url: 'https://elsewhere.example/gone', headers: [] },
      response: { status: 200, content: { size: 10, mimeType: 'text/html' } }
    }]
  }
}))

writeFileSync(join(workspace.dir, 'some.txt'), '/\n/gone\n')

/** @param {string[]} args */
const advise = args => hopbench(['advise', '--results', workspace.results, ...args],
  { workspace, cwd: workspace.dir, timeoutSeconds: 60 })

/**
 * Looks at the app.
 * @param {string[]} paths
 * @param {string} dir
 */
async function lookAt (paths, dir) {
  const options = { app: ['node app.mjs'], readyWithin: 20, lab: false }
  const request = adviseRequestFrom(options)
  return (await inspectInWorker({ options, paths, headers: {} }, { bench: { dir }, request })).running
}

t.test('reads headers, the idle timeout and the reaction to SIGTERM of a running app', async t => {
  inEnvironment(t, { INIT_CWD: workspace.dir, TMPDIR: workspace.tmp, HANDLES: '1' })
  const found = await lookAt(['/', '/login', '/cookie', '/random'], t.testdir({}))
  t.match(found, {
    pages: [
      { path: '/', status: 200, type: 'text/html', cacheControl: 'public, max-age=60', encoding: null, varies: false },
      { path: '/cookie', setsCookie: true, cacheControl: null },
      { path: '/random', varies: true }
    ],
    refused: [{ why: /302.*\/enter/ }],
    keepAliveSeconds: 7,
    closesConnections: false,
    poweredBy: 'Test',
    drains: true
  })
  t.ok(Number(found.endSeconds) >= 0.4, `ended after ${found.endSeconds} s, when the request in flight was complete`)
})

/**
 * Writes a kit with nginx and tries it.
 * @param {string} out its folder, and that of its files
 * @param {(script: string) => string} change to its start script
 */
async function tryChanged (out, change) {
  const options = { lab: true, app: ['node app.mjs'], out: `./${out}`, target: 'render' }
  const request = adviseRequestFrom(options)
  const spec = 'nginx:keepalive/app'
  const { dir } = await writeKit(spec,
    { request, options, state: makeState({ chosen: spec }), printProgress: () => {} })
  const script = join(workspace.dir, dir, 'start.sh')
  writeFileSync(script, change(readFileSync(script, 'utf8')))
  return checkKit(await toKitArm(spec, request, options), {
    dir,
    requests: ['/', '/cookie', '/private'].map(path => ({ path })),
    headers: { Cookie: 'sid=1' },
    lab: true,
    temp: join(workspace.dir, `files-of-${out}`),
    platform: request.platform
  })
}

t.test('starts the kit, and finds whether it serves, keeps connections, reloads and drains', async t => {
  inEnvironment(t, { INIT_CWD: workspace.dir, TMPDIR: workspace.tmp, HANDLES: '1' })
  const [right, wrong] = await Promise.all([
    tryChanged('kit', text => text), tryChanged('deaf', text => text.replace('kill -HUP "$proxy"\' HUP', ':\' HUP'))
  ])
  t.equal(right.length, 5)
  for (const { title, fault } of right) t.equal(fault, null, title)
  t.same(wrong.map(({ fault }) => fault), [null, null, null, 'nginx did not reload within 5 s', null])
})

t.test('tries uploads, streams and WebSockets with a test app behind the configuration of the kit', async t => {
  inEnvironment(t, { INIT_CWD: workspace.dir, TMPDIR: workspace.tmp })
  const arm = await armFrom('nginx:keepalive+static+gzip_static+gzip/app', {
    connections: 1, app: ['node app.mjs'], files: ['/assets=./assets']
  })
  const checks = await checkWithTestApp(arm, { target: 'fly', upgrades: true, temp: join(workspace.dir, 'w') })
  t.equal(checks.length, 3)
  for (const { title, fault } of checks) t.equal(fault, null, title)
  const alone = await armFrom('app', { connections: 1, app: ['node app.mjs'] })
  t.same(await checkWithTestApp(alone, { target: 'fly', upgrades: true, temp: join(workspace.dir, 'w') }), [])
})

/**
 * Writes a kit without nginx and tries it.
 * @param {string} out its folder, and that of its files
 * @param {string} app
 */
async function tryAlone (out, app) {
  const options = { lab: true, app: [app], out: `./${out}`, target: 'render' }
  const request = adviseRequestFrom(options)
  const { dir } = await writeKit('app', { request, options, state: makeState(), printProgress: () => {} })
  const checks = await checkKit(await toKitArm('app', request, options), {
    dir, requests: [{ path: '/' }], lab: true, temp: join(workspace.dir, `files-of-${out}`), platform: request.platform
  })
  return checks.map(({ fault }) => fault)
}

t.test('finds that a kit without nginx closes idle connections, cuts a request in flight, or is not reached',
  async t => {
    inEnvironment(t, { INIT_CWD: workspace.dir, TMPDIR: workspace.tmp, SHORT: '1' })
    const [open, closed] = await Promise.all([
      tryAlone('alone', 'node app.mjs'), tryAlone('local', 'ADDRESS=127.0.0.1 node app.mjs')
    ])
    const cut = ['the connection was closed', 'one that had not wholly arrived was cut']
    t.same(open, [null, null, null, ...cut])
    t.match(closed, [null, null, /^it listens on 127\.0\.0\.1:\d+ only$/, ...cut])
  })

t.jobs = 2 // From here on, commands in processes of their own, which mostly wait for apps to start and to end.

t.test('fails with the reason if the app ends under load', { buffered: true }, async t => {
  const workspace = makeWorkspace(t)
  writeFileSync(join(workspace.dir, 'package.json'), JSON.stringify({ name: 'shop', scripts: {} }))
  // More requests than the look and the gate send. The load sends them in less than a second.
  writeFileSync(join(workspace.dir, 'ends.mjs'), `
    import { createServer } from 'node:http'
    let requests = 0
    createServer((request, response) => {
      if (++requests < 1000) return response.setHeader('Cache-Control', 'no-store').end('x')
      process.stderr.write('no memory is left\\n', () => process.exit(7))
    }).listen(process.env.PORT)`)
  const { exit, stderr } = await hopbench(
    ['advise', '--quick', '--yes', '--app', 'node ends.mjs', '--results', workspace.results],
    { workspace, cwd: workspace.dir, timeoutSeconds: 120 })
  t.equal(exit, 1)
  t.match(stderr, /No comparison succeeded.*ended with exit code 7/)
  t.match(stderr, /\[advise-nothing\]/)
  t.equal(stderr.match(/^Try: /gm)?.length, 1, 'one suggestion')
})

t.test('refuses a login, a HAR of another site, an app that listens nowhere, and one without its database', {
  buffered: true
}, async t => {
  /** @type {[string[], number, RegExp][]} */
  const cases = [
    [['--app', 'node app.mjs', '--path', '/login'], 1,
      /responds to GET \/login with status 302 and leads to \/enter: [^]*--header 'Cookie/],
    [['--app', 'node app.mjs', '--har', 'other.har'], 1, /responds to GET \/gone with status 404[^]*--har/],
    [['--app', 'node app.mjs', '--paths', 'some.txt'], 1, /responds to GET \/gone with status 404[^]*--paths/],
    [['--app', 'node app.mjs', '--path', '/broken'], 1, /with status 500[^]*--no-lab/],
    [['--app', 'sleep 30', '--ready-within', '1s'], 1, /opened no port within 1 s/],
    [['--app', 'echo connect ECONNREFUSED 127.0.0.1:5432 >&2; exit 1'], 1, /Start PostgreSQL[^]*--no-lab/]
  ]
  for (const [args, exit, message] of cases) {
    const result = await advise(args)
    t.equal(result.exit, exit, args.join(' '))
    t.match(result.stderr, message)
    t.equal(result.stderr.match(/^Try: /gm)?.length, 1, 'one suggestion')
  }
  await leavesNothing(t, workspace)
})
