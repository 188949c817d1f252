/** The requests of a page from a HAR file, and those of an access log of an app. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import t from '../support/tap.js'
import { isHopbenchError } from '../../bench/errors.js'
import { attempt } from '../../bench/shared/attempt.js'
import { readMix, readPage } from '../../bench/request/user-mix.js'

/** @import { Test } from 'tap' */

const BROWSER = [
  { name: 'accept-encoding', value: 'gzip, deflate, br' }, { name: 'Accept', value: '*/*' },
  { name: 'Cookie', value: 'sid=secret' }, { name: 'Authorization', value: 'Bearer secret' }
]
/** Headers of an entry that are sent again. */
const SENT = { Accept: '*/*', 'Accept-Encoding': 'gzip, deflate, br' }

/**
 * Returns an entry as browsers write it.
 * @param {string} url
 * @param {object} [options]
 * @param {string} [options.method]
 * @param {number} [options.status]
 * @param {number} [options.size] of the response in bytes
 * @param {string} [options.mimeType]
 * @param {object} [options.postData]
 * @param {{ name: string, value: string }[]} [options.headers]
 */
function entry (url, options = {}) {
  const { method = 'GET', status = 200, size = 100, mimeType = 'text/css', postData, headers = BROWSER } = options
  return { request: { method, url, headers, postData }, response: { status, content: { size, mimeType } } }
}

/** Returns the number of requests by name. @param {ReturnType<typeof readPage>['mix']} mix */
const named = mix => [...mix].map(([{ path, method }, times]) => [`${method ?? 'GET'} ${path}`, times])

/**
 * @param {Test} t
 * @param {unknown} content
 */
