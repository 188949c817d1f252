/** Behaviours about the headers that reach the app. */
import { ALIASES, FORGEABLE_HEADERS, TRUSTED_HEADERS } from '../../../topology/forgeable-headers.js'
import { HOST, SITE, ask, exchange } from '../configs/client.js'
import { findBrokenPromise, toForged, toHeaders, toRequest } from '../configs/promise.js'
import { TARGETS } from '../kit/targets.js'

/** @import { Behaviour } from '../configs/types.js' */

const FORGED = toForged([...TRUSTED_HEADERS, ...FORGEABLE_HEADERS])
/** Headers of one request, below the number that every proxy accepts. */
const AT_ONCE = 40
const VALID_HOSTS = ['example.com', 'example.com:8443', '192.0.2.1', '[2001:db8::1]:80', 'my_app']
const INVALID_HOSTS = ['a"><script>x', 'good.example/evil', 'good.example evil.example', 'good.example,evil.example',
  'user@good.example', 'good.example?x', '%67ood.example', "good.example:80'x", 'good.example:+80', ':80', '']
const ANOTHER = 'another.example'
const WEBSOCKET = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
const UPGRADE = toRequest(['Connection: Upgrade', 'Upgrade: websocket', ...WEBSOCKET])
/** Lines of Upgrade of a request. */
const UPGRADES = [['h2c'], ['other'], ['h2c', 'websocket'], ['other', 'websocket'], ['websocket', 'h2c'],
  ['h2c, websocket'], ['websocket, h2c']]
const HTTP2_UPGRADE = ['Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABkAAQAAP__', ...WEBSOCKET]
const ROUTER_CLIENT = '203.0.113.9'
/** Proxies of which the configuration is no kit. */
const PROXIES = ['apache', 'caddy', 'envoy', 'haproxy', 'nginx', 'traefik', 'varnish']
/** Requests with two hosts, and those of which the app may get one. @type {[request: string, hosts: string[]][]} */
const TWO_HOSTS = [
  [toRequest([`Host: ${ANOTHER}`]), [SITE, ANOTHER]],
  [toRequest([], { target: SITE, host: ANOTHER }), [SITE]],
  [toRequest([], { target: SITE, host: `${ANOTHER}:8443` }), [SITE]]
]

/**
 * Returns names that each contain themselves, which remain where the inner ones are removed once: X-X-Real-IPReal-IP.
 * @param {string[]} names
 */
const toNested = names => names.map(name => `${name.slice(0, 2)}${name}${name.slice(2)}`).join(', ')

