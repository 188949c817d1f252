/** `hopbench size --url` on real sockets: what is refused before any load, and what limits the load. */
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t from '../../../support/tap.js'
import { confirm } from '../../../../bench/request/confirm.js'
import { findEngine } from '../../../../bench/load/find-engine.js'
import { splitCores } from '../../../../bench/machine/cores.js'
import { createArm } from '../../../../bench/plan/plan.js'
import { parse } from '../../../../bench/plan/spec.js'
import { requestFrom } from '../../../../bench/request/user-request.js'
import { measureRoundTrip, openUrlRig } from '../../../../bench/features/size/url/rig.js'
import { pinAddress } from '../../../../bench/request/urls.js'
import { findCertificate } from '../../../../bench/topology/certificates.js'
import { makeWorkspace } from '../../../support/cli.js'
import { failsInProcess } from '../../../support/in-process.js'
import { listening } from '../../../support/listening.js'

/**
 * @import { RequestListener } from 'node:http'
 * @import { Test } from 'tap'
 */

/**
 * @param {Test} t
 * @param {RequestListener} listener
 */
const serve = (t, listener) => listening(t, createServer(listener))

/** @type {(t: Test, arm: Parameters<typeof openUrlRig>[0], address: string) => ReturnType<typeof openUrlRig>} */
const openRig = (t, arm, address) => openUrlRig(arm, {
  address,
  temp: join(t.testdir({}), 'load'),
  cores: splitCores('shared'),
  caps: { mostRps: 100, mostRequests: 1000, seconds: 60 },
  now: () => performance.now() / 1000,
  interrupted: () => false
})

/**
 * Loads an address and returns what the generator has measured.
 * @param {Test} t
 * @param {{ connections: number, rate: number, mostRequests: number, maxSeconds: number, dir: string }} load
 * @param {object} target
 */
async function measure (t, { dir, maxSeconds, ...load }, target) {
  const { start } = await findEngine('paced')
  const generator = await start({
    name: 'measured',
    load: { engine: 'paced', path: '/', headers: {}, seed: 1, ...load },
    target: /** @type {any} */ ({ socketPath: null, expectBody: null, ...target }),
    network: { enter: [] },
    cores: null,
    dir: join(dir, 'load'),
    maxSeconds
  })
  t.teardown(() => generator.kill())
  return (await generator.finished(30)).measurement
}

t.test('rejects misuse before any load, and asks before the load', async t => {
  const workspace = makeWorkspace(t)
  let requests = 0
  const port = await serve(t, (_, response) => { requests++; response.end('x') })
  const url = `http://127.0.0.1:${port}/`
  const goal = ['--rps', '100', '--p99', '50ms', '--quick', '--results', workspace.results]
  const fails = (/** @type {string[]} */ args, /** @type {RegExp} */ message) =>
    failsInProcess(t, ['size', ...args, ...goal], { workspace, exit: 2, message })
  const capped = ['--url', url, '--max-rps', '100']
  await fails(['--url', url], /it requires --max-rps/)
  await fails(['--url', url, '--max-rps', '5'], /below 10 a window has too few requests/)
  await fails([...capped, '--max-requests', '100'], /one search and the curve may send/)
  await fails([...capped, '--max-time', '5s'], /one search and the curve may take/)
  await fails([...capped, 'express-json'], /it replaces the topologies/)
  await fails([...capped, '--emulate'], /does not apply to a deployed instance/)
  await fails([...capped, '--path', '/x'], /the URL has a path/)
  await fails([...capped, '--plan', 'Acme One'], /requires --from/)
  await fails(['--url', 'ftp://127.0.0.1/', '--max-rps', '100'], /an address with http:/)
  await fails(['--url', 'http://me:pw@127.0.0.1/', '--max-rps', '100'], /its password would be stored/)
  await fails(['express-json', '--max-rps', '100'], /it requires --url/)
  await fails(['--url', 'http://192.0.2.1/', '--max-rps', '100', '--yes'], /192\.0\.2\.1 is another machine/)
  await fails(['--url', 'http://192.0.2.1/', '--max-rps', '100', '--yes', '--allow-host', 'other.example'],
    /192\.0\.2\.1 is another machine/)
  t.equal(requests, 0)
  const unasked = { input: /** @type {any} */ ({ isTTY: false }) }
  const asking = { command: 'size', option: '--yes' }
  await t.rejects(confirm('Load it?', asking, unasked), { code: 'bad-option', message: /no terminal .*Load it\?/ })
})

