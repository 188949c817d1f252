import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import http2 from 'node:http2'
import { join } from 'node:path'
import t from '../support/tap.js'
import { isType } from '../../bench/shared/http/media-types.js'
import { PATHS, getExpectedResponse, jsonFixture, writeFixtures } from '../../bench/topology/fixtures/fixtures.js'
import { loadPlugin, pluginNames } from '../../bench/plan/plugins.js'
import { parse } from '../../bench/plan/spec.js'
import { decoded } from '../../bench/machine/content-encoding.js'
import { SERVER_OPTIONS, getOwnOptions, serverSettings } from '../../bench/topology/server-options.js'
import { listening } from '../support/listening.js'
import { tempFolder } from '../support/temp.js'

/** @import { OptionSpec, ServerAbout } from '../../bench/types.js' */
/** @import { Test } from 'tap' */

const temp = tempFolder(t)

for (const name of pluginNames('server')) {
  t.test(`server ${name}`, async t => {
    const { default: factory, about } = await loadPlugin('server', name)
    const root = writeFixtures(join(temp, name), Object.keys(about.files ?? {}).map(prefix => `${prefix}/`))
    mkdirSync(join(root, 'folder'))
    writeFileSync(join(root, 'folder', 'index.html'), '<p>index</p>')
    const { get, port } = await serve(t, await factory({ root }))
    t.match(about.settings, /\S/, 'states its settings')
    t.same(serverSettings(parse(name), '20.0.0', about).own,
      Object.fromEntries(ownOptions(about).map(([option, spec]) => [option, spec.default])))
    for (const [option, spec] of ownOptions(about)) {
      t.ok(spec.help, `${option} has a help text`)
      t.ok(!Object.hasOwn(SERVER_OPTIONS, option), `${option} is its own`)
    }

    if (about.serves.includes('json')) {
      const answer = await fetch(`http://127.0.0.1:${port}/`)
      t.equal(answer.status, 200)
      t.equal(await answer.text(), jsonFixture(), 'answers the fixture byte for byte')
      t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
      t.equal(answer.headers.get('content-length'), '1024')
      t.equal((await fetch(`http://127.0.0.1:${port}/nowhere`)).status, 404, 'has no other path')
    }
    if (about.serves.includes('pages')) await makesTheSamePage(t, get)
    if (about.serves.includes('site')) await servesSite(t, root, get, about)
    if (about.serves.includes('static')) {
      await servesFixtures(t, root, get)
      await compressesAsItSays(t, root, get, about)
      await takesBytesFromWhereItSays(t, root, get, about)
    }
    await answersOverHttp2(t, await factory({ root: writeFixtures(join(temp, `${name}-2`)) }), about)
  })
}

/**
 * Compares the response over HTTP/2 with the one over HTTP/1.1, for servers without `http1Only`.
 * @param {Test} t
 * @param {http.RequestListener} handler
 * @param {ServerAbout} about
 */
async function answersOverHttp2 (t, handler, about) {
  if (about.http1Only) return t.match(about.http1Only, /\S/)
  const server = http2.createServer()
  server.on('request', /** @type {any} */ (handler))
  const client = http2.connect(`http://127.0.0.1:${await listening(t, server)}`)
  t.teardown(() => client.destroy())
  const stream = client.request({ ':path': about.serves.includes('static') ? PATHS.json : '/' })
  const [headers] = await once(stream, 'response')
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  t.equal(headers[':status'], 200)
  if (about.serves.includes('pages')) t.match(headers['content-type'], /^text\/html/)
  else t.equal(String(Buffer.concat(chunks)), jsonFixture(), 'answers over HTTP/2')
}

/**
 * @param {ServerAbout} about
 * @returns {[string, OptionSpec][]}
 */
const ownOptions = about => Object.entries(getOwnOptions(about))

/** @typedef {{ status: number, headers: http.IncomingHttpHeaders, body: Buffer }} Answer */
/** @typedef {(path: string, headers?: Record<string, string>) => Promise<Answer>} Get */

/**
 * Tests that pages are always the same, because the gate compares the proxies' responses with them, and that they do
 * not limit the lifetime in a cache.
 * @param {Test} t
 * @param {Get} get
 */
async function makesTheSamePage (t, get) {
  const [first, second, other] = [await get('/'), await get('/'), await get('/another/page?x=1')]
  for (const { status, headers, body } of [first, second, other]) {
    t.equal(status, 200)
    t.match(headers['content-type'], /^text\/html/)
    t.equal(Number(headers['content-length']), body.length)
    t.equal(hash(body), hash(first.body), 'byte for byte the same, for any path')
    t.strictSame([headers['cache-control'], headers.expires], ['public', undefined], 'it names no lifetime')
    t.ok(headers.etag ?? headers['last-modified'], 'mod_cache keeps nothing without a validator')
  }
}

