/** Access logs and HAR files with a planted secret: no byte of the secret is in what is stored or printed. */
import fc from 'fast-check'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { nameRequest, toMixLoad } from '../../bench/plan/request-mix.js'
import { toResumeCommand, withoutSecrets } from '../../bench/plan/stored-plan.js'
import { readMix } from '../../bench/request/user-mix.js'
import { sha256 } from '../../bench/shared/sha256.js'
import { SEED } from '../support/fuzz-cases.js'

/** @typedef {{ name: string | null, value: string }} Secret name: of its parameter; null: its form shows the secret */
/** @typedef {{ path: string, headers: { name: string, value: string }[], body: string | null }} Request */

const CASES = 250
const PLACES = ['path', 'query', 'path parameter', 'header', 'kept header', 'cookie', 'body']
/** Requests that are kept, so that a filter that drops everything fails. */
const KEPT = ['/', '/items?page=2', '/orders/550e8400-e29b-41d4-a716-446655440000', '/app-5d41402abc4b2a76b9719d91.js']
/** Names of parameters with secrets. */
const NAMES = ['token', 'access_token', 'jsessionid', 'PHPSESSID', 'sid', 'connect.sid', 'code', 'state', 'ticket',
  'SAMLResponse', 'password', 'api_key', 'X-Amz-Signature', 'X-Amz-Security-Token', 'X-Goog-Signature', 'sig',
  'Signature', 'invite', 'email', 'otp']

const inBase64 = (/** @type {object} */ value) => Buffer.from(JSON.stringify(value)).toString('base64url')
const word = fc.stringMatching(/^[a-z]{8,16}$/)
const withDigit = (/** @type {RegExp} */ pattern) => fc.stringMatching(pattern).filter(text => /\d/.test(text))
/** A text that does not occur by chance. */
const marker = withDigit(/^[A-Za-z0-9]{16,40}$/)
/** @type {fc.Arbitrary<Secret>} */
const secrets = fc.oneof(
  fc.record({ name: fc.constantFrom(...NAMES), value: marker }),
  fc.tuple(word, marker).map(([sub, signature]) =>
    ({ name: null, value: `${inBase64({ alg: 'HS256' })}.${inBase64({ sub })}.${signature}` })),
  fc.tuple(fc.constantFrom('sk_live_', 'rk_test_', 'ghp_', 'github_pat_', 'glpat-', 'npm_', 'xoxb-', 'AKIA', 'AIza',
    'sk-ant-', 'hf_', 'shpat_', 'whsec_', 'ya29.'), marker).map(([prefix, text]) =>
    ({ name: null, value: prefix + text }))
)
/** Random bytes. Generated texts would not do, because their letters are not equally frequent. */
const bytes = fc.nat().map(number => Buffer.from(sha256(String(number)), 'hex'))

/** A secret, and where it is. @type {fc.Arbitrary<[Secret, string]>} */
const planted = fc.oneof(
  fc.tuple(secrets, fc.constantFrom(...PLACES)),
  // Only a URL shows that a random text is secret, and only a link that a hash is.
  fc.tuple(bytes.map(hash => ({ name: null, value: hash.toString('base64url') })),
    fc.constantFrom('path', 'query', 'path parameter', 'link', 'body')),
  fc.tuple(bytes.map(hash => ({ name: null, value: hash.toString('hex').slice(24) })), fc.constantFrom('link', 'body'))
)
const cases = fc.record({ planted, isEncoded: fc.boolean(), at: fc.nat(KEPT.length) })

/**
 * Returns a request with the secret at a place.
 *
 * @param {Secret} secret
 * @param {string} place
 * @param {boolean} isEncoded whether the path is percent-encoded, except "/" and "?"
 * @returns {Request}
 */
