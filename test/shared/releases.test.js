/** Releases of Debian in topologies, plans, verdicts and records. */
import t from '../support/tap.js'
import { judgeSample } from '../../bench/judge/verdict.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { parse, print } from '../../bench/plan/spec.js'
import { differences } from '../../bench/report/claims.js'
import { toKitCommand } from '../../bench/report/winner.js'
import {
  findVersion, getProgramKey, isRelease, readVersion, toVersionText
} from '../../bench/shared/releases.js'
import { withReleases } from '../../bench/request/user-release.js'
import { armFrom, planFrom } from '../../bench/request/request.js'
import { getOptionSpec, variantFor, withRelease } from '../../bench/topology/variants.js'
import nginx from '../../proxy/nginx.js'
import varnish from '../../proxy/varnish.js'
import { conf, filesConf } from '../support/nginx-conf.js'
import { makeRecord } from '../support/record.js'
import { armOf, sampleOf } from '../support/samples.js'

/** @import { RunFlags } from '../../bench/request/types.js' */

const VERSIONS = [
  { release: 'sid', version: '1:1.30.6-2' },
  { release: 'trixie-backports', version: '1.28.0-1~bpo13+1' },
  { release: 'trixie', version: '1.3.9+dfsg-1' },
  { release: 'bookworm', version: '1.3.9+dfsg-1' }
]
/** @type {RunFlags} */
const lab = { lab: true, seed: 1 }

t.test('finds the version of a release, of a beginning, and the newest', async t => {
  const find = (/** @type {string} */ release) => findVersion(release, VERSIONS)?.release ?? null
  t.equal(find('trixie-backports'), 'trixie-backports')
  t.equal(find('1.30'), 'sid')
  t.equal(find('1.30.6'), 'sid')
  t.equal(find('1.28.0'), 'trixie-backports')
  t.equal(find('1.3'), 'bookworm', 'of 1.3 and not of 1.30, and the older of two releases')
  t.equal(find('1'), 'sid', 'the newest of several')
  t.equal(find('1.31'), null)
  t.equal(find('current'), 'sid')
  t.equal(findVersion('current', []), null)
})

t.test('keeps a version as text in a topology', async t => {
  const spec = 'nginx:keepalive+release=1.30/express-json'
  t.strictSame(parse(spec).proxy?.options, { release: '1.30' })
  t.equal(print(parse(spec)), spec)
  t.equal(print(parse('haproxy:tcp+release=3.2/express-json')), 'haproxy:tcp+release=3.2/express-json')
})

t.test('rejects an unknown release, and a proxy that cannot have one', async t => {
  for (const name of ['sid', 'current', '1.30', '2']) t.ok(isRelease(name), name)
  for (const name of ['jammy', '1.', 'installed', '', true, 3, '__proto__']) t.notOk(isRelease(name), String(name))
  const { options } = nginx.about
  for (const release of ['jammy', true, 3]) {
    t.throws(() => resolveOptions('nginx', options, { release }),
      { code: 'bad-option', message: /bookworm, trixie, trixie-backports, sid, current, or a version/ })
  }
  t.throws(() => resolveOptions('varnish', varnish.about.options, { release: 'sid' }, varnish.about.lacks),
    { code: 'bad-option', message: /compiles its VCL/ })
})

t.test('records the program of each release under a name of its own', async t => {
  t.equal(getProgramKey({ name: 'nginx', options: {} }), 'nginx')
  t.equal(getProgramKey({ name: 'nginx', options: { release: 'installed' } }), 'nginx')
  t.equal(getProgramKey({ name: 'nginx', options: { release: 'sid' } }), 'nginx+release=sid')
  const text = toVersionText({ version: '1.30.6', release: { release: 'sid', version: '1.30.6-2' } })
  t.equal(text, '1.30.6 (sid, 1.30.6-2)')
  t.equal(readVersion(text), '1.30.6')
  t.equal(toVersionText({ version: '1.22.1', release: null }), '1.22.1')
})

t.test('names every version of a program that differs from the published one', async t => {
  const record = makeRecord({ tools: { 'nginx+release=sid': '1.30.6 (sid, 1.30.6-2)', nginx: '1.22.1' } })
  t.strictSame(differences({ software: { nginx: '1.22.0' } }, record), ['nginx 1.30.6 in place of 1.22.0'])
  t.strictSame(differences({ software: { nginx: '1.4.3' } }, record), ['nginx 1.30.6 and 1.22.1 in place of 1.4.3'])
})

t.test('--release sets the release of each proxy that names none', async t => {
  const words = ['nginx:keepalive/express-json', 'nginx:tcp+release=1.26/express-json', 'express-json',
    'nginx:keepalive/nginx']
  const arms = await Promise.all(words.map(spec => armFrom(spec, { connections: 1 })))
  t.strictSame(arms.map(arm => withRelease(arm, 'sid').spec), [
    'nginx:keepalive+release=sid/express-json', 'nginx:tcp+release=1.26/express-json', 'express-json',
    'nginx:keepalive+release=sid/nginx+release=sid'
  ])
  const { plan } = await planFrom(['nginx:keepalive/express-json', 'express-json'], { ...lab, release: 'current' })
  t.strictSame(plan.arms.map(({ topology: { proxy } }) => proxy?.options.release), ['current', undefined])
  t.equal((await armFrom(words[0], { connections: 1, release: 'trixie' })).topology.proxy?.options.release, 'trixie')
})

