/** Requests of generated clients, and the headers that a recommended configuration promises to the app for them. */
import fc from 'fast-check'
import { SITE } from '../../bench/features/deploy/configs/client.js'
import { HOST_NAME, findBrokenPromise, isAlias, toHeaders } from '../../bench/features/deploy/configs/promise.js'
import { ALIASES, FORGEABLE_HEADERS, TRUSTED_HEADERS } from '../../bench/topology/forgeable-headers.js'

/** @typedef {[name: string, value: string]} Header */
/**
 * @typedef {object} Sent
 * @property {string} method
 * @property {string} version of HTTP
 * @property {string[]} hosts values of the lines of Host
 * @property {string | null} target host of a target that is a URL
 * @property {string[]} upgrades values of the lines of Upgrade
 * @property {string[]} connection values of the lines of Connection
 * @property {Header[]} headers
 * @property {{ text: string, trailers: Header[] | null } | null} body trailers: after a body in chunks
 * @property {number} turn lines at the end of the head that stand at its beginning
 */

/**
 * Headers that a proxy may write itself besides the promised ones, with their values. Kits contain nginx.
 * @type {Record<string, Record<string, RegExp>>}
 */
const WRITTEN = {
  nginx: { connection: /^upgrade$/ },
  apache: { connection: /^(?:keep-alive|close|upgrade)$/i, 'cache-control': /^no-cache$/ },
  caddy: { connection: /^upgrade$/i, via: /^1\.1 Caddy$/ },
  envoy: { connection: /^(?:keep-alive|close|upgrade)$/i },
  // HAProxy passes on the names in Connection.
  haproxy: { connection: /^/ },
  traefik: { connection: /^upgrade$/i, 'accept-encoding': /^gzip$/ },
  varnish: {
    connection: /^(?:keep-alive|close)$/i, 'x-varnish': /^\d+$/, via: /varnish/i, 'accept-encoding': /^gzip$/
  }
}
const PROMISED = ['host', ...TRUSTED_HEADERS.map(name => name.toLowerCase())]
/** Headers between two programs, which a proxy writes itself. */
const OWN = ['connection', 'upgrade', 'content-length', 'transfer-encoding']
/** Headers of a client that a proxy may remove. */
const REMOVABLE = ['trailer', 'http2-settings', 'sec-websocket-version', 'sec-websocket-key']
const REPLACED = [...TRUSTED_HEADERS, ...FORGEABLE_HEADERS].map(name => name.toLowerCase())

const HOSTS = ['EXAMPLE.com', 'example.com.', 'example.com:8443', 'evil.example', '[2001:db8::1]:80']
const ODD_HOSTS = ['a"b', 'a/b', 'a b', 'a,b', 'a@b', 'a?b', 'a%62', '[::1', 'example.com:', 'example.com:8o',
  "example.com:80'x", 'example.com:+80', 'example.com:80:81', ':80', '']
