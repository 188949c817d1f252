/** Behaviours of caches. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CREDENTIAL_HEADERS } from '../../../topology/forgeable-headers.js'
import { SITE, ask, exchange, isHit } from '../configs/client.js'
import { toHeaders } from '../configs/promise.js'

/** @import { Behaviour } from '../configs/types.js' */

/** Cache-Control of responses that permit to be stored, and of those that do not. */
export const PERMITTING = ['public', 'max-age=60', 's-maxage=60', 'public, max-age=60']
export const SILENT = ['', 'max-age=0', 'no-cache', 'must-revalidate', 'private', 'private, max-age=60', 'no-store']
/** Methods, and headers, of a request before one of another client. */
const UNCACHED_REQUESTS = [['POST'], ['PUT'], ['DELETE'], ['OPTIONS'], ['HEAD'], ['GET', 'Range: bytes=0-3']]

/** @type {Record<string, Behaviour>} */
export default {
  'cache-credentials': {
    title: 'no response to a request with a credential, a cookie or a body comes from the cache or gets into it',
    options: { cache: '30s' },
    async run (subject) {
      /** @type {[what: string, private: Parameters<typeof ask>[2]][]} */
      const requests = [
        ...[...CREDENTIAL_HEADERS, 'Cookie'].map(name =>
          /** @type {[string, { headers: Record<string, string> }]} */ ([name, { headers: { [name]: 'alice' } }])),
        ['a body', { headers: { 'Content-Length': '5' }, body: Buffer.from('alice') }]
      ]
      for (const [i, [what, request]] of requests.entries()) {
        for (const isFirst of [true, false]) {
          const path = `/seen/cc=public&id=${i}${isFirst}`
          const order = isFirst ? [request, {}] : [{}, request]
          const [first, second] = [await ask(subject, path, order[0]), await ask(subject, path, order[1])]
          if (first.status !== 200 || second.status !== 200) return `${what}: status ${first.status}, ${second.status}`
          if (first.body === second.body) return `${what}: both requests got one response`
        }
      }
      return null
    }
  },
  'cache-hosts': {
    title: 'a client that spells the host in another way cannot put its spelling into pages for others',
    options: { cache: '30s' },
    async run (subject) {
      const hosts = ['EXAMPLE.com', 'example.com.', 'example.com:80', `example.com:${subject.port}`]
      for (const [i, spelling] of hosts.entries()) {
        const [, last] = await exchange(subject, [spelling, 'example.com'].map(host =>
          `GET /seen/cc=public&id=${i} HTTP/1.1\r\nHost: ${host}\r\n\r\n`))
        if (last?.status !== 200) return `after Host: ${spelling} a request got status ${last?.status}`
        const seen = toHeaders(JSON.stringify(JSON.parse(last.body).rawHeaders))
        const host = seen.find(({ name, value }) => name.endsWith('host') && value !== 'example.com')
        if (host) return `after Host: ${spelling} other clients got a page for ${host.value}`
      }
      return null
    }
  },
  'cache-lifetimes': {
    title: 'the cache stores a response only if it has public or a lifetime above 0, and sets no cookie',
    options: { cache: '30s' },
    async run (subject) {
      /** Returns whether two requests got one response of the app. */
      const isStored = async (/** @type {string} */ options) => {
        const [first, second] = [await ask(subject, `/seen/${options}`), await ask(subject, `/seen/${options}`)]
        if (first.status !== 200) throw new Error(`status ${first.status}`)
        return first.body === second.body
      }
      for (const policy of [...PERMITTING, ...SILENT]) {
        const options = `cc=${encodeURIComponent(policy)}`
        const isPermitted = PERMITTING.includes(policy)
        if (await isStored(options) !== isPermitted) {
          return `a response with Cache-Control: ${policy || 'nothing'} was ${isPermitted ? 'not stored' : 'stored'}`
        }
        if (await isStored(`${options}&cookie`)) return `a response with ${policy} that sets a cookie was stored`
      }
      return null
    }
  },
  'cache-methods': {
    title: 'a request with another method, or for a part of a response, leaves nothing in the cache that others get',
    options: { cache: '30s' },
    async run (subject) {
      for (const [i, [method, ...lines]] of UNCACHED_REQUESTS.entries()) {
        const path = `/seen/cc=public&id=${i}`
        await exchange(subject, [[`${method} ${path} HTTP/1.1`, `Host: ${SITE}`, ...lines, '', ''].join('\r\n')])
        const { status, body } = await ask(subject, path)
        const sent = [method, ...lines].join(', ')
        if (status !== 200) return `after ${sent} another client got status ${status}`
        if (!body.startsWith('{') || !body.includes('"method":"GET"')) return `after ${sent} another client got ${body}`
      }
      return null
    }
  },
  'cache-poisoning': {
    title: 'a request with forged headers cannot put a page into the cache for others',
    options: { cache: '30s' },
    async run (subject) {
      const headers = { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Prefix': '/evil', 'X-Host': 'evil.example' }
      await ask(subject, '/reset', { headers })
      const { body } = await ask(subject, '/reset')
      return body === 'https://example.com/reset' ? null : `other clients got ${body}`
    }
  },
  'cached-redirect': {
    title: 'a cached redirect to HTTPS is sent to clients of HTTP only, so that it does not loop behind a router ' +
      'that ends TLS',
    options: { cache: '30s' },
    async run (subject) {
      const redirected = async (/** @type {Parameters<typeof ask>[2]} */ options = {}) =>
        (await ask(subject, '/secure', options)).status
      const forged = await redirected({ headers: { 'X-Forwarded-Proto': 'https' } })
      if (forged !== 302) return `a client of HTTP that claims HTTPS got ${forged} in place of the redirect`
      if (subject.router) {
        for (const [scheme, expected] of /** @type {const} */ ([['http', 302], ['https', 200], ['http', 302]])) {
          const status = await redirected({ from: subject.router, headers: { 'X-Forwarded-Proto': scheme } })
          if (status !== expected) return `a client of ${scheme} behind the router got ${status}`
        }
      }
      const direct = await redirected()
      return direct === 302 ? null : `a client of HTTP got ${direct} in place of the redirect`
    }
  },
  cookies: {
    title: 'clients with different cookies never get each other\'s pages from the cache',
    options: { cache: '30s' },
    async run (subject) {
      for (const sid of ['alice', 'bob', 'alice']) {
        const reply = await ask(subject, '/me', { headers: { Cookie: `sid=${sid}` } })
        if (reply.body !== `the page of sid=${sid}`) return `sid=${sid} got "${reply.body}"`
        if (isHit(reply)) return `sid=${sid} was answered from the cache`
      }
      const without = await ask(subject, '/me')
      return without.body === 'the page of a stranger' ? null : `a client without a cookie got "${without.body}"`
    }
  },
  'private-responses': {
    title: 'responses with private, no-store, Authorization or another Vary are not shared; others are cached',
    options: { cache: '30s' },
    async run (subject) {
      for (const path of ['/private', '/no-store']) {
        const bodies = [await ask(subject, path), await ask(subject, path)].map(({ body }) => body)
        if (bodies[0] === bodies[1]) return `${path} was cached: "${bodies[0]}" twice`
      }
      for (const name of ['Basic YWxpY2U6', 'Basic Ym9iOg==']) {
        const reply = await ask(subject, '/account', { headers: { Authorization: name } })
        if (reply.body !== `the account of ${name}`) return `${name} got "${reply.body}"`
      }
      for (const language of ['de', 'en']) {
        const reply = await ask(subject, '/language', { headers: { 'Accept-Language': language } })
        if (reply.body !== `in ${language}`) return `Accept-Language: ${language} got "${reply.body}"`
      }
      // Proves that the cache works at all, because without a cache all of the above holds.
      await ask(subject, '/page')
      return isHit(await ask(subject, '/page')) ? null : 'a page that may be cached was not'
    }
  },
  'set-cookie': {
    title: 'no response from the cache sets a cookie',
    options: { cache: '30s' },
    async run (subject) {
      for (let i = 0; i < 3; i++) {
        const reply = await ask(subject, '/login')
        const cookie = String(reply.headers['set-cookie'] ?? '')
        if (isHit(reply) && cookie) return `a HIT set ${cookie}`
        if (i === 0 && !cookie) return 'the app\'s own Set-Cookie did not arrive'
      }
      return null
    }
  },
  'stale-on-error': {
    title: 'while the app fails, an expired page is sent instead of the error',
    options: { cache: '2s', stale: 'on' },
    notOffered: { varnish: 'Varnish sends an expired page only while it is renewed (grace)' },
    async run (subject) {
      const first = await ask(subject, '/news')
      // From here on the app fails. Authorization keeps the response out of the cache.
      await ask(subject, '/fail', { headers: { Authorization: 'x' } })
      // Longer than the cache lifetime of 2 s.
      await sleep(3000)
      const later = await ask(subject, '/news')
      if (later.status === 200 && later.body === first.body) return null
      return `status ${later.status}: ${later.body.slice(0, 60)}`
    }
  }
}
