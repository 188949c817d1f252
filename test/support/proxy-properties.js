/** Properties of recommended configurations, each for requests of a generator, with the real programs. */
import fc from 'fast-check'
import { once } from 'node:events'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findProxies } from '../../bench/measure/find-programs.js'
import { makeTempDir, makeTempRoot } from '../../bench/machine/files/temp.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { HOST, SITE, TLS_CLIENT, exchange } from '../../bench/features/deploy/configs/client.js'
import { getConfigArms, getProgram, startSubject } from '../../bench/features/deploy/configs/study.js'
import { findBrokenPromise, isAlias, toHeaders, toRequest } from '../../bench/features/deploy/configs/promise.js'
import { findCertificate } from '../../bench/topology/certificates.js'
import { PERMITTING, SILENT } from '../../bench/features/deploy/behaviours/cache-lifetimes.js'
import {
  ALIASES, CREDENTIAL_HEADERS, FORGEABLE_HEADERS, TRUSTED_HEADERS
} from '../../bench/topology/forgeable-headers.js'
import { skipWithout } from './needs.js'

/** @import { Test } from 'tap' */
/** @import { Subject, SubjectName } from '../../bench/features/deploy/configs/types.js' */
/** @typedef {[name: string, value: string]} Header */
/** @typedef {(subject: Subject) => fc.IAsyncProperty<any>} ToProperty */
/** @typedef {{ host: string, method: string, upgrade: string | null, connection: string[], headers: Header[] }} Sent */

/** Names that proxies add or write themselves. */
const ADDED = ['host', 'connection', 'upgrade', 'content-length', 'x-forwarded-for', 'x-forwarded-host',
  'x-forwarded-proto', 'x-real-ip', 'x-varnish', 'via', 'accept-encoding', 'user-agent', 'keep-alive',
  'cache-control', 'sec-websocket-version', 'sec-websocket-key']

const HOSTS = ['EXAMPLE.com', 'example.com.', 'example.com:8443', 'evil.example', '[2001:db8::1]:80']
/** Timeout of a response over HTTP/2. */
const RESPONSE_MS = 10_000
/** Headers that HAProxy demands of an upgrade to WebSocket. */
const SOCKET = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']
const ODD_HOSTS = ['a"b', 'a/b', 'a b', 'a,b', 'a@b', 'a?b', 'a%62']

/** Changes the case of letters. @param {fc.Arbitrary<string>} names */
const inAnyCase = names => fc.tuple(names, fc.constantFrom('as it is', 'upper', 'lower')).map(([name, style]) =>
  style === 'upper' ? name.toUpperCase() : style === 'lower' ? name.toLowerCase() : name)
const hostile = fc.constantFrom(...TRUSTED_HEADERS, ...FORGEABLE_HEADERS, ...ALIASES)
/** The Q keeps these names apart from those that HTTP gives a meaning. */
const plain = fc.stringMatching(/^Q[A-Za-z0-9]{0,3}(?:-[A-Za-z0-9]{1,5})?$/)
const odd = fc.oneof(fc.constantFrom('Script-Name', 'HTTP_X', 'a.b'),
  fc.stringMatching(/^Q[A-Za-z0-9]{0,3}[-_.]{1,2}[A-Za-z0-9]{1,3}$/))
const names = inAnyCase(fc.oneof({ weight: 3, arbitrary: hostile }, { weight: 2, arbitrary: plain }, odd))
const values = fc.oneof(fc.constantFrom('10.0.0.1', 'https', 'forged.example', '/admin', 'DELETE', '0'),
  fc.stringMatching(/^[!-~](?:[ -~]{0,12}[!-~])?$/))
/** Tokens of Connection. */
const tokens = fc.oneof(names, inAnyCase(fc.constantFrom('close', 'keep-alive', 'Host', 'Upgrade', 'TE', '')))
const requests = fc.array(/** @type {fc.Arbitrary<Sent>} */ (fc.record({
  host: fc.oneof({ weight: 40, arbitrary: fc.constant(SITE) }, { weight: 9, arbitrary: fc.constantFrom(...HOSTS) },
    fc.constantFrom(...ODD_HOSTS)),
  method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'DELETE', 'PROPFIND', 'PURGE'),
  upgrade: fc.constantFrom(null, null, null, null, 'websocket', 'WebSocket', 'h2c', 'other'),
  connection: fc.oneof(fc.constant([]), fc.array(tokens, { maxLength: 4 })),
  headers: fc.array(fc.tuple(names, values), { maxLength: 5 })
})), { minLength: 1, maxLength: 4 })
const ways = fc.constantFrom('new', 'kept', 'pipelined')

