import t from '../support/tap.js'
import { parse } from '../../bench/plan/spec.js'
import { describeAtHome } from '../../bench/topology/describe/recommended-config.js'
import haproxy from '../../proxy/haproxy.js'

/**
 * @param {string} spec
 * @param {'measure' | 'home'} purpose
 */
function conf (spec, purpose) {
  const programs = new Map([['haproxy', { plugin: haproxy, program: '', env: {}, version: '2.6.12' }]])
  return describeAtHome(parse(spec), { clients: 100, programs }, purpose).proxy?.files['haproxy.cfg'] ?? ''
}

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
