/**
 * Follows the notes about TLS in the recommended configurations of the proxies that have no option for it, and sends
 * requests to the result.
 */
import t from '../support/tap.js'
import { skipWithout, skipWithoutProgram } from '../support/needs.js'
import { startRecommended } from '../support/recommended-proxy.js'

/**
 * Topologies with the protocol that ALPN selects among HTTP/2 and HTTP/1.1.
 * @type {Record<string, [string, string | false]>}
 */
const WORDS = {
  haproxy: ['haproxy:keepalive/express-json', 'h2'],
  envoy: ['envoy:keepalive/express-json', 'h2'],
  apache: ['apache:keepalive+cache=5s/express-json', 'h2'],
  caddy: ['caddy:keepalive/express-json', 'h2'],
  varnish: ['varnish:keepalive+cache=5s/express-json', false],
  traefik: ['traefik:keepalive/express-json', 'h2']
}
/** Status of a redirect of GET, if not 308. Traefik sends 308 for other methods only. @type {Record<string, number>} */
const REDIRECTS = { traefik: 301 }
const FORGED = {
  'X-Forwarded-Proto': 'http',
  'X-Forwarded-For': '192.0.2.1',
  'X-Forwarded-Host': 'evil.example',
  Connection: 'Upgrade',
  Upgrade: 'h2c'
}

for (const [name, [spec, protocol]] of Object.entries(WORDS)) {
  const skip = skipWithout('namespaces') || skipWithout(name) ||
    (name === 'varnish' && skipWithoutProgram('hitch', ['hitch']))
  t.test(`${name} with TLS as its note says`, { skip, buffered: true }, async t => {
    const send = await startRecommended(t, spec, { tls: true })
    const [redirect, first, forged, selected] = await send([
      { url: 'http://localhost/scheme?a=1' },
      { url: 'https://localhost/scheme?a=1' },
      { url: 'https://localhost/forged', headers: FORGED },
      { alpn: ['h2', 'http/1.1'] }
    ])
    t.match(redirect, { status: REDIRECTS[name] ?? 308, headers: { location: 'https://localhost/scheme?a=1' } },
      'HTTP is redirected to HTTPS')
    t.equal(first.status, 200)
    t.match(JSON.parse(first.body), { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' },
      'the app sees HTTPS and the client')
    t.match(first.headers, { 'strict-transport-security': 'max-age=63072000' })
    t.notOk(first.headers['x-powered-by'], 'the framework of the app is not named')
    const seen = JSON.parse(forged.body)
    t.match(seen, { 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost' })
    t.notOk(seen.upgrade, 'no upgrade but to WebSocket is passed on')
    t.equal(selected, protocol)
  })
}