/** @param {Sent} sent */
function toText ({ host, method, upgrade, connection, headers }) {
  const inConnection = [...upgrade ? ['Upgrade'] : [], ...connection]
  return toRequest([...headers.map(header => header.join(': ')), ...upgrade ? [`Upgrade: ${upgrade}`, ...SOCKET] : [],
    ...inConnection.length > 0 ? [`Connection: ${inConnection.join(', ')}`] : [],
    ...method === 'POST' ? ['Content-Length: 0'] : []], { host, method })
}

/**
 * Returns how a response differs from the promise: the app gets the promised headers, those of the client, and no
 * others.
 * @param {string} subject
 * @param {Sent} sent
 * @param {{ status: number, body: string }} response
 * @param {string} scheme
 * @returns {string | null}
 */
function findFault (subject, { host, upgrade, connection, headers }, { status, body }, scheme) {
  const isHarmless = !ODD_HOSTS.includes(host) && !upgrade && connection.length === 0 &&
    !headers.some(([name]) => isOdd(subject, name))
  if (status !== 200) return isHarmless || status >= 500 ? `a harmless request got status ${status}` : null
  // Envoy drops the body of a response to an upgrade.
  if (upgrade && body === '') return null
  const broken = findBrokenPromise(subject, body, { host, scheme })
  if (broken) return broken
  const seen = toHeaders(body)
  const expected = headers.map(([name, value]) => ({ name: name.toLowerCase(), value }))
    .filter(({ name }) => !isOdd(subject, name))
  const more = seen.find(({ name }) => !ADDED.includes(name) && !expected.some(header => header.name === name))
  if (more) return `the app got ${more.name}, which no client sent`
  const dropped = connection.map(name => name.toLowerCase())
  const toLine = (/** @type {typeof seen} */ list, /** @type {string} */ name) =>
    list.filter(header => header.name === name).map(({ value }) => value).join(', ')
  const lost = expected.find(({ name }) => !dropped.includes(name) && toLine(seen, name) !== toLine(expected, name))
  return lost ? `the app got ${lost.name}: ${toLine(seen, lost.name)} in place of ${toLine(expected, lost.name)}` : null
}

/**
 * Returns whether a configuration removes or replaces a header.
 * @param {string} subject
 * @param {string} name
 */
const isOdd = (subject, name) => isAlias(subject, name.toLowerCase()) ||
  [...TRUSTED_HEADERS, ...FORGEABLE_HEADERS].some(hostile => hostile.toLowerCase() === name.toLowerCase())

/**
 * Property: for every sequence of requests on every type of connection the app gets exactly the promised headers.
 * @param {Subject} subject
 */
export const passesPromisedHeaders = subject =>
  fc.asyncProperty(ways, requests, async (way, sequence) => {
    const groups = way === 'new' ? sequence.map(sent => [sent]) : [sequence]
    for (const group of groups) {
      const responses = await exchange(subject, group.map(toText), { isPipelined: way === 'pipelined' })
      if (responses.length === 0) throw new Error('no response')
      for (const [i, response] of responses.entries()) {
        // Traefik names the scheme of a WebSocket.
        const isSocket = subject.name === 'traefik' && /^websocket$/i.test(group[i].upgrade ?? '')
        const fault = findFault(subject.name, group[i], response, isSocket ? 'ws' : 'http')
        if (fault) throw new Error(`request ${i + 1}, ${way}: ${fault}`)
      }
    }
  })

/**
 * Property: the same for requests of one connection of HTTP/2.
 * @param {Subject} subject
 */
