import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import t from '../support/tap.js'
import { acceptedEncodings } from '../../bench/topology/fixtures/expected.js'
import { image, noise } from '../../bench/topology/fixtures/image.js'
import { page } from '../../bench/topology/fixtures/html-page.js'
import { isType } from '../../bench/shared/media-types.js'
import {
  PATHS, getExpectedResponse, jsonFixture, getFixturePaths, writeFixtures
} from '../../bench/topology/fixtures/fixtures.js'
import { tempFolder } from '../support/temp.js'

const root = tempFolder(t)
writeFixtures(root)

t.test('the JSON fixture is exactly 1 KB in the format of JSON.stringify', async t => {
  t.equal(Buffer.byteLength(jsonFixture()), 1024)
  t.equal(JSON.stringify(JSON.parse(jsonFixture())), jsonFixture())
})

t.test('writes every path in its published size with a fixed modification time', async t => {
  const sizes = { ...PATHS.sizes, json: PATHS.json, image: PATHS.image, page: PATHS.page }
  const bytes = {
    '0 B': 0,
    '1 KB': 1024,
    '10 KB': 10240,
    '100 KB': 102400,
    '1 MB': 1048576,
    json: 1024,
    image: 5081,
    page: 8550
  }
  for (const [name, path] of Object.entries(sizes)) {
    const stats = statSync(join(root, path))
    t.equal(stats.size, bytes[/** @type {keyof typeof bytes} */ (name)], path)
    t.equal(stats.mtimeMs, Date.UTC(2020, 1, 20, 20, 20, 20, 500), path)
  }
})

t.test('writes a large, incompressible file only where a load requests it', async t => {
  t.equal(getExpectedResponse(root, PATHS.large['10 MB']), null)
  const dir = join(root, 'asked')
  writeFixtures(dir, ['/1k.bin', `${PATHS.large['10 MB']}?v=1`])
  const bytes = readFileSync(join(dir, PATHS.large['10 MB']))
  t.equal(bytes.length, 10 * 1024 * 1024)
  t.ok(gzipSync(bytes.subarray(0, 100_000)).length > 100_000)
  t.notSame(bytes.subarray(0, 100_000), bytes.subarray(1_000_000, 1_100_000), 'the content does not repeat')
  t.same(getFixturePaths([{ load: { path: '/a' } }, { load: { path: '/b', paths: ['/b', '/c'] } }]), ['/a', '/b', '/c'])
})

t.test('the image is a valid PNG that gzip does not compress', async t => {
  const bytes = image()
  t.same([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  t.equal(gzipSync(bytes).length > bytes.length * 0.99, true)
  const chunks = chunksOf(bytes)
  t.same(chunks.map(({ type }) => type), ['IHDR', 'tEXt', 'IDAT', 'IEND'])
  const pixels = inflateSync(chunks[2].data) // checks the Adler-32 sum too
  t.equal(pixels.length, 41 * (1 + 40 * 3), '41 rows of 40 RGB pixels, each with its filter')
})

t.test('the page compresses like the published one: 855,101,360 to 320,434,219 bytes', async t => {
  const published = 855_101_360 / 320_434_219
  const ratio = page().length / gzipSync(page()).length
  t.ok(Math.abs(ratio / published - 1) < 0.02, `${ratio} against ${published}`)
  t.match(page(), /^<!DOCTYPE html>.*<\/html>\n$/s)
})

t.test('the compressed variants contain the page', async t => {
  t.equal(String(gunzipSync(readFileSync(join(root, 'page.html.gz')))), page())
  t.equal(String(brotliDecompressSync(readFileSync(join(root, 'page.html.br')))), page())
})

t.test('fixtures are deterministic, and noise depends on its name', async t => {
  t.same(image(), image())
  t.equal(page(), page())
  t.same(noise(100, 'a'), noise(200, 'a').subarray(0, 100))
  t.notSame(noise(100, 'a'), noise(100, 'b'))
})

t.test('returns the expected response for each path of the folder', async t => {
  const html = getExpectedResponse(root, '/page.html?v=1', { acceptEncoding: 'gzip, br;q=0' })
  t.match(html, {
    status: 200,
    bytes: 8550,
    contentType: 'text/html',
    contentEncoding: null,
    encodings: ['gzip'],
    file: join(root, 'page.html')
  })
  t.same(getExpectedResponse(root, PATHS.image)?.encodings, [])
  t.equal(getExpectedResponse(root, '/nowhere.html'), null)
})

t.test('reads Accept-Encoding with weights', async t => {
  t.same(acceptedEncodings('gzip,deflate,sdch'), ['deflate', 'gzip'])
  t.same(acceptedEncodings('gzip;q=0, *;q=0.5'), ['br', 'deflate'])
  t.same(acceptedEncodings('identity'), [])
  t.same(acceptedEncodings(null), [])
})

t.test('accepts equivalent content types', async t => {
  t.ok(isType('text/html;charset=UTF-8', 'text/html'))
  t.ok(isType('text/html', 'text/html'))
  t.notOk(isType('text/html; charset=latin1', 'text/html'))
  t.notOk(isType('text/plain', 'text/html'))
  t.ok(isType('application/javascript', 'text/javascript'))
  t.ok(isType(null, 'application/octet-stream'), 'a missing type means bytes')
  t.notOk(isType('application/json', 'application/json; charset=utf-8'), 'an expected charset must be present')
})

/**
 * Splits a PNG into its chunks.
 * @param {Buffer} bytes
 */
function chunksOf (bytes) {
  const chunks = []
  for (let at = 8; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    chunks.push({ type: String(bytes.subarray(at + 4, at + 8)), data: bytes.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return chunks
}