function plant ({ name, value }, place, isEncoded) {
  const pair = `${name ?? 'x'}=${value}`
  const encode = (/** @type {string} */ text) =>
    isEncoded ? text.replace(/[^/?a-z0-9]/gi, sign => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`) : text
  /** @type {Request} */
  const plain = { path: '/planted', headers: [], body: null }
  switch (place) {
    case 'path': return { ...plain, path: encode(`/planted/${name === null ? value : pair}/end`) }
    case 'link': return { ...plain, path: encode(`/reset/${value}`) }
    case 'query': return { ...plain, path: encode(`/planted?a=1&${pair}`) }
    case 'path parameter': return { ...plain, path: encode(`/planted;v=1;${pair}/end?b=2`) }
    case 'header': return { ...plain, headers: [{ name: `X-${name ?? 'Custom'}`, value }] }
    case 'kept header': return { ...plain, headers: [{ name: 'Accept', value: `text/html;${pair}` }] }
    case 'cookie': return { ...plain, headers: [{ name: 'Cookie', value: `theme=dark; ${pair}` }] }
    default: return { ...plain, body: JSON.stringify({ [name ?? 'x']: value }) }
  }
}

/**
 * Returns everything that is stored or printed of a mix.
 *
 * @param {NonNullable<ReturnType<typeof readMix>>} mix
 */
function toOutput ({ mix, notes }) {
  const requests = [...mix.keys()]
  const load = { engine: 'autocannon', connections: 1, ...toMixLoad(requests, {}) }
  const plan = withoutSecrets(/** @type {any} */ ({
    arms: [{ name: 'app', topology: { proxy: null, server: null }, load }]
  }))
  return JSON.stringify([plan, notes, requests.map(nameRequest), toResumeCommand('run', plan)])
}

/**
 * Returns the first part of a secret that is in the output.
 *
 * @param {string} output
 * @param {Secret} secret
 * @param {Request} request
 */
function findLeak (output, { value }, { body }) {
  const hash = body === null ? [] : [sha256(body).slice(0, 8), Buffer.from(body).toString('base64')]
  const texts = [output, output.replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)))]
  return [value, ...hash].find(part => texts.some(text => text.includes(part))) ?? null
}

/**
 * Reads the mix of a file, and fails if a request without a secret is missing.
 *
 * @param {string} file
 * @param {Parameters<typeof readMix>[0]} options
 */
function readKept (file, options) {
  const mix = readMix(options)
  if (mix === null) throw new Error(`${file} has no requests`)
  const names = [...mix.mix.keys()].map(({ path }) => path)
  const missing = KEPT.find(path => !names.includes(path))
  if (missing !== undefined) throw new Error(`${missing} was left out`)
  return mix
}

/** Inserts an element. @type {<T>(list: T[], at: number, element: T) => T[]} */
const insert = (list, at, element) => [...list.slice(0, at), element, ...list.slice(at)]

t.test('a secret in a line of an access log is not stored', async t => {
  const file = join(t.testdir({}), 'access.log')
  const toLine = (/** @type {Request} */ { path, headers, body }) =>
    `192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 12 "-" "curl" ` +
    `"${headers.map(({ name, value }) => `${name}: ${value}`).join(' ')}" "${body ?? '-'}"`
  fc.assert(fc.property(cases, fc.boolean(), ({ planted: [secret, place], isEncoded, at }, isList) => {
    const request = plant(secret, place, isEncoded)
    const requests = insert(KEPT.map(path => ({ path, headers: [], body: null })), at, request)
    writeFileSync(file, requests.map(isList ? ({ path }) => path : toLine).join('\n'))
    const leak = findLeak(toOutput(readKept(file, { paths: file })), secret, request)
    if (leak !== null) throw new Error(`${leak} is stored`)
  }), { numRuns: CASES, seed: SEED })
  t.pass(`${CASES} logs`)
})

t.test('a secret in a request of a HAR file is not stored', async t => {
  const file = join(t.testdir({}), 'page.har')
  const toEntry = (/** @type {Request} */ { path, headers, body }) => ({
    request: {
      method: body === null ? 'GET' : 'POST',
      url: `http://localhost${path}`,
      headers,
      ...body !== null && { postData: { mimeType: 'application/json', text: body } }
    },
    response: { status: 200, content: { size: 10, mimeType: 'text/html' } }
  })
  fc.assert(fc.property(cases, ({ planted: [secret, place], isEncoded, at }) => {
    const request = plant(secret, place, isEncoded)
    const entries = insert(KEPT.map(path => ({ path, headers: [], body: null })), at, request).map(toEntry)
    writeFileSync(file, JSON.stringify({ log: { entries } }))
    const leak = findLeak(toOutput(readKept(file, { har: file, harMethods: 'POST' })), secret, request)
    if (leak !== null) throw new Error(`${leak} is stored`)
  }), { numRuns: CASES, seed: SEED })
  t.pass(`${CASES} files`)
})

t.test('a guess of a small body cannot be checked by what is stored', async t => {
  const file = join(t.testdir({}), 'page.har')
  const body = '{"pin":"1234"}'
  writeFileSync(file, JSON.stringify({
    log: {
      entries: [{
        request: {
          method: 'POST', url: 'http://localhost/', headers: [], postData: { mimeType: 'application/json', text: body }
        },
        response: { status: 200, content: { size: 10, mimeType: 'text/html' } }
      }]
    }
  }))
  const mix = readMix({ har: file, harMethods: 'POST' })
  const [request] = [...mix?.mix.keys() ?? []]
  t.equal(Buffer.from(String(request.body?.base64), 'base64').toString(), body, 'the body is sent')
  t.not(request.body?.id, sha256(body))
  t.strictSame(withoutSecrets(/** @type {any} */ ({
    arms: [{ topology: {}, load: { path: '/', headers: {}, requests: [request] } }]
  })).arms[0].load.requests?.[0].body, { base64: null, bytes: body.length })
})