export const passesPromisedHeadersOverHttp2 = subject => fc.asyncProperty(requests, async sequence => {
  const session = connect(`https://${HOST}:${subject.port}`, TLS_CLIENT).on('error', () => {})
  try {
    for (const [i, { headers, method, ...sentOver1 }] of sequence.entries()) {
      // With TLS, Caddy has the name of the site in its configuration.
      const host = subject.name === 'caddy' ? SITE : sentOver1.host
      // Connection and Upgrade are no headers of HTTP/2.
      const sent = { host, method, headers, upgrade: null, connection: [] }
      const response = await askOverHttp2(session, sent)
      const fault = findFault(subject.name, sent, response, 'https')
      if (fault) throw new Error(`request ${i + 1}: ${fault}`)
      // A proxy may close the connection after a wrong request.
      if (response.status !== 200) return
    }
  } finally {
    session.destroy()
  }
})

/**
 * Sends a request. A refused stream has the status 400.
 * @param {import('node:http2').ClientHttp2Session} session
 * @param {Sent} sent
 */
async function askOverHttp2 (session, { host, method, headers }) {
  /** @type {Record<string, string[]>} */
  const fields = {}
  for (const [name, value] of headers) (fields[name.toLowerCase()] ??= []).push(value)
  const request = session.request(
    { ...fields, ':method': method, ':path': '/raw-headers', ':authority': host }, { endStream: true })
  try {
    const signal = AbortSignal.timeout(RESPONSE_MS)
    const [head] = await Promise.race([once(request, 'response', { signal }), once(request, 'close', { signal }),
      once(session, 'close', { signal })])
    return { status: Number(head[':status']), body: await text(request) }
  } catch {
    return { status: 400, body: '' }
  }
}

const credentials = inAnyCase(fc.constantFrom(...CREDENTIAL_HEADERS, 'Cookie'))
/** Names that match the rules for secrets, for a proxy that finds them by a pattern. */
const secretNames = fc.stringMatching(/^X-[A-Z][a-z]{0,5}-(?:Token|Secret|Key|Session|Password|Sig)$/)

/**
 * Something in which two requests differ.
 * @typedef {{ headers?: Header[], host?: string, body?: string, query?: string }} Difference
 */

/**
 * Property: a cached response depends on nothing outside its key: the response to a request is the same as without the
 * request before, which differs in one thing. A response is stored only if it permits that.
 * @param {Subject} subject
 */
export function keepsResponsesApart (subject) {
  const hosts = ['EXAMPLE.com', 'example.com.', 'example.com:80', 'example.com:81', `example.com:${subject.port}`]
  const names = subject.name === 'apache' ? fc.oneof(credentials, secretNames) : credentials
  const differences = /** @type {fc.Arbitrary<Difference>} */ (fc.oneof(
    fc.constant({}),
    fc.tuple(names, values).map(header => ({ headers: [header] })),
    fc.tuple(inAnyCase(hostile), values).map(header => ({ headers: [header] })),
    fc.constantFrom('0', 'x=1', ' ').map(body => ({ body })),
    fc.constantFrom(...hosts).map(host => ({ host })),
    fc.constantFrom('&x', '&X', '&x=1', '%26x', '?x', '?X', '?x=1', '?').map(query => ({ query }))
  ))
  let cases = 0
  return fc.asyncProperty(differences, fc.boolean(), fc.constantFrom(...PERMITTING, ...SILENT), fc.boolean(),
    async (difference, isFirst, policy, setsCookie) => {
      const id = cases++
      const isSame = Object.keys(difference).length === 0
      const [first, second] = isFirst ? [difference, {}] : [{}, difference]
      /**
       * @param {Difference} request
       * @param {boolean} [isControl]
       */
      const send = async ({ headers = [], host = SITE, body, query = '' }, isControl = false) => {
        const path = `/seen/id=${id}${isControl ? 'c' : ''}&cc=${encodeURIComponent(policy)}` +
          `${setsCookie ? '&cookie' : ''}${query}`
        const lines = [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...headers.map(header => header.join(': ')),
          ...body === undefined ? [] : [`Content-Length: ${body.length}`], '', body ?? '']
        const [response] = await exchange(subject, [lines.join('\r\n')])
        return response
      }
      const before = await send(first)
      const [seen, alone] = [await send(second), await send(second, true)]
      if (toSeen(seen.body) !== toSeen(alone.body)) throw new Error(`got ${seen.body} in place of ${alone.body}`)
      const isPermitted = PERMITTING.includes(policy) && !setsCookie
      if (!isPermitted && seen.body === before.body) throw new Error('stored without a permission')
      if (isPermitted && isSame && seen.body !== before.body) throw new Error('not stored')
    })
}