/** @type {Record<string, Behaviour>} */
export default {
  'connection-header': {
    title: 'no client can remove a header that the app trusts, by naming it in Connection',
    async run (subject) {
      for (const names of [[...TRUSTED_HEADERS, 'Host'], ...TRUSTED_HEADERS.map(name => [name])]) {
        for (const value of [`close, ${names.join(', ')}`, `${names.join(' ,').toLowerCase()},`, toNested(names)]) {
          const [response] = await exchange(subject, [toRequest([`Connection: ${value}`])])
          // Varnish rejects such a request.
          if (!response) return `no response to Connection: ${value}`
          const fault = response.status === 400 ? null : findBrokenPromise(subject.name, response.body)
          if (fault) return `Connection: ${value}: ${fault}`
        }
      }
      return null
    }
  },
  'forged-headers': {
    title: 'the app sees no address, scheme, host or path that a client invented',
    async run (subject) {
      const [response] = await exchange(subject, [toRequest(FORGED)])
      if (response?.status !== 200) return `status ${response?.status}`
      const fault = findBrokenPromise(subject.name, response.body)
      return fault ?? (response.body.includes('forged') ? `the app got a forged value: ${response.body}` : null)
    }
  },
  'header-aliases': {
    title: 'the app gets no header whose name it could take for another one because of "_" or "." (X_Real_IP)',
    async run (subject) {
      for (let i = 0; i < ALIASES.length; i += AT_ONCE) {
        const names = ALIASES.slice(i, i + AT_ONCE)
        const [response] = await exchange(subject, [toRequest(toForged(names))])
        if (!response) return `no response to ${names[0]}`
        const fault = findBrokenPromise(subject.name, response.body)
        if (fault) return fault
      }
      return null
    }
  },
  'host-signs': {
    title: 'the app gets no host with other signs than those of a name or an address',
    async run (subject) {
      for (const host of VALID_HOSTS) {
        const [response] = await exchange(subject, [toRequest([], { host })])
        if (response?.status !== 200) return `Host: ${host} got status ${response?.status}`
        const fault = findBrokenPromise(subject.name, response.body, { host })
        if (fault) return fault
      }
      for (const host of INVALID_HOSTS) {
        const [response] = await exchange(subject, [toRequest(['X-Forwarded-Host: a/b'], { host })])
        // nginx passes on the name without the port.
        const fault = response?.status === 200 && findBrokenPromise(subject.name, response.body, { host: host || null })
        if (fault) return `Host: ${host}: ${fault}`
      }
      return null
    }
  },
  'ignored-upgrade': {
    title: 'a request on a kept connection, also after an upgrade that the app ignored, names no invented address',
    async run (subject) {
      const invented = toRequest(FORGED, { host: ANOTHER })
      for (const before of [toRequest([]), UPGRADE]) {
        for (const isPipelined of [false, true]) {
          const [first, second] = await exchange(subject, [before, invented], { isPipelined })
          // The first response to an upgrade has another scheme with Traefik, and the second one may be missing.
          if (first?.status !== 200) return `the first request got status ${first?.status}`
          const fault = second && findBrokenPromise(subject.name, second.body, { host: ANOTHER })
          if (fault) return `after ${before === UPGRADE ? 'an upgrade' : 'a request'}: ${fault}`
        }
      }
      return null
    }
  },
  'other-upgrades': {
    title: 'no upgrade except one to WebSocket reaches the app, also where a request names both (h2c)',
    async run (subject) {
      for (const upgrades of UPGRADES) {
        const lines = [...HTTP2_UPGRADE, ...upgrades.map(name => `Upgrade: ${name}`)]
        const [response] = await exchange(subject, [toRequest(lines)])
        // Envoy rejects some upgrades, and drops the body of a response to another one.
        if (response?.status !== 200 || response.body === '') continue
        const passed = toHeaders(response.body)
          .find(({ name, value }) => name === 'upgrade' && value.toLowerCase() !== 'websocket')
        if (passed) return `Upgrade: ${upgrades.join(' and ')} reached the app as ${passed.value}`
      }
      return null
    }
  },
  'router-address': {
    title: 'the app gets the address and the scheme that the router in front states last, and from others those of ' +
      'the connection',
    notOffered: Object.fromEntries(PROXIES.map(name => [name, 'Only a kit trusts a router in front'])),
    async run (subject) {
      const { clientHeader } = TARGETS[subject.name]
      const router = String(subject.router)
      /** @type {[from: string, stated: string, address: string, scheme: string][]} */
      const cases = [
        [router, ROUTER_CLIENT, ROUTER_CLIENT, 'https'],
        [router, `198.51.100.7, ${ROUTER_CLIENT}`, ROUTER_CLIENT, 'https'],
        [router, 'forged', router, 'https'],
        [HOST, ROUTER_CLIENT, HOST, 'http']
      ]
      for (const [from, stated, address, scheme] of cases) {
        const request = toRequest([`${clientHeader}: ${stated}`, 'X-Forwarded-Proto: https'])
        const [response] = await exchange(subject, [request], { from })
        if (response?.status !== 200) return `status ${response?.status}`
        const fault = findBrokenPromise(subject.name, response.body, { address, scheme })
        if (fault) return `after ${clientHeader}: ${stated} from ${from}: ${fault}`
      }
      return null
    }
  },
  'site-hosts': {
    title: 'with the names of the site (+host) a request with another host gets 421, and the app does not get it',
    options: { host: 'example.com,www.example.com' },
    async run (subject) {
      for (const host of ['example.com', 'www.example.com', 'Example.COM', 'example.com:8443']) {
        const { status } = await ask(subject, '/page', { headers: { Host: host } })
        if (status !== 200) return `Host: ${host} got status ${status}`
      }
      for (const host of ['evil.example', 'example.com.evil.example', 'wwwXexample.com', 'evil-example.com']) {
        const { status } = await ask(subject, '/page', { headers: { Host: host } })
        if (status !== 421) return `Host: ${host} got status ${status}`
      }
      for (const host of ["example.com:80'x", 'example.com:"><script>', 'example.com:+80']) {
        const [response] = await exchange(subject, [toRequest([], { host })])
        const fault = response?.status === 200 && findBrokenPromise(subject.name, response.body, { host })
        if (fault) return `Host: ${host}: ${fault}`
      }
      return null
    }
  },
  'two-hosts': {
    title: 'a request with two lines of Host is refused or has one of them; a host in the target takes the place of ' +
      'Host',
    async run (subject) {
      for (const [request, hosts] of TWO_HOSTS) {
        const [response] = await exchange(subject, [request])
        if (response?.status !== 200) continue
        const faults = hosts.map(host => findBrokenPromise(subject.name, response.body, { host }))
        if (!faults.includes(null)) return `${request.split('\r\n').filter(Boolean).join(', ')}: ${faults[0]}`
      }
      return null
    }
  }
}