function write (t, content) {
  const file = join(t.testdir({}), 'page.har')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

t.test('reads the requests of the first page in their proportions', async t => {
  const { mix, notes } = readPage(write(t, {
    log: {
      entries: [
        entry('https://ads.example/first.js'),
        entry('http://127.0.0.1:3000/shop?page=2', { mimeType: 'text/html; charset=utf-8' }),
        entry('http://127.0.0.1:3000/a.css'),
        entry('http://127.0.0.1:3000/api?page=1'),
        entry('http://127.0.0.1:3000/api?page=1', { status: 304 }),
        entry('data:image/png;base64,AAAA')
      ]
    }
  }))
  t.strictSame(named(mix), [['GET /shop?page=2', 1], ['GET /a.css', 1], ['GET /api?page=1', 2]])
  for (const { headers } of mix.keys()) t.strictSame(headers, SENT)
  t.strictSame(notes, [
    '1 request to other hosts than http://127.0.0.1:3000 (--har-origin https://ads.example takes others)',
    'cookies and credentials of 4 requests (--header sends them)'
  ])
  t.notMatch(JSON.stringify([...mix]), /secret/)
})

t.test('leaves out and counts what cannot be repeated or must not be stored', async t => {
  const origin = 'http://localhost'
  const { mix, notes } = readPage(write(t, {
    log: {
      entries: [
        entry(`${origin}/`, { mimeType: 'text/html' }),
        entry(`${origin}/login`, { method: 'POST' }),
        entry(`${origin}/gone`, { status: 404 }),
        entry(`${origin}/film.mp4`, { size: 11 * 2 ** 20 }),
        entry(`${origin}/me?access_token=abcdef`),
        entry(`${origin}/me?x=eyJhbGciOi.eyJzdWIi.abcdef`)
      ]
    }
  }))
  t.strictSame(named(mix), [['GET /', 1]])
  t.strictSame(notes, [
    '1 request (16.7 %) with another method than GET',
    '1 request (16.7 %) with a response that is an error or a redirect',
    '1 request (16.7 %) with a response of more than 10 MiB',
    '2 requests (33.3 %) with a secret in the URL',
    'cookies and credentials of 1 request (--header sends them)'
  ])
})

t.test('repeats further methods with their bodies, if they are named', async t => {
  const json = { mimeType: 'application/json', text: '{"sum":"10 €"}' }
  const file = write(t, {
    log: {
      entries: [
        entry('http://localhost/', { mimeType: 'text/html' }),
        entry('http://localhost/pay', { method: 'POST', status: 201, postData: json }),
        entry('http://localhost/form', { method: 'POST', postData: { mimeType: 'x/y', params: [{ name: 'a' }] } }),
        entry('http://localhost/get', { postData: json }),
        entry('http://localhost/old', { method: 'DELETE' })
      ]
    }
  })
  const { mix, notes } = readMix({ har: file, harMethods: 'post' }) ?? { mix: new Map(), notes: [] }
  t.strictSame(named(mix), [['GET /', 1], ['POST /pay', 1]])
  const { body, headers } = [...mix.keys()][1]
  t.equal(Buffer.from(body?.base64, 'base64').toString(), json.text)
  t.strictSame(headers, { ...SENT, 'Content-Type': 'application/json' })
  t.match(notes, [
    '1 request (20 %) with another method than GET or POST', /body that the file does not hold/, /body in a GET/,
    /^cookies/
  ])
})

t.test('leaves out a body of more than 10 MiB, and rejects smaller ones of more together', async t => {
  const text = 'x'.repeat(10 * 2 ** 20 + 1)
  const upload = (/** @type {string} */ path, /** @type {string} */ text) =>
    entry(`http://localhost${path}`, { method: 'POST', postData: { mimeType: 'text/plain', text } })
  const page = entry('http://localhost/', { mimeType: 'text/html' })
  const large = write(t, { log: { entries: [page, upload('/upload', text)] } })
  const { mix, notes } = readPage(large, { methods: ['POST'] })
  t.strictSame(named(mix), [['GET /', 1]])
  t.equal(notes[0], '1 request (50 %) with a body of more than 10 MiB')
  const half = text.slice(text.length / 2)
  const several = write(t, { log: { entries: [page, ...['/a', '/b', '/c'].map(path => upload(path, half))] } })
  t.throws(() => readPage(several, { methods: ['POST'] }), { code: 'har-unreadable', message: /together/ })
})

t.test('leaves out encodings that cannot be decoded, and reports so', async t => {
  const headers = [{ name: 'Accept-Encoding', value: 'gzip, deflate;q=0.5, br, zstd, dcb' }]
  const { mix, notes } = readPage(write(t, { log: { entries: [entry('http://localhost/', { headers })] } }))
  t.strictSame([...mix.keys()][0].headers, { 'Accept-Encoding': 'gzip, deflate;q=0.5, br' })
  t.same(notes, ['zstd, dcb in Accept-Encoding, which hopbench cannot decode'])
})

t.test('reads a file with a byte order mark, and refuses a FIFO without waiting for its writer', async t => {
  const text = JSON.stringify({ log: { entries: [entry('http://localhost/')] } })
  t.strictSame(named(readPage(write(t, `\uFEFF${text}`)).mix), [['GET /', 1]])
  const fifo = join(t.testdir({}), 'page.har')
  execFileSync('mkfifo', [fifo])
  for (const file of [fifo, '/dev/zero']) {
    t.throws(() => readPage(file), { code: 'har-unreadable', message: /not a plain file/ }, file)
  }
})

t.test('values of another type are no text and no number', async t => {
  const odd = { toString: 1, valueOf: 1 }
  const good = entry('http://localhost/')
  const headers = [{ name: 'Accept', value: odd }]
  const har = {
    log: {
      entries: [{
        request: { ...good.request, headers, bodySize: odd },
        response: { status: 200, content: { size: odd, mimeType: odd } }
      }]
    }
  }
  t.strictSame(named(readPage(write(t, har)).mix), [['GET /', 1]])
})

t.test('rejects a file that is no HAR file, or has no request that can be repeated', async t => {
  /** @type {[content: unknown, why: RegExp][]} */
  const cases = [['<html>', /not JSON/], [{ log: {} }, /log\.entries is not a list/],
    [`{"log":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, /nested too deeply|not JSON/]]
  for (const [content, why] of cases) {
    t.throws(() => readPage(write(t, content)), { code: 'har-unreadable', message: why }, String(why))
  }
  t.throws(() => readPage(write(t, { log: { entries: [] } })), { code: 'har-empty' })
  t.throws(() => readPage(write(t, { log: { entries: [entry('http://localhost/x', { status: 500 })] } })),
    { code: 'har-empty', message: /an error or a redirect/ })
})

t.test('leaves out items that are no requests, and takes requests without optional fields', async t => {
  const url = 'http://localhost/'
  const { mix, notes } = readPage(write(t, {
    log: {
      entries: [
        null, { request: { method: 'GET', url: 'x' } }, { request: { url } },
        { request: { method: 'get', url }, response: { status: 200, content: null } },
        { request: { method: 'GET', url: `${url}a`, headers: null }, response: { status: '200' } },
        { request: { method: 'GET', url: `${url}b`, headers: [null, { name: {} }] }, response: { status: 206 } },
        { request: { method: 'GET', url: `${url}none` } },
        { request: { method: 'GET', url: `${url}cancelled` }, response: { status: -999 } }
      ]
    }
  }))
  t.strictSame(named(mix), [['GET /', 1], ['GET /a', 1], ['GET /b', 1]])
  t.strictSame(notes, [
    '2 requests (40 %) with a response that is an error or a redirect',
    '3 items of log.entries without a request (log.entries.0.request.method is not a text)'
  ])
})

t.test('--har-origin chooses among the hosts; without it, the one with the most pages and requests', async t => {
  const [login, app, api] = ['https://login.example', 'http://localhost:3000', 'http://localhost:4000']
  const page = { mimeType: 'text/html' }
  const har = write(t, {
    log: {
      entries: [
        entry(`${login}/`, page), entry(`${app}/`, page), entry(`${app}/a.css`),
        ...['/1', '/2', '/3'].map(path => entry(`${api}${path}`, { mimeType: 'application/json' }))
      ]
    }
  })
  t.strictSame(named(readPage(har).mix), [['GET /', 1], ['GET /a.css', 1]])
  t.strictSame([...readMix({ har, harOrigin: `${api}/x` })?.mix ?? []].length, 3)
  t.throws(() => readMix({ har, harOrigin: 'http://localhost:5000' }), {
    code: 'bad-option', message: /no request to it, but to https:\/\/login\.example, http:\/\/localhost:3000/
  })
  t.throws(() => readMix({ harOrigin: app }), { code: 'bad-option', message: /requires --har/ })
})

t.test('reads a HAR file with gzip, and a ZIP archive with bodies in files of their own', async t => {
  const dir = t.testdir({})
  const form = { mimeType: 'application/x-www-form-urlencoded', params: [{ name: 'a b', value: '1&2' }, { name: 'c' }] }
  const har = JSON.stringify({
    log: {
      entries: [
        entry('http://localhost/', { mimeType: 'text/html' }),
        entry('http://localhost/form', { method: 'POST', postData: form }),
        entry('http://localhost/file', { method: 'POST', postData: { mimeType: 'text/plain', _file: 'sha1.txt' } })
      ]
    }
  })
  writeFileSync(join(dir, 'page.har'), har)
  writeFileSync(join(dir, 'page.har.gz'), gzipSync(har))
  writeFileSync(join(dir, 'sha1.txt'), 'body')
  /** @param {string} name */
  const read = name => [...readPage(join(dir, name), { methods: ['POST'] }).mix.keys()]
    .map(({ path, body }) => [path, body ? Buffer.from(String(body.base64), 'base64').toString() : null])
  const sent = [['/', null], ['/form', 'a+b=1%262&c=']]
  t.strictSame(read('page.har'), sent)
  t.strictSame(read('page.har.gz'), sent)
  const zip = 'import sys, zipfile as z\nfor name, way in (("a", z.ZIP_DEFLATED), ("b", z.ZIP_STORED)):\n' +
    '  with z.ZipFile(name + ".zip", "w", way) as f:\n    f.write("sha1.txt"); f.write("page.har", "har.har")'
  execFileSync('python3', ['-c', zip], { cwd: dir })
  for (const name of ['a.zip', 'b.zip']) t.strictSame(read(name), [...sent, ['/file', 'body']], name)
  const bytes = readFileSync(join(dir, 'a.zip'))
  fc.assert(fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
    const damaged = Buffer.from(bytes)
    damaged[at] = value
    writeFileSync(join(dir, 'damaged.zip'), damaged)
    const result = attempt(() => read('damaged.zip'), error => error)
    t.ok(Array.isArray(result) || isHopbenchError(result), `byte ${at} is ${value}`)
  }), { numRuns: 200 })
})

t.test('an access log of an app keeps queries, except those with secrets', async t => {
  const log = write(t, ['/items?page=2', '/items?api_key=abc', '/items?page=2'].map(path =>
    `127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 12 "-" "-"`).join('\n'))
  const found = readMix({ paths: log })
  t.strictSame([...found?.mix ?? []], [[{ path: '/items?page=2' }, 2]])
  t.strictSame(found?.notes, ['1 request (33.3 %) with a secret in the URL'])
})

t.test('one of --har and --paths, and no options of a single request', async t => {
  t.equal(readMix({ path: '/' }), null)
  t.throws(() => readMix({ har: 'a', paths: 'b' }), { code: 'bad-option' })
  t.throws(() => readMix({ harMethods: 'POST' }), { code: 'bad-option', message: /--har/ })
  t.throws(() => readMix({ har: 'a', harMethods: 'HEAD' }), { code: 'bad-option', message: /POST/ })
  for (const field of ['path', 'method', 'body', 'bodyFile']) {
    t.throws(() => readMix({ har: 'a', [field]: 'x' }), { code: 'bad-option', message: /--/ }, field)
  }
})