/** Headers that HAProxy demands of an upgrade to WebSocket. @type {Header[]} */
const SOCKET = [['Sec-WebSocket-Version', '13'], ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ==']]
/** A body that is a request, for a proxy and an app that do not agree on its end. */
const REQUEST = 'GET /raw-headers HTTP/1.1\r\nHost: evil.example\r\nX-Real-IP: 10.0.0.1\r\n\r\n'

/** Changes the case of letters. @param {fc.Arbitrary<string>} names */
export const inAnyCase = names => fc.tuple(names, fc.constantFrom('as it is', 'upper', 'lower')).map(([name, style]) =>
  style === 'upper' ? name.toUpperCase() : style === 'lower' ? name.toLowerCase() : name)
export const hostile = fc.oneof(fc.constantFrom(...TRUSTED_HEADERS), fc.constantFrom(...FORGEABLE_HEADERS),
  fc.constantFrom(...ALIASES))
/** The Q keeps these names apart from those that HTTP gives a meaning. */
const plain = fc.stringMatching(/^Q[A-Za-z0-9]{0,3}(?:-[A-Za-z0-9]{1,5})?$/)
const odd = fc.oneof(fc.constantFrom('Script-Name', 'HTTP_X', 'a.b'),
  fc.stringMatching(/^Q[A-Za-z0-9]{0,3}[-_.]{1,2}[A-Za-z0-9]{1,3}$/),
  fc.tuple(plain, fc.constantFrom(...'!#$%&\'*+^`|~')).map(([name, sign]) => `${name}${sign}x`))
const names = inAnyCase(fc.oneof({ weight: 3, arbitrary: hostile }, { weight: 2, arbitrary: plain }, odd))
export const values = fc.oneof(fc.constantFrom('10.0.0.1', 'https', 'forged.example', '/admin', 'DELETE', '0'),
  fc.stringMatching(/^[!-~](?:[ -~]{0,12}[!-~])?$/))
const headers = fc.array(fc.tuple(names, fc.oneof({ weight: 9, arbitrary: values }, fc.constant(''))), { maxLength: 5 })
/** Headers that reach the app unchanged, each once. */
const passed = fc.uniqueArray(fc.tuple(
  fc.constantFrom('Authorization', 'Cookie', 'User-Agent', 'Accept-Language', 'Content-Type', 'Origin', 'Remote-User'),
  values), { selector: ([name]) => name, maxLength: 2 })

/** Tokens of Connection, some in quotes, and some around themselves: X-X-Real-IPReal-IP. */
const tokens = fc.tuple(
  fc.oneof(names, inAnyCase(fc.constantFrom('close', 'keep-alive', 'Host', 'Upgrade', 'TE', 'Content-Length',
    'Transfer-Encoding', 'Cookie', 'Authorization', ''))),
  fc.constantFrom('as it is', 'as it is', 'as it is', 'in quotes', 'nested')
).map(([name, style]) => style === 'in quotes'
  ? `"${name}"`
  : style === 'nested' ? `${name.slice(0, 2)}${name}${name.slice(2)}` : name)
const connectionLine = fc.tuple(fc.array(tokens, { maxLength: 4 }),
  fc.constantFrom(', ', ', ', ',', ' , ', ',\t', ', ,', '; ')).map(([all, separator]) => all.join(separator))
const hosts = /** @type {fc.Arbitrary<string[]>} */ (fc.oneof({ weight: 25, arbitrary: fc.constant([SITE]) },
  { weight: 9, arbitrary: fc.constantFrom(...HOSTS).map(host => [host]) },
  { weight: 3, arbitrary: fc.constantFrom(...ODD_HOSTS).map(host => [host]) },
  { weight: 2, arbitrary: fc.array(fc.constantFrom(SITE, ...HOSTS), { minLength: 2, maxLength: 2 }) },
  fc.constant([])))
/** Values of Upgrade, in one line or in two. @type {string[][]} */
const UPGRADES = [['h2c'], ['other'], ['websocket/13'], [''], ['websocket, h2c'], ['h2c, websocket'],
  ['h2c', 'websocket'], ['other', 'websocket'], ['websocket', 'h2c']]
const upgrades = fc.oneof({ weight: 6, arbitrary: fc.constant(/** @type {string[]} */ ([])) },
  { weight: 2, arbitrary: fc.constantFrom('websocket', 'WebSocket').map(value => [value]) },
  { weight: 2, arbitrary: fc.constantFrom(...UPGRADES) })
const bodies = fc.record({
  text: fc.constantFrom('x=1', '0', REQUEST),
  trailers: fc.oneof(fc.constant(null), fc.constant([]), fc.array(fc.tuple(names, values), { maxLength: 3 }))
})

/** Sequences of requests of one client. */
export const requests = fc.array(/** @type {fc.Arbitrary<Sent>} */ (fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE'),
  version: fc.oneof({ weight: 12, arbitrary: fc.constant('1.1') }, fc.constant('1.0')),
  hosts,
  target: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, fc.constantFrom(SITE, ...HOSTS)),
  upgrades,
  connection: fc.oneof(fc.constant([]), fc.array(connectionLine, { minLength: 1, maxLength: 2 })),
  headers: fc.tuple(headers, passed).map(lists => lists.flat()),
  body: fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, bodies),
  turn: fc.nat({ max: 12 })
})).map(toPossible), { minLength: 1, maxLength: 4 })

/**
 * Removes a body where the app of the check reads none, after an upgrade, and in chunks before HTTP/1.1.
 * @param {Sent} sent
 * @returns {Sent}
 */