/** Returns what the app got, without what differs between equal requests. @param {string} body */
function toSeen (body) {
  const { number, rawHeaders, ...rest } = JSON.parse(body)
  const lines = toHeaders(JSON.stringify(rawHeaders)).filter(({ name }) => name !== 'x-varnish')
    .map(({ name, value }) => `${name}: ${value}`).sort()
  return JSON.stringify({ ...rest, lines })
}

/**
 * Starts a proxy or kit with its recommended configuration.
 * @param {Test} t
 * @param {SubjectName} subject
 * @param {Record<string, string>} options
 * @returns {Promise<Subject>}
 */
async function startRecommended (t, subject, options) {
  const temp = makeTempRoot()
  const programs = await findProxies(getConfigArms([subject]))
  const certificates = [await findCertificate('ecdsa-p256', join(temp.path, 'certificate'))]
  const running = await startSubject({
    subject,
    behaviour: { title: '', options, run: async () => null },
    dir: makeTempDir(temp.path, 'subject'),
    program: getProgram(programs, subject),
    certificates
  })
  t.teardown(async () => {
    await running.stop()
    temp.remove()
  })
  return running
}

/** Proxies, and one kit, whose start script and options are those of all kits. */
const SUBJECTS = [
  ...pluginNames('proxy').map(name => ({ name, kind: /** @type {const} */ ('proxy') })),
  { name: 'docker', kind: /** @type {const} */ ('kit') }
]

/**
 * Tests the properties of all proxies and of a kit, or of those in HOPBENCH_SUBJECTS. A failure names the seed, which
 * HOPBENCH_SEED repeats.
 * @param {Test} t
 * @param {(name: string) => number} toCases number of generated cases for a subject
 */
export async function testProperties (t, toCases) {
  const { HOPBENCH_SEED, HOPBENCH_SUBJECTS } = process.env
  for (const subject of SUBJECTS) {
    const { name, kind } = subject
    if (HOPBENCH_SUBJECTS && !HOPBENCH_SUBJECTS.split(',').includes(name)) continue
    const skip = skipWithout(kind === 'kit' ? 'nginx' : name)
    const { options } = (await loadPlugin('proxy', kind === 'kit' ? 'nginx' : name)).default.about
    const hasCache = Object.hasOwn(options, 'cache')
    const hasTls = kind === 'proxy' && name !== 'varnish'
    /** @typedef {{ title: string, options: Record<string, string>, properties: ToProperty[] }} Group */
    const groups = /** @type {Group[]} */ ([
      hasCache
        ? {
            title: 'passes the promised headers, and its cache separates responses',
            options: { cache: '30s' },
            properties: [passesPromisedHeaders, keepsResponsesApart]
          }
        : { title: 'passes the promised headers', options: {}, properties: [passesPromisedHeaders] },
      ...hasTls
        ? [{
            title: 'passes the promised headers over HTTP/2',
            options: { tls: 'ecdsa-p256' },
            properties: [passesPromisedHeadersOverHttp2]
          }]
        : []
    ])
    for (const { title, options, properties } of groups) {
      t.test(`an app behind ${name} ${title}`, { skip, timeout: 7_200_000, buffered: true }, async t => {
        const running = await startRecommended(t, subject, options)
        for (const toProperty of properties) {
          const details = await fc.check(toProperty(running),
            { numRuns: toCases(name), ...HOPBENCH_SEED && { seed: Number(HOPBENCH_SEED) } })
          const why = details.errorInstance instanceof Error ? details.errorInstance.message : ''
          t.notOk(details.failed, `HOPBENCH_SEED=${details.seed}: ${why}: ${JSON.stringify(details.counterexample)}`)
        }
      })
    }
  }
}
