/** Files that Caddy serves for an app: precompressed files and cache headers. */
import t from '../support/tap.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import caddy from '../../proxy/caddy.js'

/**
 * @param {'measure' | 'home'} purpose
 * @param {object} [options]
 */
const render = (purpose, options = {}) => caddy.render({
  version: '2.10.0',
  listen: { kind: 'tcp', host: '127.0.0.1', port: 8080 },
  upstream: { transport: 'keepalive', addresses: [{ kind: 'tcp', host: '127.0.0.1', port: 3000 }] },
  root: '/srv',
  files: [{ prefix: '/assets', folder: '/srv/public' }],
  options: resolveOptions('caddy', caddy.about.options, /** @type {any} */ ({ static: true, ...options })),
  dir: '/tmp/t',
  clients: 100,
  purpose
}).Caddyfile

t.test('+production measures the precompressed files of the recommended configuration', async t => {
  t.match(render('home'), 'precompressed gzip')
  t.match(render('measure', { production: true }), 'precompressed gzip')
  t.notMatch(render('measure'), 'precompressed')
})

t.test('pages are validated, and names with a hash have a lower-case letter', async t => {
  const text = render('home')
  t.match(text, /@hashed \{\n\t+expression `[^`]*`\n\t+not path \/ \*\/ \*\.html \*\.htm\n/)
  const [, condition] = /@hashed \{\n\t+expression `([^`]*)`/.exec(text) ?? []
  const rules = condition.split(' || ').map(rule =>
    [...rule.matchAll(/matches\(r"([^"]*)"\)/g)].map(([, pattern]) => new RegExp(pattern)))
  const isHashed = (/** @type {string} */ path) => rules.some(rule => rule.every(pattern => pattern.test(path)))
  t.ok(isHashed('/assets/index-BxGz3s2_.js'))
  t.notOk(isHashed('/assets/trip-IMG_1234.jpg'))
})