function toPossible (sent) {
  const isPossible = sent.upgrades.length === 0 && !(sent.version === '1.0' && sent.body?.trailers)
  return isPossible ? sent : { ...sent, body: null }
}

/**
 * Returns the lines of a head after its first one.
 * @param {Sent} sent
 * @returns {Header[]}
 */
function toLines ({ method, hosts, upgrades, connection, headers, body, turn }) {
  const isH2c = upgrades.some(value => value.includes('h2c'))
  const [first, ...others] = connection
  const inFirst = [...upgrades.length > 0 ? ['Upgrade'] : [], ...isH2c ? ['HTTP2-Settings'] : [],
    ...first ? [first] : []]
  /** @type {Header[]} */
  const lines = [
    ...toNamed('Host', hosts),
    ...headers,
    ...toNamed('Upgrade', upgrades),
    ...upgrades.length > 0 ? SOCKET : [],
    ...toNamed('HTTP2-Settings', isH2c ? ['AAMAAABkAAQAAP__'] : []),
    ...toNamed('Connection', [...inFirst.length > 0 ? [inFirst.join(', ')] : [], ...others]),
    ...toFraming(method, body)
  ]
  const start = lines.length === 0 ? 0 : turn % lines.length
  return [...lines.slice(lines.length - start), ...lines.slice(0, lines.length - start)]
}

/**
 * @param {string} name
 * @param {string[]} values
 * @returns {Header[]}
 */
const toNamed = (name, values) => values.map(value => [name, value])

/**
 * Returns the headers that state the end of a body.
 * @param {string} method
 * @param {Sent['body']} body
 * @returns {Header[]}
 */
function toFraming (method, body) {
  if (!body) return ['POST', 'PUT'].includes(method) ? [['Content-Length', '0']] : []
  const { text, trailers } = body
  if (!trailers) return [['Content-Length', String(text.length)]]
  return [['Transfer-Encoding', 'chunked'],
    ...toNamed('Trailer', trailers.length > 0 ? [trailers.map(([name]) => name).join(', ')] : [])]
}

/** Returns a request as it is sent. @param {Sent} sent */
export function toText (sent) {
  const { method, version, target, body } = sent
  const lines = toLines(sent).map(header => header.join(': '))
  const chunks = body?.trailers && [body.text.length.toString(16), body.text, '0',
    ...body.trailers.map(header => header.join(': ')), '', ''].join('\r\n')
  return [`${method} ${target === null ? '' : `http://${target}`}/raw-headers HTTP/${version}`, ...lines, '',
    chunks ?? body?.text ?? ''].join('\r\n')
}

/**
 * Facts besides the request on which the promise depends.
 * @typedef {object} Expected
 * @property {string} scheme
 * @property {string} address of the client
 * @property {string[] | null} site hosts of the site; null: the host is the client's
 */

/**
 * Returns how a response differs from the promise: the app gets the promised headers, those of the client, and no
 * others.
 * @param {string} subject
 * @param {Sent} sent
 * @param {{ status: number, body: string }} response
 * @param {Expected} expected
 * @returns {string | null}
 */
export function findFault (subject, sent, { status, body }, { scheme, address, site }) {
  const usual = site && !site.includes(toName(sent.hosts[0] ?? '')) ? 421 : 200
  if (isHarmless(subject, sent, site) && status !== usual) {
    return `a harmless request got status ${status} in place of ${usual}`
  }
  // Varnish reads no trailers.
  const isUnread = subject === 'varnish' && sent.body?.trailers
  if (status !== 200) return status >= 500 && !isUnread ? `a request got status ${status}` : null
  // Envoy drops the body of a response to an upgrade.
  if (sent.upgrades.length > 0 && body === '') return null
  // Traefik names the scheme of a WebSocket.
  const isSocket = subject === 'traefik' && sent.upgrades.some(value => /websocket/i.test(value))
  const schemes = [scheme, ...isSocket ? [scheme.replace('http', 'ws')] : []]
  const broken = toHosts(sent).flatMap(host =>
    schemes.map(scheme => findBrokenPromise(subject, body, { host, scheme, address })))
  if (!broken.includes(null)) return broken[0]
  const seen = toHeaders(body)
  const host = seen.find(({ name }) => name === 'host')?.value ?? ''
  if (site && !site.includes(toName(host))) return `the app got the host ${host}, which is none of the site`
  return findInvented(subject, sent, seen) ?? findLost(subject, sent, seen)
}

