/** Envoy's configuration, and its counters and log with output of Envoy 1.40. */
import t from '../support/tap.js'
import { resolveOptions } from '../../bench/plan/topology-options.js'
import { FORGEABLE_HEADERS } from '../../bench/topology/forgeable-headers.js'
import { countLogKinds } from '../../bench/shared/log-kinds.js'
import envoy from '../../proxy/envoy.js'
import { describeProxyOf } from '../support/describe.js'

/** @import { CountersByHttp } from '../../bench/types.js' */

const { parseLogLine } = envoy.counters
const counters = /** @type {CountersByHttp} */ (envoy.counters)

/**
 * @param {string} spec
 * @param {'measure' | 'home'} purpose
 */
function describe (spec, purpose) {
  const { argv, files } = describeProxyOf(envoy, spec, purpose, { version: '1.40.0', clients: 5000 })
  const text = files['envoy.yaml']
  return { text, directives: text.replace(/^ *#.*\n/gm, ''), command: argv.join(' ') }
}

t.test('opens a connection for each request only without a pool', async t => {
  for (const purpose of /** @type {const} */ (['measure', 'home'])) {
    for (const [fresh, pooled] of [['tcp', 'keepalive'], ['uds', 'uds-keepalive']]) {
      t.match(describe(`envoy:${fresh}/http-json`, purpose).text, /^ +max_requests_per_connection: 1$/m)
      t.notMatch(describe(`envoy:${pooled}/http-json`, purpose).text, /max_requests_per_connection/)
    }
  }
})

t.test('a measurement has no timeout, no retry and no log of plain responses', async t => {
  const { directives, command } = describe('envoy:keepalive/http-json', 'measure')
  const timeouts = [...directives.matchAll(/(\w*timeout): (\d+)s/g)].map(([, name, seconds]) => [name, Number(seconds)])
  t.ok(timeouts.length >= 6)
  t.strictSame(timeouts.filter(([, seconds]) => seconds !== 0 && seconds !== 3600), [])
  t.notMatch(directives, /retry|json_format/)
  t.match(directives, /default_value: 300[^]*default_value: 304/)
  t.match(command, /--concurrency 1\b/)
  t.match(command, /--disable-hot-restart/, 'so that several run side by side')
  t.match(describe('envoy:keepalive+threads=3/http-json', 'measure').command, /--concurrency 3\b/)
})

t.test('its statistics can be read on Unix sockets only, and the recommended configuration has none', async t => {
  const { directives } = describe('envoy:keepalive/http-json', 'measure')
  t.match(directives, /^admin:\n +address:\n +pipe: \{ path: admin\.sock, mode: 384 \}$/m)
  t.equal(directives.match(/socket_address/g)?.length, 2, 'the front, and the app')
  const home = describe('envoy:keepalive/http-json', 'home')
  t.notMatch(home.text, /admin|status\.sock/)
  t.notMatch(home.command, /--concurrency/, 'a thread for each core')
})

t.test('the recommended configuration sends no request twice that may change something', async t => {
  const { directives } = describe('envoy:keepalive/http-json', 'home')
  t.strictSame(directives.match(/retry_on: .*/g), ['retry_on: connect-failure', 'retry_on: connect-failure,reset'])
  t.match(directives, /regex: GET\|HEAD\|OPTIONS [^]*retry_on: connect-failure,reset/)
  const several = describe('envoy:keepalive+balance=round-robin/http-json@node:2', 'home').directives
  t.equal(several.match(/previous_hosts\n/g)?.length, 2, 'the retry goes to another process')
})

t.test('removes what clients can forge, and holds more connections than there are clients', async t => {
  const { directives } = describe('envoy:keepalive/http-json', 'home')
  for (const header of FORGEABLE_HEADERS) t.match(directives, new RegExp(`^ +- ${header}$`, 'm'))
  for (const limit of ['max_active_downstream_connections', 'max_connections', 'max_requests', 'max_retries']) {
    t.match(directives, new RegExp(`${limit}: 5064$`, 'm'), 'in place of 1024, the default')
  }
})

t.test('renders its options', async t => {
  const text = (/** @type {string} */ spec) => describe(spec, 'measure').directives
  t.match(text('envoy:keepalive+gzip+gzip_comp_level=9+gzip_min_length=100/http-json'),
    /min_content_length: 100\n[^]*compression_level: COMPRESSION_LEVEL_9\n/)
  t.notMatch(text('envoy:keepalive/http-json'), /compress/)
  t.match(text('envoy:keepalive+balance=least-conn/http-json@node:2'), /selection_method: FULL_SCAN/)
  t.match(text('envoy:keepalive+balance=round-robin/http-json@node:2'), /lb_policy: ROUND_ROBIN/)
  t.match(text('envoy:keepalive+backlog=77/http-json'), /tcp_backlog_size: 77$/m)
})

t.test('refuses options of other proxies with the reason', async t => {
  for (const [option, why] of /** @type {const} */ ([['release', /no Debian release/], ['pool', /no limit of idle/],
    ['max_body', /memory/], ['static', /serves no files/], ['websocket', /without an option/]])) {
    t.throws(() => resolveOptions('envoy', envoy.about.options, { [option]: true }, envoy.about.lacks),
      { code: 'bad-option', message: why }, option)
  }
})

t.test('reads the version, the counters with the clock of Envoy, and the errors', async t => {
  t.equal(envoy.version.parse(
    '\nenvoy  version: 9e5580933739775e8bce696a57a2e1bc99368f23/1.40.0/Clean/RELEASE/BoringSSL\n'), '1.40.0')
  const body = 'http.front.downstream_cx_total: 12\nhttp.front.downstream_rq_total: 3456\n'
  t.strictSame(counters.parse(body, { 'x-micros': '1795699581703277' }),
    { atSeconds: 1795699581.703277, connections: 12, requests: 3456 })
  t.throws(() => counters.parse(body, {}), { message: /not contain its counters/ }, 'without a clock')
  t.throws(() => counters.parse('http.front.downstream_cx_total: 12\n', { 'x-micros': '1' }),
    { message: /not contain its counters/ }, 'without the requests')
  t.strictSame(parseLogLine('noted 1795698409355095 503'),
    { atSeconds: 1795698409.355095, status: 503, cache: null })
  const line = '[2026-11-26 13:26:36.725][2967][warning][main] [source/server/server.cc:1028] caught ENVOY_SIGTERM'
  t.equal(parseLogLine(line), null)
  t.strictSame(countLogKinds([line]), [{ text: '[warning] caught ENVOY_SIGTERM', count: 1 }])
})
