/** Traefik's configurations, and the counters in its metrics. */
import t from '../support/tap.js'
import traefik from '../../proxy/traefik.js'
import { describeProxyOf } from '../support/describe.js'

/** @import { CountersByHttp } from '../../bench/types.js' */

const counters = /** @type {CountersByHttp} */ (traefik.counters)

/**
 * Describes Traefik in front of an app.
 * @param {string} spec
 * @param {'measure' | 'home'} purpose
 * @param {string} [version]
 */
function describeWord (spec, purpose, version = '3.7.15') {
  const proxy = describeProxyOf(traefik, spec, purpose, { version, clients: 300 })
  return { env: proxy.env, text: Object.values(proxy.files).join('\n'), files: proxy.files }
}

t.test('keeps as many connections to the app as there are clients, or none', async t => {
  const [keepalive, tcp] = ['keepalive', 'tcp'].map(transport =>
    describeWord(`traefik:${transport}/http-json`, 'measure').text)
  t.match(keepalive, 'maxIdleConnsPerHost = 300')
  t.match(tcp, 'maxIdleConnsPerHost = -1')
  t.match(describeWord('traefik:keepalive+pool=10/http-json', 'measure').text, 'maxIdleConnsPerHost = 10')
})

t.test('a measurement has no timeout that a pause would exceed', async t => {
  const { text } = describeWord('traefik:keepalive/http-json', 'measure')
  const timeouts = [...text.matchAll(/^ *(\w*Timeout) = "(.*)"$/gm)].map(([, name, value]) => [name, value])
  t.strictSame(Object.fromEntries(timeouts), {
    readTimeout: '0s',
    writeTimeout: '0s',
    idleTimeout: '1h',
    dialTimeout: '1h',
    responseHeaderTimeout: '1h',
    idleConnTimeout: '1h'
  })
})

t.test('retries and spreads over several processes only', async t => {
  const one = describeWord('traefik:keepalive/http-json', 'home').text
  t.notMatch(one, /retry|strategy/)
  const two = describeWord('traefik:keepalive+balance=round-robin/http-json@node:2', 'home').text
  t.match(two, /strategy = "wrr"/)
  t.match(two, /middlewares = \["no-upgrade", "headers", "resend", "retry"\]/)
  const older = describeWord('traefik:keepalive+balance=p2c/http-json@node:2', 'home', '3.7.14').text
  t.match(older, /middlewares = \["no-upgrade", "headers", "retry"\]/)
  t.notMatch(older, 'resend')
  t.match(two, /\{ url = "http:\/\/127\.0\.0\.1:3000" \},\n.*\{ url = "http:\/\/127\.0\.0\.1:3001" \}\n/)
  t.notMatch(describeWord('traefik:keepalive+balance=p2c/http-json@node:2', 'measure').text, /retry/)
})

t.test('removes headers with aliasing names where the version can', async t => {
  const option = 'aliasHeadersStrategy = "delete"'
  t.match(describeWord('traefik:keepalive/http-json', 'home').text, option)
  t.notMatch(describeWord('traefik:keepalive/http-json', 'home', '3.7.11').text, option)
})

t.test('limits the signs of a host and its port, also of the site', async t => {
  const signs = 'HeaderRegexp(`X-Forwarded-Host`, `(?i)^([a-z0-9._-]+|\\[[0-9a-f:.]+\\])(:[0-9]+)?$`)'
  t.match(describeWord('traefik:keepalive/http-json', 'home').text, `rule = '${signs}'`)
  t.match(describeWord('traefik:keepalive+host=example.com,a.example/http-json', 'home').text,
    `rule = '(Host(\`example.com\`) || Host(\`a.example\`)) && ${signs}'`)
})

t.test('sets the number of threads in its environment, and states it in the recommended configuration', async t => {
  t.strictSame(describeWord('traefik:keepalive/http-json', 'measure').env, {})
  const spec = 'traefik:keepalive+threads=2/http-json'
  t.strictSame(describeWord(spec, 'measure').env, { GOMAXPROCS: '2' })
  t.match(describeWord(spec, 'home').files['traefik.toml'], 'GOMAXPROCS=2')
})

t.test('reads its version', async t => {
  t.equal(traefik.version.parse('Version:      3.7.15\nCodename:     langres\nGo version:   go1.25.5\n'), '3.7.15')
})

t.test('counts the requests of the entry point, and errors by status', async t => {
  // Lines of the metrics of Traefik 3.7.15.
  const body = `# HELP traefik_config_reloads_total Config reloads
# TYPE traefik_config_reloads_total counter
traefik_config_reloads_total 2
traefik_entrypoint_requests_bytes_total{code="200",entrypoint="web",method="GET",protocol="http"} 0
traefik_entrypoint_requests_bytes_total{code="404",entrypoint="web",method="GET",protocol="http"} 0
traefik_entrypoint_requests_bytes_total{code="404",entrypoint="web",method="POST",protocol="http"} 1
# TYPE traefik_entrypoint_requests_total counter
traefik_entrypoint_requests_total{code="200",entrypoint="web",method="GET",protocol="http"} 206
traefik_entrypoint_requests_total{code="404",entrypoint="web",method="GET",protocol="http"} 4
traefik_entrypoint_requests_total{code="404",entrypoint="web",method="POST",protocol="http"} 1
`
  t.strictSame(counters.parse(body, {}), { connections: null, requests: 211, non2xx: 5 })
  const others = body.replaceAll('entrypoint="web"', 'entrypoint="other"')
  t.strictSame(counters.parse(others, {}), { connections: null, requests: 0, non2xx: 0 })
  t.strictSame(counters.parse('traefik_config_reloads_total 2\n', {}), { connections: null, requests: 0, non2xx: 0 })
  t.throws(() => counters.parse('404 page not found\n', {}), { message: /do not contain its counters/ })
})

t.test('refuses a Unix socket of the app, and files', async t => {
  t.throws(() => describeWord('traefik:uds/http-json', 'measure'), { message: /over TCP only/ })
  t.throws(() => describeWord('traefik/files', 'measure'), { code: 'bad-topology' })
})