/**
 * Returns a header that neither the client nor the proxy should have sent.
 * @param {string} subject
 * @param {Sent} sent
 * @param {ReturnType<typeof toHeaders>} seen
 */
function findInvented (subject, sent, seen) {
  const { upgrades, body } = sent
  const isSocket = subject !== 'varnish' && upgrades.some(value => /^websocket$/i.test(value))
  /** @type {Record<string, RegExp>} */
  const written = {
    'content-length': new RegExp(`^(?:0|${body?.text.length ?? 0})$`),
    'transfer-encoding': /^chunked$/i,
    ...isSocket ? { upgrade: /^websocket$/i } : {},
    ...WRITTEN[subject] ?? WRITTEN.nginx
  }
  const own = new Set(toLines(sent).map(([name]) => name.toLowerCase())
    .filter(name => !OWN.includes(name) && !isReplaced(subject, name)))
  const more = seen.find(({ name, value }) => !PROMISED.includes(name) && !own.has(name) && !written[name]?.test(value))
  return more ? `the app got ${more.name}: ${more.value}, which no client sent` : null
}

/**
 * Returns a header of the client that the app did not get as it was sent.
 * @param {string} subject
 * @param {Sent} sent
 * @param {ReturnType<typeof toHeaders>} seen
 */
function findLost (subject, sent, seen) {
  const lines = toLines(sent).map(([name, value]) => ({ name: name.toLowerCase(), value }))
  // A proxy may remove a header that Connection names.
  const named = new Set(lines.filter(({ name }) => name === 'connection')
    .flatMap(({ value }) => value.toLowerCase().split(/[\s,;"]+/)))
  const expected = lines.filter(({ name }) => !named.has(name) && !isReplaced(subject, name) &&
    ![...PROMISED, ...OWN, ...REMOVABLE].includes(name))
  const lost = expected.find(({ name }) =>
    !seen.some(header => header.name === name) || toItems(seen, name) !== toItems(expected, name))
  return lost
    ? `the app got ${lost.name}: ${toItems(seen, lost.name)} in place of ${toItems(expected, lost.name)}`
    : null
}

/**
 * Returns the values of a header in one form, whether a proxy joined its lines, and whether it kept empty ones.
 * @param {ReturnType<typeof toHeaders>} list
 * @param {string} name
 */
const toItems = (list, name) => list.filter(header => header.name === name).flatMap(({ value }) => value.split(','))
  .map(item => item.trim()).filter(Boolean).join(', ')

/**
 * Returns whether a proxy may not reject a request.
 * @param {string} subject
 * @param {Sent} sent
 * @param {Expected['site']} site
 */
function isHarmless (subject, { method, version, hosts, target, upgrades, connection, headers, body }, site) {
  const isOddBody = body !== null && (!['POST', 'PUT'].includes(method) || Boolean(body.trailers?.length))
  return version === '1.1' && hosts.length === 1 && HOST_NAME.test(hosts[0]) && target === null &&
    upgrades.length === 0 && connection.length === 0 && !isOddBody &&
    // Some proxies take a host with a dot at its end for another one.
    !(site && /\.(?:$|:)/.test(hosts[0])) && !headers.some(([name]) => isReplaced(subject, name.toLowerCase()))
}

/**
 * Returns the hosts of which the app may get one. null: that of the proxy's choice.
 * @param {Sent} sent
 * @returns {(string | null)[]}
 */
function toHosts ({ hosts, target }) {
  if (hosts.length === 0) return [null]
  if (target === null) return hosts.map(host => host || null)
  // A port of Host belongs to the same name in the target.
  return [target, target.replace(/:\d+$/, ''), ...hosts.filter(host => toName(host) === toName(target))]
}

/** Returns the name in a host. @param {string} host */
const toName = host => host.toLowerCase().replace(/\.?(?::\d+)?$/, '')

/**
 * Returns whether a configuration removes or replaces a header.
 * @param {string} subject
 * @param {string} name in lower case
 */
const isReplaced = (subject, name) => isAlias(subject, name) || REPLACED.includes(name)
