/** Tests the option that measures a recommended configuration. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { findMissingLog } from '../../bench/measure/gate/pass.js'
import { parse } from '../../bench/plan/spec.js'
import { loadPlugin } from '../../bench/plan/plugins.js'
import { ACCESS_LOG } from '../../bench/topology/option-specs.js'
import { describeSpec } from '../support/describe.js'

/** @import { StagedArm } from '../../bench/measure/types.js' */
/** @import { ProxyDescription } from '../../bench/types.js' */

/** A list of modules that contains every name. @type {any} */
const ALL_MODULES = { includes: () => true }
const VERSIONS = { nginx: '1.22.1', apache: '2.4.57', caddy: '2.6.2', haproxy: '2.6.12', varnish: '7.1.1' }

/**
 * Renders a topology.
 * @param {keyof typeof VERSIONS} name
 * @param {string} options
 * @param {'measure' | 'home'} [purpose]
 */
async function render (name, options, purpose = 'measure') {
  const { default: plugin } = await loadPlugin('proxy', name)
  const modules = { folder: '/modules', installed: '/modules', files: ALL_MODULES, builtIn: [] }
  const { proxy } = describeSpec(`${name}:keepalive${options}/http-json`, {
    about: null, proxy: { plugin, program: name, env: {}, version: VERSIONS[name], modules }
  }, purpose)
  return Object.values(/** @type {ProxyDescription} */ (proxy).files).join('\n')
}

for (const name of /** @type {const} */ (['nginx', 'apache', 'caddy'])) {
  t.test(`${name}: +production adds what is recommended, and keeps what a measurement needs`, async t => {
    const [measured, production] = [await render(name, ''), await render(name, '+production')]
    for (const part of [/X-Powered-By/, /X-Middleware-Subrequest/, /websocket/i, new RegExp(ACCESS_LOG)]) {
      t.notMatch(measured, part)
      t.match(production, part)
    }
    const suite = measured.split('\n').filter(line => /127\.0\.0\.1|noted|status|\b1h\b|3600$|1000000000/.test(line))
    t.strictSame(suite.filter(line => !production.includes(line.trim())), [], 'counters, address and long timeouts')
    t.notMatch(production, /\/var\/log|\/etc\//, 'no path of a production server')
  })
}

t.test('+websocket adds what passes on upgrades, and nothing else of the recommended configuration', async t => {
  for (const name of /** @type {const} */ (['nginx', 'apache', 'varnish'])) {
    t.notMatch(await render(name, ''), /websocket/i, name)
    const text = await render(name, '+websocket')
    t.match(text, /websocket/i, name)
    t.notMatch(text, /X-Middleware-Subrequest/, name)
  }
  for (const name of /** @type {const} */ (['haproxy', 'caddy'])) {
    await t.rejects(render(name, '+websocket'), { code: 'bad-option', message: /without an option/ })
  }
})

t.test('Varnish pipes upgrades in a measurement only', async t => {
  t.match(await render('varnish', '+websocket'), 'return (pipe);')
  t.notMatch(await render('varnish', '+cache=5s', 'home'), /return \(pipe\)|vcl_pipe/)
  await t.rejects(render('varnish', '+websocket', 'home'), { code: 'bad-option', message: /does not read/ })
})

t.test('+host takes names of hosts', async t => {
  for (const name of /** @type {const} */ (['nginx', 'apache', 'haproxy', 'caddy', 'varnish'])) {
    t.match(await render(name, '+host=example.com', 'home'), /example(?:\\)?\.com/, name)
    t.notMatch(await render(name, '+host=example.com'), /example/, 'a measurement has no site')
    for (const host of ['example.com:80', 'a%b', 'a,,b', '-a']) {
      const message = /not the name of a host/
      await t.rejects(render(name, `+host=${host}`, 'home'), { code: 'bad-option', message })
    }
  }
})

t.test('with a cache +production has the recommended rules of nginx', async t => {
  const text = await render('nginx', '+cache=1h+production')
  t.match(text, /proxy_no_cache .*\$private_cookie/)
  t.notMatch(text, /^ *proxy_cache_lock/m, 'requests for a response that is not stored do not wait for each other')
  t.match(text, /proxy_cache_use_stale updating error/)
})

t.test('HAProxy and Varnish refuse +production, because they write no access log to a file', async t => {
  for (const name of /** @type {const} */ (['haproxy', 'varnish'])) {
    await t.rejects(render(name, '+production'), { code: 'bad-option' })
  }
})

t.test('the gate refuses an arm with +production that writes no access log', async t => {
  const dir = t.testdir({})
  const staged = (/** @type {string} */ spec) =>
    /** @type {StagedArm} */ ({ arm: { topology: parse(spec) }, dir })
  const production = staged('nginx:keepalive+production/http-json')
  t.equal(await findMissingLog(staged('nginx:keepalive/http-json'), 60), null, 'other arms need none')
  t.match(await findMissingLog(production, 60), /access log is empty/)
  writeFileSync(join(dir, ACCESS_LOG), '')
  t.type(await findMissingLog(production, 60), 'string')
  writeFileSync(join(dir, ACCESS_LOG), '127.0.0.1 - - "GET / HTTP/1.1" 200\n')
  t.equal(await findMissingLog(production, 60), null)
})
