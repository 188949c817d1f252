/** Requests in Caddy's metrics, by the handler that Caddy counts. */
import t from '../support/tap.js'
import caddy from '../../proxy/caddy.js'

/** @import { CountersByHttp } from '../../bench/types.js' */

const counters = /** @type {CountersByHttp} */ (caddy.counters)
/** @param {string[]} lines */
const parse = lines => counters.parse(['go_goroutines 9', ...lines].join('\n'), { 'x-millis': '1000' })

t.test('counts the requests that a handler responds to, not those of the counters themselves', t => {
  t.match(parse([
    'caddy_http_requests_total{handler="reverse_proxy",server="srv0"} 12',
    'caddy_http_requests_total{handler="subroute",server="srv0"} 12',
    'caddy_http_requests_total{handler="subroute",server="srv1"} 3',
    'caddy_http_request_duration_seconds_count{code="502",handler="reverse_proxy",method="GET",server="srv0"} 2'
  ]), { atSeconds: 1, requests: 12, non2xx: 2 })
  t.match(parse([]), { requests: 0, non2xx: 0 })
  t.end()
})

t.test('counts routes where files have prefixes, because Caddy does not count the handlers within', t => {
  t.match(parse([
    'caddy_http_requests_total{handler="subroute",server="srv0"} 244',
    'caddy_http_requests_total{handler="subroute",server="srv1"} 1',
    'caddy_http_request_duration_seconds_count{code="200",handler="subroute",method="GET",server="srv0"} 242'
  ]), { requests: 244, non2xx: 0 })
  t.end()
})