t.test('refuses a redirect to a second host, and leaves that host alone', async t => {
  let visits = 0
  const second = await serve(t, (_, response) => { visits++; response.end() })
  const port = await serve(t, (_, response) =>
    response.writeHead(302, { Location: `http://127.0.0.1:${second}/` }).end())
  const arm = createArm(parse(`http://127.0.0.1:${port}`))
  await t.rejects(pinAddress(arm), { code: 'url-redirects', message: /redirects to http:\/\/127\.0\.0\.1:\d+\/ / })
  t.equal(visits, 0)
})

t.test('resolves a name once, and all load goes to that address', async t => {
  /** @type {(string | undefined)[]} */
  const hosts = []
  const port = await serve(t, (request, response) => { hosts.push(request.headers.host); response.end('same') })
  // A second look-up would fail, because RFC 6761 reserves this name.
  const arm = createArm(parse(`http://shop.invalid:${port}`), { engine: 'paced', connections: 20 })
  let lookups = 0
  /** @type {(...args: any[]) => Promise<any>} */
  const resolve = async () => { lookups++; return [{ address: '127.0.0.1', family: 4 }] }
  const address = await pinAddress(arm, [], resolve)
  const rig = await openRig(t, arm, address)
  const { requests, errors } = await rig.paced({ rate: 50, seconds: 1, seed: 1 })
  t.equal(lookups, 1)
  t.ok(requests > 10, `${requests}`)
  t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
  t.same([...new Set(hosts)], [`shop.invalid:${port}`])
  t.equal(rig.sent(), hosts.length, 'every request was counted')
  t.ok(rig.roundTrip.p50Ms > 0 && rig.roundTrip.p50Ms <= rig.roundTrip.maxMs)
})

t.test('sends requests of another method with their body, after one GET of "/"', async t => {
  /** @type {Record<string, number>} */
  const seen = {}
  const port = await serve(t, async (request, response) => {
    const line = `${request.method} ${request.url} ${await text(request)}`
    seen[line] = (seen[line] ?? 0) + 1
    response.end('same')
  })
  const load = requestFrom({ method: 'POST', body: '{"a":1}' })
  const arm = createArm(parse(`http://127.0.0.1:${port}`), { engine: 'paced', connections: 20, path: '/buy', ...load })
  const rig = await openRig(t, arm, await pinAddress(arm))
  const { errors } = await rig.paced({ rate: 50, seconds: 1, seed: 1 })
  t.same(errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
  t.same(Object.keys(seen).sort(), ['GET / ', 'POST /buy {"a":1}'])
  t.equal(seen['GET / '], 1)
  t.equal(rig.sent(), seen['GET / '] + seen['POST /buy {"a":1}'], 'every request was counted')
})

t.test('a window ends at its limit of requests', async t => {
  let requests = 0
  const port = await serve(t, (_, response) => { requests++; response.end('x') })
  const load = { connections: 20, rate: 200, mostRequests: 30, maxSeconds: 3, dir: t.testdir({}) }
  const measurement = await measure(t, load, { url: `http://127.0.0.1:${port}` })
  t.equal(requests, 30)
  t.equal(measurement.requests, 30)
  t.ok(Number(measurement.seconds) < 3, 'it reports the shorter time')
})

t.test('sends the server name of the URL over TLS', async t => {
  const dir = t.testdir({})
  const { certFile, keyFile } = await findCertificate('ecdsa-p256', join(dir, 'tls'))
  /** @type {(string | false | null)[]} */
  const names = []
  const server = createSecureServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) })
  server.on('request', (request, response) => {
    names.push(/** @type {any} */ (request.socket).servername)
    response.end('x')
  })
  const port = await listening(t, server)
  const measurement = await measure(t, { connections: 5, rate: 50, mostRequests: 10, maxSeconds: 1, dir },
    { url: `https://localhost:${port}`, address: '127.0.0.1', caFile: certFile })
  t.same(measurement.errors, { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 })
  t.same([...new Set(names)], ['localhost'])
})

t.test('a host that refuses connections has no round trip', async t => {
  const server = createServer()
  const port = await listening(t, server)
  server.close()
  await once(server, 'close')
  await t.rejects(measureRoundTrip({ host: '127.0.0.1', port }, 'http://127.0.0.1/'), { code: 'url-unreachable' })
})
