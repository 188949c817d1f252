/**
 * Writes the folder that the probes request. Next to it are files that must not be served: a secret, and a folder whose
 * name begins with that of the served folder.
 */
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { image } from '../../topology/fixtures/image.js'
import { page } from '../../topology/fixtures/html-page.js'
import { writeFixture } from '../../topology/fixtures/fixtures.js'

/** @import { Site } from './types.js' */

/** Content of files that must not be served. */
export const SECRET = 'hopbench-secret'
export const BIG_BYTES = 100 * 1024 * 1024
/** 10,000 bytes in which every position is unique. */
export const DATA = Buffer.from(Array.from({ length: 2000 }, (_, i) => `${String(i).padStart(4, '0')}\n`).join(''))
export const PAGE = page()
/** Text of about 500 KB that takes milliseconds to compress. */
export const TEXT = Array.from({ length: 47_000 }, (_, i) => Math.imul(i, 2654435761) >>> 0).join('\n')
/** More than the buffers of a connection hold. */
export const LARGE_BYTES = 16 * 1024 * 1024

/** @type {Record<string, string | Buffer>} */
const FILES = {
  'alive.txt': 'alive',
  'data.txt': DATA,
  'empty.txt': '',
  'text.txt': TEXT,
  'page.html': PAGE,
  'page.html.br': brotliCompressSync(PAGE),
  'page.html.gz': gzipSync(PAGE, { level: 9 }),
  'image.png': image(),
  'style.css': 'p { color: red }',
  'script.js': 'export default 1',
  'data.json': '{"a":1}',
  'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'module.wasm': Buffer.from('0061736d01000000', 'hex'),
  'font.woff2': 'wOF2',
  'unknown.qqq': 'unknown',
  'with space.txt': 'a space',
  'ä.txt': 'an umlaut',
  '100%.txt': 'a percent sign',
  'replaced.txt': 'o'.repeat(2000),
  'same-size.txt': 'o'.repeat(2000),
  'deleted.txt': 'to be deleted',
  'folder/index.html': '<p>index</p>',
  'folder/inner.txt': 'inner',
  'folder/.hidden': SECRET,
  'bare/inner.txt': 'inner',
  '.env': `KEY=${SECRET}`,
  '.git/config': SECRET
}

/**
 * @param {string} dir empty folder
 * @returns {Site}
 */
export function makeSite (dir) {
  writeFileSync(join(dir, 'secret.txt'), SECRET)
  mkdirSync(join(dir, 'files-private'))
  writeFileSync(join(dir, 'files-private', 'secret.txt'), SECRET)
  const site = { root: join(dir, 'files'), outside: dir }
  restoreSite(site)
  return site
}

/**
 * Creates the served folder again, because probes have replaced and deleted files. Writes only into new folders,
 * because the checked server can have replaced files and folders by symbolic links.
 *
 * @param {Site} site
 */
export function restoreSite ({ root }) {
  rmSync(root, { recursive: true, force: true })
  for (const folder of ['.', 'folder', 'bare', '.git']) mkdirSync(join(root, folder))
  // Sparse files use no space on the disk.
  const sizes = {
    'big.bin': BIG_BYTES, 'large.bin': LARGE_BYTES, 'shrinks.bin': LARGE_BYTES, 'grows.bin': LARGE_BYTES
  }
  for (const [name, bytes] of Object.entries(sizes)) {
    writeFixture(join(root, name), '')
    truncateSync(join(root, name), bytes)
  }
  symlinkSync('../secret.txt', join(root, 'link.txt'))
  symlinkSync('../files-private', join(root, 'linked'))
  for (const [name, body] of Object.entries(FILES)) writeFixture(join(root, name), body)
}