/**
 * Tests that responses of the app are always the same, and that the files of a prefix are those of its folder.
 * @param {Test} t
 * @param {string} root
 * @param {Get} get
 * @param {ServerAbout} about
 */
async function servesSite (t, root, get, { files = {} }) {
  const [first, second] = [await get('/'), await get('/')]
  t.equal(first.status, 200)
  t.equal(hash(first.body), hash(second.body), 'byte for byte the same')
  for (const [prefix, folder] of Object.entries(files)) {
    const names = readdirSync(join(root, folder)).filter(name => !/\.(gz|br)$/.test(name))
    t.ok(names.length > 0, `${prefix} has files`)
    for (const name of names) {
      const { status, body } = await get(`${prefix}/${name}`)
      t.equal(status, 200, name)
      t.equal(hash(body), hash(readFileSync(join(root, folder, name))), `${name} is the file, byte for byte`)
    }
    t.equal((await get(`${prefix}/nowhere.js`)).status, 404, 'has no other file')
  }
}

/**
 * @param {Test} t
 * @param {string} root
 * @param {Get} get
 */
async function servesFixtures (t, root, get) {
  // The empty file is left to hopbench check, because st crashes on it.
  const { '0 B': empty, ...sizes } = PATHS.sizes
  for (const path of [PATHS.json, PATHS.image, PATHS.page, ...Object.values(sizes)]) {
    const { status, headers, body } = await get(path)
    const wanted = /** @type {NonNullable<ReturnType<typeof getExpectedResponse>>} */ (getExpectedResponse(root, path))
    t.equal(status, 200, path)
    t.equal(body.length, wanted.bytes, `${path} has its size`)
    t.ok(isType(headers['content-type'] ?? null, /** @type {string} */ (wanted.contentType)),
      `${path} is ${headers['content-type']}`)
    t.equal(hash(body), wanted.sha256, `${path} is the file, byte for byte`)
    t.notMatch(headers['cache-control'] ?? '', /max-age=0\b/, 'lets a proxy cache it')
    t.match(headers['cache-control'], /max-age=3600/, 'the same lifetime for all servers')
  }
  t.equal((await get('/nowhere.html')).status, 404)
  t.equal(String((await get('/folder/')).body), '<p>index</p>', 'a folder is its index.html')
}

/**
 * @param {Test} t
 * @param {string} root
 * @param {Get} get
 * @param {ServerAbout} about
 */
async function compressesAsItSays (t, root, get, about) {
  const { headers, body } = await get(PATHS.page, { 'accept-encoding': 'gzip' })
  t.equal(headers['content-encoding'], about.compression === 'none' ? undefined : 'gzip',
    `compression: ${about.compression}`)
  t.equal(hash(/** @type {Buffer} */ (decoded(body, headers['content-encoding'] ?? null))),
    getExpectedResponse(root, PATHS.page)?.sha256)
  t.equal((await get(PATHS.page)).headers['content-encoding'], undefined, 'clients that accept no encoding get none')
}

/**
 * Tests that a server with its bytes in memory serves the old ones after a change of the files.
 * @param {Test} t
 * @param {string} root
 * @param {Get} get
 * @param {ServerAbout} about
 */
async function takesBytesFromWhereItSays (t, root, get, about) {
  const before = hash((await get(PATHS.page)).body)
  const page = Buffer.alloc(8550, 'x') // The size is the same, so that cached headers remain valid.
  writeFileSync(join(root, 'new'), page)
  renameSync(join(root, 'new'), join(root, 'page.html'))
  const after = hash((await get(PATHS.page)).body)
  t.equal(after, about.bytesFrom === 'memory' ? before : hash(page), `bytes from ${about.bytesFrom}`)
}

/** @param {Buffer} body */
const hash = body => createHash('sha256').update(body).digest('hex')

/**
 * @param {Test} t
 * @param {http.RequestListener} handler
 */
async function serve (t, handler) {
  const port = await listening(t, http.createServer(handler))
  /** @type {Get} */
  const get = (path, headers = {}) =>
    new Promise((resolve, reject) => {
      http.get({ host: '127.0.0.1', port, path, headers, agent: false }, response => {
        /** @type {Buffer[]} */
        const chunks = []
        response.on('data', chunk => chunks.push(chunk)).on('error', reject)
        response.on('end',
          () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }))
      }).on('error', reject)
    })
  return { port, get }
}
