/**
 * The files that every server serves: generated, the same on every machine. Their sizes are those
 * of the published comparisons. What zlib makes of them (the .gz and .br beside the page) may
 * differ by some bytes between versions of Node.
 */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { image } from './fixtures/image.js'
import { jsonFixture } from './fixtures/json.js'
import { noise } from './fixtures/noise.js'
import { page } from './fixtures/page.js'

export { expected, expectedOf } from './fixtures/expected.js'
export { jsonFixture } from './fixtures/json.js'

/** @typedef {import('./fixtures/expected.js').Expected} Expected */

/** What to ask for. The sizes are of bytes that cannot be compressed. */
export const PATHS = /** @type {const} */ ({
  json: '/1kb.json',
  image: '/image.png',
  page: '/page.html',
  sizes: { '0 B': '/0.bin', '1 KB': '/1k.bin', '10 KB': '/10k.bin', '100 KB': '/100k.bin', '1 MB': '/1m.bin' },
  /** there only where it is asked for: servers that keep the whole folder in memory would keep it too */
  large: { '10 MB': '/10m.bin' }
})

const KB = 1024
/** @type {Record<string, number>} */
const SIZES = { '0.bin': 0, '1k.bin': KB, '10k.bin': 10 * KB, '100k.bin': 100 * KB, '1m.bin': 1024 * KB }
/** @type {Record<string, number>} */
const LARGE = { '10m.bin': 10 * 1024 * KB }

/**
 * In the past, so that Last-Modified may be compared, and with a fraction of a second, as real files
 * have it and HTTP dates do not.
 */
const MODIFIED = new Date('2020-02-20T20:20:20.500Z')

/**
 * Writes the fixtures into a folder, the large ones only where they are asked for.
 * @param {string} dir
 * @param {string[]} [asked] paths that will be asked for
 * @returns {string} the folder
 */
export function writeFixtures (dir, asked = []) {
  mkdirSync(dir, { recursive: true })
  for (const [name, body] of Object.entries(contents())) writeFixture(join(dir, name), body)
  for (const [name, bytes] of Object.entries(LARGE)) {
    if (asked.some(path => path.split('?', 1)[0] === `/${name}`)) writeFixture(join(dir, name), noise(bytes, name))
  }
  return dir
}

/**
 * The paths that arms ask for.
 * @param {{ load: { path: string, paths?: string[] } }[]} arms
 */
export const pathsOf = arms => arms.flatMap(({ load: { path, paths } }) => paths ?? [path])

/**
 * @param {string} file
 * @param {string | Buffer} body
 */
export function writeFixture (file, body) {
  writeFileSync(file, body)
  utimesSync(file, MODIFIED, MODIFIED)
}

/** @returns {Record<string, string | Buffer>} */
function contents () {
  const html = page()
  return {
    '1kb.json': jsonFixture(),
    'image.png': image(),
    'page.html': html,
    'page.html.gz': gzipSync(html, { level: 9 }),
    'page.html.br': brotliCompressSync(html),
    ...Object.fromEntries(Object.entries(SIZES).map(([name, bytes]) => [name, noise(bytes, name)]))
  }
}
