/** The requests of a page from a HAR file, and those of an access log of an app. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readPage } from '../../bench/studies/own-har.js'
import { readMix } from '../../bench/studies/own-mix.js'

/** @import { Test } from 'tap' */

const BROWSER = [{ name: 'accept-encoding', value: 'gzip, deflate, br' }, { name: 'Cookie', value: 'sid=secret' }]

/**
 * Returns an entry as browsers write it.
 * @param {string} url
 * @param {object} [options]
 * @param {string} [options.method]
 * @param {number} [options.status]
 * @param {number} [options.size] of the response in bytes
 * @param {string} [options.mimeType]
 */
const entry = (url, { method = 'GET', status = 200, size = 100, mimeType = 'text/css' } = {}) =>
  ({ request: { method, url, headers: BROWSER }, response: { status, content: { size, mimeType } } })

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
  const { mix, acceptEncoding, notes } = readPage(write(t, {
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
  t.strictSame([...mix], [['/shop?page=2', 1], ['/a.css', 1], ['/api?page=1', 2]])
  t.equal(acceptEncoding, 'gzip, deflate, br')
  t.strictSame(notes, ['1 request to other hosts than http://127.0.0.1:3000'])
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
        entry(`${origin}/me?access_token=abcdef`)
      ]
    }
  }))
  t.strictSame([...mix.keys()], ['/'])
  t.equal(notes.length, 4)
  for (const what of ['another method', 'not 200', '10 MiB', 'secret']) {
    t.ok(notes.some(note => note.startsWith('1 ') && note.includes(what)), what)
  }
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
    [{ log: { entries: [{ ...good, response: {} }] } }, 'log.entries.0.response.status']
  ]
  for (const [content, field] of cases) {
    t.throws(() => readPage(write(t, content)), { code: 'har-unreadable', message: field }, field)
  }
  t.throws(() => readPage(write(t, `{"log":${'['.repeat(50_000)}${']'.repeat(50_000)}}`)), { code: 'har-unreadable' })
  t.throws(() => readPage(write(t, { log: { entries: [] } })), { code: 'har-empty' })
  t.throws(() => readPage(write(t, { log: { entries: [entry('http://localhost/x', { status: 500 })] } })),
    { code: 'har-empty', message: 'not 200' })
})

t.test('an access log of an app keeps queries, except those with secrets', async t => {
  const log = write(t, ['/items?page=2', '/items?api_key=abc', '/items?page=2'].map(path =>
    `127.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET ${path} HTTP/1.1" 200 12 "-" "-"`).join('\n'))
  const found = readMix({ paths: log })
  t.strictSame([...found?.mix ?? []], [['/items?page=2', 2]])
  t.match(found?.notes, [/^1 path with a secret/])
})

t.test('one of --har and --paths, and no options of a single request', async t => {
  t.equal(readMix({ path: '/' }), null)
  t.throws(() => readMix({ har: 'a', paths: 'b' }), { code: 'bad-option' })
  for (const field of ['path', 'method', 'body', 'bodyFile']) {
    t.throws(() => readMix({ har: 'a', [field]: 'x' }), { code: 'bad-option', message: '--' }, field)
  }
})
