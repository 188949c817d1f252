import t from '../support/tap.js'
import haproxy from '../../proxy/haproxy.js'
import { describeProxyOf } from '../support/describe.js'

/**
 * @param {string} spec
 * @param {'measure' | 'home'} purpose
 */
const conf = (spec, purpose) =>
  describeProxyOf(haproxy, spec, purpose, { version: '2.6.12', clients: 100 }).files['haproxy.cfg']

t.test('sends each part of a response at once only with http_no_delay', async t => {
  for (const purpose of /** @type {const} */ (['measure', 'home'])) {
    t.notMatch(conf('haproxy:keepalive/http-json', purpose), /^ *option http-no-delay$/m)
    t.match(conf('haproxy:keepalive+http_no_delay/http-json', purpose), /^ *option http-no-delay$/m)
  }
})

t.test('the recommended configuration names the option that streams need', async t => {
  const named = /^ *#.*"option http-no-delay"/m
  t.match(conf('haproxy:keepalive/http-json', 'home'), named)
  t.notMatch(conf('haproxy:keepalive/http-json', 'measure'), named)
  t.notMatch(conf('haproxy:keepalive+http_no_delay/http-json', 'home'), named)
})

t.test('a host of the site has only digits after its name, and an upgrade passes where it is the only one', async t => {
  const text = conf('haproxy:keepalive+host=example.com,a.example/http-json', 'home')
  t.match(text, "{ req.fhdr(host) -m reg -i '^(example\\.com|a\\.example)(:[0-9]+)?$' }")
  t.match(text, 'unless { req.fhdr_cnt(Upgrade) eq 1 } { req.fhdr(Upgrade) -m str -i websocket }')
})