t.test('--release leaves a proxy installed that cannot come from a release, and reports so', async t => {
  const { plan, note } = await planFrom(['proxies'], { ...lab, release: 'current' })
  const releases = Object.fromEntries(plan.arms.flatMap(({ topology: { proxy } }) =>
    proxy ? [[proxy.name, proxy.options.release]] : []))
  t.match(releases, { nginx: 'current', apache: 'current', haproxy: 'current', caddy: 'current' })
  t.equal(releases.varnish, undefined)
  t.match(note, /^varnish stays the installed program: varnishd compiles/m)
  const arm = await armFrom('varnish:tcp/express-json', { connections: 1 })
  t.equal((await withReleases([arm], undefined)).arms[0], arm)
  await t.rejects(armFrom('varnish:tcp/express-json', { connections: 1, release: 'sid' }), { code: 'bad-option' })
})

t.test('--release is rejected beside --resume', async t => {
  await t.rejects(planFrom([], { ...lab, resume: 'run', release: 'sid' }),
    { code: 'bad-option', message: /keeps the releases of its start/ })
})

t.test('a kit of another release is refused, and no report proposes one', async t => {
  const spec = 'nginx:keepalive+release=sid/./app.js'
  t.equal(toKitCommand({ spec, topology: parse(spec) }), null)
  const plain = 'nginx:keepalive/./app.js'
  t.match(toKitCommand({ spec: plain, topology: parse(plain) }), /--target docker/)
})

t.test('a variant and the usual program of a release have names and packages of their own', async t => {
  t.strictSame(getOptionSpec(nginx, null, 'sid'),
    { program: 'nginx', packages: nginx.about.packages, inside: undefined, release: 'sid' })
  const arms = [parse('nginx:tcp+brotli+release=sid/express-json'), parse('nginx:tcp/express-json')]
    .map(topology => ({ topology }))
  const variant = variantFor('nginx+release=sid', nginx, arms)
  t.match(getOptionSpec(nginx, variant, 'sid'), { program: 'nginx-brotli', inside: 'usr/sbin/nginx', release: 'sid' })
  t.equal(variantFor('nginx', nginx, arms), null, 'the other program stays as it is')
})

t.test('upstream_defaults leaves the connections to the app to the version', async t => {
  for (const version of ['1.22.1', '1.30.6']) {
    const text = conf({ transport: 'tcp', version, options: { upstream_defaults: true } })
    t.notMatch(text, /^\s*(proxy_http_version|keepalive \d|proxy_set_header Connection)/m, version)
  }
  for (const [transport, options] of /** @type {const} */ ([['keepalive', {}], ['tcp', { http10: true }],
    ['tcp', { pool: 4 }], ['tcp', { websocket: true }]])) {
    t.throws(() => conf({ transport, options: { upstream_defaults: true, ...options } }), { code: 'bad-option' })
  }
  const arm = armOf('nginx:tcp+upstream_defaults/express-json')
  const proof = { cacheHitRatio: null, cacheExpiries: null, socketType: /** @type {const} */ ('tcp') }
  for (const upstreamConnectionsPerRequest of [0, 0.7, 1]) {
    t.equal(judgeSample(sampleOf({ proof: { ...proof, upstreamConnectionsPerRequest } }), arm), null)
  }
  const uncounted = sampleOf({ proof: { ...proof, upstreamConnectionsPerRequest: null } })
  t.match(judgeSample(uncounted, arm), { code: 'no-proof' }, 'and they must be counted')
})

t.test('speaks HTTP/2 to the app with versions that can, and to servers that can', async t => {
  t.match(conf({ transport: 'keepalive', version: '1.30.6', options: { upstream_http2: true } }),
    /proxy_http_version 2;\n(?!.*proxy_set_header Connection)/)
  t.throws(() => conf({ version: '1.29.3', options: { upstream_http2: true } }),
    { code: 'bad-option', message: /requires nginx 1\.29\.4, and this is 1\.29\.3/ })
  for (const option of ['http10', 'websocket', 'upstream_defaults']) {
    t.throws(() => conf({ transport: 'tcp', version: '1.30.6', options: { upstream_http2: true, [option]: true } }),
      { code: 'bad-option' }, option)
  }
  for (const [server, why] of [['express-json', /Express/], ['./bench/errors.js', /only built-in servers/],
    ['nginx', /only built-in servers/]]) {
    await t.rejects(armFrom(`nginx:keepalive+upstream_http2/${server}`, { connections: 1 }),
      { code: 'bad-option', message: why }, String(server))
  }
  await t.resolves(armFrom('nginx:keepalive+upstream_http2/http-json', { connections: 1 }))
})

t.test('listens for HTTP/3 with versions that can, which no load measures', async t => {
  const options = { tls: 'ecdsa-p256', http3: true }
  const text = filesConf({ version: '1.30.6', options })
  t.match(text, /listen 127\.0\.0\.1:8080 quic reuseport;/)
  t.match(text, /add_header Alt-Svc 'h3=":8080"; ma=86400' always;/)
  t.notMatch(filesConf({ version: '1.30.6', options: { tls: 'ecdsa-p256' } }), /quic\b|Alt-Svc/)
  t.throws(() => filesConf({ version: '1.22.1', options }), { code: 'bad-option', message: /requires nginx 1\.25\.0/ })
  t.throws(() => filesConf({ version: '1.30.6', options: { ...options, tls_version: 1.2 } }),
    { code: 'bad-option', message: /TLS 1\.3/ })
  const spec = 'nginx:keepalive+tls=ecdsa-p256+http3/http-json'
  await t.rejects(planFrom([spec], lab), { code: 'bad-option', message: /HTTP\/3 is not measured/ })
  await t.resolves(armFrom(spec, { connections: 1 }))
})
