/** The requests of a page from a HAR file, and those of an access log of an app. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
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
  t.match(notes, ['1 request to other hosts than http://127.0.0.1:3000', /^cookies and credentials of 4 requests/])
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
  t.equal(notes.length, 5)
  for (const what of ['1 request with another method', 'with a response that is an error or a redirect', '10 MiB',
    '2 requests with a secret']) {
    t.ok(notes.some(note => note.includes(what)), what)
  }
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
    '1 request with another method than GET or POST', /body that the file does not hold/, /body in a GET/, /^cookies/
  ])
})

t.test('a body of more than 10 MiB is refused with its field and path', async t => {
  const text = 'x'.repeat(10 * 2 ** 20 + 1)
  const upload = (/** @type {string} */ path, /** @type {string} */ text) =>
    entry(`http://localhost${path}`, { method: 'POST', postData: { mimeType: 'text/plain', text } })
  const page = entry('http://localhost/', { mimeType: 'text/html' })
  const large = write(t, { log: { entries: [page, upload('/upload', text)] } })
  t.throws(() => readPage(large, ['POST']), {
    code: 'har-unreadable', message: /log\.entries\.1\.request\.postData\.text has 10485761 bytes \(POST \/upload\)/
  })
  t.strictSame(named(readPage(large).mix), [['GET /', 1]], 'but does not matter if it is not sent')
  const half = text.slice(text.length / 2)
  const several = write(t, { log: { entries: [page, ...['/a', '/b', '/c'].map(path => upload(path, half))] } })
  t.throws(() => readPage(several, ['POST']), { code: 'har-unreadable', message: /together/ })
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

t.test('names the field that is wrong', async t => {
  const good = entry('http://localhost/')
  /** @type {[content: unknown, field: string][]} */
  const cases = [
    ['<html>', 'not JSON'],
    [{ log: {} }, 'log.entries is not a list'],
    [{ log: { entries: [good, null] } }, 'log.entries.1.request.method'],
    [{ log: { entries: [{ ...good, request: { ...good.request, url: 'x' } }] } }, 'log.entries.0.request.url'],
    [{ log: { entries: [{ ...good, request: { ...good.request, headers: {} } }] } }, 'log.entries.0.request.headers'],
    [{ log: { entries: [{ ...good, request: { ...good.request, headers: [null] } }] } },
      'log.entries.0.request.headers.0.name'],
    [{ log: { entries: [{ ...good, request: { ...good.request, headers: [{ name: { toString: 1 } }] } }] } },
      'log.entries.0.request.headers.0.name'],
    [{ log: { entries: [{ ...good, response: {} }] } }, 'log.entries.0.response.status']
  ]
  for (const [content, field] of cases) {
    t.throws(() => readPage(write(t, content)), { code: 'har-unreadable', message: new RegExp(field) }, field)
  }
  t.throws(() => readPage(write(t, `{"log":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)), { code: 'har-unreadable' })
  t.throws(() => readPage(write(t, { log: { entries: [] } })), { code: 'har-empty' })
  t.throws(() => readPage(write(t, { log: { entries: [entry('http://localhost/x', { status: 500 })] } })),
    { code: 'har-empty', message: /an error or a redirect/ })
})

t.test('an access log of an app keeps queries, except those with secrets', async t => {
  const log = write(t, ['/items?page=2', '/items?api_key=abc', '/items?page=2'].map(path =>
    `127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 12 "-" "-"`).join('\n'))
  const found = readMix({ paths: log })
  t.strictSame([...found?.mix ?? []], [[{ path: '/items?page=2' }, 2]])
  t.match(found?.notes, [/^1 path with a secret/])
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
