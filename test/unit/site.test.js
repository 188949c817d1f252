import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import t from '../support/tap.js'
import { ASSET_TYPES, ASSETS, PAGE_VIEW } from '../../bench/shared/page-view.js'
import { getFixturePaths, writeFixtures } from '../../bench/topology/fixtures/fixtures.js'
import expressSite, { about } from '../../servers/express-site.js'
import { tempFolder } from '../support/temp.js'

/** @import { AddressInfo } from 'node:net' */
/** @import { OptionValue } from '../../bench/types.js' */

const root = tempFolder(t)
writeFixtures(root, PAGE_VIEW)
const SITE_FOLDER = 'site/assets'
const folder = join(root, SITE_FOLDER)
const ASSET_NAMES = PAGE_VIEW.slice(1).map(path => path.slice(ASSETS.length + 1))
const readAsset = (/** @type {string} */ name) => readFileSync(join(folder, name))

t.test('the names that experiments request are those of the generated files, with the hash of their content', t => {
  t.same(readdirSync(folder).filter(name => !/\.(gz|br)$/.test(name)).sort(), [...ASSET_NAMES].sort())
  t.same(about.files, { [ASSETS]: SITE_FOLDER })
  t.end()
})

t.test('has 20 assets, in the published numbers and bytes of each type', t => {
  t.equal(PAGE_VIEW.length, 21)
  t.equal(ASSET_NAMES.length, 20)
  for (const { extension, count, bytes } of ASSET_TYPES) {
    const sizes = ASSET_NAMES.filter(name => name.endsWith(`.${extension}`))
      .map(name => readAsset(name).length)
    t.equal(sizes.length, count, extension)
    t.equal(sizes.reduce((sum, size) => sum + size, 0), bytes, extension)
  }
  t.end()
})

t.test('texts have compressed twins with the same content, and photos and fonts do not compress', t => {
  for (const name of ASSET_NAMES) {
    const body = readAsset(name)
    if (/\.(js|css|svg)$/.test(name)) {
      t.ok(gzipSync(body).length < body.length / 2, name)
      t.same(gunzipSync(readFileSync(join(folder, `${name}.gz`))), body)
      t.same(brotliDecompressSync(readFileSync(join(folder, `${name}.br`))), body)
    } else {
      t.ok(gzipSync(body).length >= body.length, name)
      t.notOk(readdirSync(folder).includes(`${name}.gz`))
    }
  }
  t.end()
})

t.test('writes the site for a server that has its files, for any request', t => {
  const load = { path: '/api/items' }
  t.same(getFixturePaths([{ load, topology: { files: [{ prefix: ASSETS, folder: SITE_FOLDER }] } }]),
    ['/api/items', '/assets/'])
  t.same(getFixturePaths([{ load, topology: { files: [{ prefix: ASSETS, folder: '/srv/public' }] } }]), ['/api/items'],
    'the folder of an app of your own')
  t.end()
})

t.test('does not write the site for loads that do not request it', t => {
  const dir = join(root, 'without')
  writeFixtures(dir, ['/', '/page.html'])
  t.notOk(readdirSync(dir).includes('site'))
  t.end()
})

/**
 * Requests a path of the server.
 * @param {string} path
 * @param {Record<string, OptionValue>} [options] of the server
 */
async function get (path, options = {}) {
  const server = http.createServer(await expressSite({ root, options })).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {AddressInfo} */ (server.address())
  try {
    const request = http.get({ port, path, headers: { 'Accept-Encoding': 'gzip' } })
    const [response] = await once(request, 'response')
    const body = Buffer.concat(await response.toArray())
    return { status: response.statusCode, headers: response.headers, body }
  } finally {
    server.close()
  }
}

t.test('the server sends 3 KB of JSON, a page and the files, with validators', async t => {
  const api = await get(PAGE_VIEW[0])
  t.equal(api.body.length, 3072)
  t.match(api.headers['content-type'], /^application\/json/)
  const page = await get('/')
  for (const name of ASSET_NAMES.filter(name => !name.endsWith('.woff2'))) t.match(String(page.body), name)
  const file = await get(PAGE_VIEW[1])
  t.same(file.body, readAsset(ASSET_NAMES[0]))
  t.ok(file.headers.etag)
  t.equal(file.headers['content-encoding'], undefined)
  t.equal((await get(`${ASSETS}/missing.js`)).status, 404)
})

t.test('with +compress the server compresses texts, and leaves photos alone', async t => {
  const script = await get(PAGE_VIEW[1], { compress: true })
  t.equal(script.headers['content-encoding'], 'gzip')
  t.same(gunzipSync(script.body), readAsset(ASSET_NAMES[0]))
  const photo = PAGE_VIEW.find(path => path.endsWith('.webp')) ?? ''
  t.equal((await get(photo, { compress: true })).headers['content-encoding'], undefined)
})

t.test('the server starts without the folder, where only the API is requested', async t => {
  const handler = await expressSite({ root: join(root, 'without'), options: {} })
  t.type(handler, 'function')
})
