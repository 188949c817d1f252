/** Files that nginx serves: their cache headers in production, and the page of a single-page app. */
import t from '../support/tap.js'
import nginx from '../../proxy/nginx.js'
import { describeProxy } from '../../bench/topology/describe/describe.js'
import { conf, filesConf } from '../support/nginx-conf.js'

const files = [{ prefix: '/assets', folder: '/srv/public' }]

/** Returns the location of the prefix. @param {string} text */
const prefixIn = text => /location \^~ \/assets\/ \{[^]*?\n {8}\}\n/.exec(text)?.[0] ?? ''

t.test('the recommended configuration sends cache headers with files, and the measured one none', async t => {
  const recommended = prefixIn(conf({ files, purpose: 'home', options: { static: true } }))
  t.match(recommended, 'add_header Cache-Control $cache_control;')
  t.match(recommended, 'add_header X-Content-Type-Options nosniff always;')
  t.match(recommended, 'gzip_static on;')
  const measured = conf({ files, options: { static: true } })
  t.notMatch(measured, /cache_control|gzip_static on/)
  const withoutFiles = conf({ purpose: 'home' })
  t.notMatch(withoutFiles, 'cache_control')
})

t.test('+spa sends the page for paths of pages, of a prefix or of the whole folder', async t => {
  const text = conf({ files, options: { static: true, spa: true } })
  t.match(prefixIn(text), 'error_page 404 = @page_0;')
  t.match(text, 'rewrite ^ /assets/index.html last;')
  t.match(filesConf({ options: { spa: true } }),
    /error_page 404 = @page;[^]*location @page \{[^]*rewrite \^ \/index\.html/)
  t.notMatch(conf({ files, options: { static: true } }), /@page|\$is_page/)
  const pattern = new RegExp(/"~(text.*)" 1;/.exec(text)?.[1] ?? '')
  const isPage = (/** @type {string} */ accept, /** @type {string} */ path) => pattern.test(`${accept}:${path}`)
  t.ok(isPage('text/html,application/xhtml+xml,*/*;q=0.8', '/assets/users/42'))
  t.notOk(isPage('*/*', '/assets/users/42'), 'a request of a script')
  t.notOk(isPage('text/html,*/*;q=0.8', '/assets/app.js'), 'a missing file')
  t.notOk(isPage('text/html', '/assets/.git/config'), 'a hidden file')
})

t.test('+spa tests only the part of a path after the prefix for a dot', async t => {
  const dotted = [{ prefix: '/app-1.0', folder: '/srv/public' }]
  const text = conf({ files: dotted, options: { static: true, spa: true } })
  const pattern = new RegExp(/"~(text.*)" 1;/.exec(text)?.[1] ?? '')
  t.match('text/html:/app-1.0/users/42', pattern)
  t.notMatch('text/html:/app-1.0/app.js', pattern)
  t.notMatch('text/html:/app-1x0/users', pattern)
})

t.test('the default site of Debian serves hidden files, and takes no app, no option and no recommendation', async t => {
  const text = filesConf({ options: { shipped: true } })
  t.match(text, 'try_files $uri $uri/ =404;')
  t.notMatch(text, 'location ~ /')
  t.match(filesConf({}), 'location ~ /\\.')
  const hop = { name: 'nginx', transport: null, options: { shipped: true } }
  const context = /** @type {any} */ ({ dir: '/tmp/t', root: '/srv', clients: 10, proxy: { plugin: nginx } })
  const listen = /** @type {const} */ ({ kind: 'tcp', host: '127.0.0.1', port: 8080 })
  const refused = { code: 'bad-option', details: { why: /default site of Debian's package/ } }
  t.throws(() => describeProxy(hop, context, { listen, upstreams: null, purpose: 'home' }), refused)
  const both = { ...hop, options: { shipped: true, gzip: true } }
  t.throws(() => describeProxy(both, context, { listen, upstreams: null, purpose: 'measure' }), refused)
  const released = { ...hop, options: { shipped: true, release: 'sid' } }
  const ofRelease = { ...context, proxy: { plugin: nginx, version: '1.30.6' } }
  t.doesNotThrow(() => describeProxy(released, ofRelease, { listen, upstreams: null, purpose: 'measure' }))
  t.throws(() => describeProxy(hop, context, { listen, upstreams: [listen], purpose: 'measure' }), {
    code: 'bad-option', details: { why: /files that nginx serves itself/ }
  })
})
