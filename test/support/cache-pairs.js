/** Pairs of requests that differ in one thing, for the caches of recommended configurations. */
import fc from 'fast-check'
import { SITE, exchange } from '../../bench/features/deploy/configs/client.js'
import { toHeaders } from '../../bench/features/deploy/configs/promise.js'
import { PERMITTING, SILENT } from '../../bench/features/deploy/behaviours/cache.js'
import { CREDENTIAL_HEADERS } from '../../bench/topology/forgeable-headers.js'
import { hostile, inAnyCase, values } from './sent-requests.js'

/** @import { Subject } from '../../bench/features/deploy/configs/types.js' */
/** @import { Header } from './sent-requests.js' */

/** Cache-Control in two lines, of which one forbids that a response is stored. */
const FORBIDDING = ['public;private', 'private;public', 'max-age=60;no-store', 'no-cache;public']
const credentials = inAnyCase(fc.constantFrom(...CREDENTIAL_HEADERS, 'Cookie'))
/** Names that match the rules for secrets, for a proxy that finds them by a pattern. */
const secretNames = fc.oneof(
  fc.stringMatching(/^X-[A-Z][a-z]{0,5}-(?:Token|Secret|Key|Session|Password|Sig)$/),
  fc.stringMatching(/^X-(?:Auth|Cookie|Passphrase|Pwd|Apikey|Private-Key|Access-Key|Credential|Csrf|Jwt)[a-z]{0,3}$/),
  fc.stringMatching(/^X-[A-Z][a-z]{0,5}-?(?:Pass|Keys|Pin|Otp)$/))

/**
 * Something in which two requests differ.
 * @typedef {object} Difference
 * @property {string} [method]
 * @property {Header[]} [headers]
 * @property {string} [host]
 * @property {string} [target] host of a target that is a URL
 * @property {string} [body]
 * @property {boolean} [isChunked]
 * @property {string} [query]
 * @property {string} [vary] headers on which both responses depend
 */

/**
 * Returns the differences that a cache must notice.
 * @param {Subject} subject
 */
function toDifferences ({ name, port }) {
  const hosts = ['EXAMPLE.com', 'example.com.', 'example.com:80', 'example.com:81', `example.com:${port}`]
  const names = name === 'apache' ? fc.oneof(credentials, secretNames) : credentials
  const varying = fc.constantFrom('Accept-Language', 'Accept-Encoding', 'Origin', 'X-Q')
  return /** @type {fc.Arbitrary<Difference>} */ (fc.oneof(
    fc.constant({}),
    fc.tuple(names, values).map(header => ({ headers: [header] })),
    fc.tuple(inAnyCase(hostile), values).map(header => ({ headers: [header] })),
    fc.record({ body: fc.constantFrom('0', 'x=1', ' '), isChunked: fc.boolean() }),
    fc.constantFrom('HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND').map(method => ({ method })),
    fc.constantFrom('bytes=0-3', 'bytes=-4', 'bytes=9-')
      .map(range => ({ headers: [(['Range', range])] })),
    fc.constantFrom(...hosts).map(host => ({ host })),
    fc.constantFrom({ target: SITE, host: 'evil.example' }, { target: 'evil.example' }, { target: 'EXAMPLE.com:81' }),
    // A list without items is the same as no header.
    fc.tuple(inAnyCase(varying), values.filter(value => /[^ ,]/.test(value)), fc.constantFrom('', 'Accept, ', '*'))
      .map(([name, value, before]) => ({
        headers: [([name, value])], vary: before === '*' ? '*' : `${before}${name}`
      })),
    fc.constantFrom('&x', '&X', '&x=1', '%26x', '?x', '?X', '?x=1', '?').map(query => ({ query }))
  ))
}

/**
 * Property: a cached response depends on nothing outside its key: the response to a request is the same as without the
 * request before, which differs in one thing. A response is stored only if it permits that.
 * @param {Subject} subject
 */
export function keepsResponsesApart (subject) {
  const policies = fc.constantFrom(...PERMITTING, ...SILENT, ...FORBIDDING)
  let cases = 0
  return fc.asyncProperty(toDifferences(subject), fc.boolean(), policies, fc.boolean(),
    async (difference, isFirst, policy, setsCookie) => {
      const id = cases++
      const isSame = Object.keys(difference).length === 0
      const [first, second] = isFirst || isPartial(difference) ? [difference, {}] : [{}, difference]
      const { vary } = difference
      const send = async (/** @type {Difference} */ request, isControl = false) => {
        const path = `/seen/id=${id}${isControl ? 'c' : ''}&cc=${encodeURIComponent(policy)}` +
          `${setsCookie ? '&cookie' : ''}${vary ? `&vary=${encodeURIComponent(vary)}` : ''}`
        const [response] = await exchange(subject, [toText(path, request)])
        return response ?? { status: 0, body: '' }
      }
      const before = await send(first)
      const [seen, alone] = [await send(second), await send(second, true)]
      if (toSeen(seen) !== toSeen(alone)) throw new Error(`got ${seen.body} in place of ${alone.body}`)
      const isPermitted = PERMITTING.includes(policy) && !setsCookie && vary !== '*'
      if (!isPermitted && seen.body === before.body) throw new Error('stored without a permission')
      if (isPermitted && isSame && seen.body !== before.body) throw new Error('not stored')
    })
}

/**
 * Returns whether the response to a request has a part of the body, so that it cannot be compared.
 * @param {Difference} request
 */
const isPartial = ({ method, headers = [] }) => method === 'HEAD' || headers.some(([name]) => name === 'Range')

/**
 * @param {string} path
 * @param {Difference} request
 */
function toText (path, { method = 'GET', headers = [], host = SITE, target, body, isChunked, query = '' }) {
  const framing = body === undefined
    ? []
    : isChunked ? ['Transfer-Encoding: chunked'] : [`Content-Length: ${body.length}`]
  const sent = body && isChunked ? `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n` : body ?? ''
  return [`${method} ${target ? `http://${target}` : ''}${path}${query} HTTP/1.1`, `Host: ${host}`,
    ...headers.map(header => header.join(': ')), ...framing, '', sent].join('\r\n')
}

/**
 * Returns what the app got, without what differs between equal requests.
 * @param {{ status: number, body: string }} response
 */
function toSeen ({ status, body }) {
  if (status !== 200) return `status ${status}`
  const { number, rawHeaders, ...rest } = JSON.parse(body)
  // The app sends all of a response, independent of its range.
  const lines = toHeaders(JSON.stringify(rawHeaders)).filter(({ name }) => !['x-varnish', 'range'].includes(name))
    .map(({ name, value }) => `${name}: ${value}`).sort()
  return JSON.stringify({ ...rest, lines })
}
