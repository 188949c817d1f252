/** A folder of files that a subject serves for its app, with files in and beside it that it must not send. */
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makeFolder } from '../../../machine/files/make-folder.js'

/** URL prefix of the folder. Its dot must not be taken for that of a file's name. */
export const PREFIX = '/site-1.0'
/** Name of the folder. */
export const FOLDER = 'public'
/** Part of every text that must not be sent. */
export const SECRET = 'the secret of the project'
/** Page of a single-page app. */
export const PAGE = '<!doctype html><title>the page of the site</title>'
/** Files that are sent. */
export const FILES = {
  'index.html': PAGE,
  'app.3f2a91bc.js': `console.log(${JSON.stringify('x'.repeat(2000))})`,
  'post-2a4b6c8d.html': '<!doctype html><title>a page whose name looks like a hash</title>',
  'assets/index-BxGz3s2_.css': 'a { color: red }',
  'assets/trip-IMG_1234.svg': '<svg xmlns="http://www.w3.org/2000/svg" id="named-by-a-camera"/>',
  'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>'
}
const FILE_MODE = 0o644

/**
 * Writes the folder below another one.
 * @param {string} dir
 */
export function writeSite (dir) {
  const folder = join(dir, FOLDER)
  for (const name of ['assets', '.git']) makeFolder(join(folder, name))
  const files = { ...FILES, '.env': SECRET, '.git/config': SECRET, '../secret.txt': SECRET, 'app.3f2a91bc.js.gz': '' }
  for (const [name, text] of Object.entries(files)) {
    const content = name.endsWith('.gz') ? gzipSync(FILES['app.3f2a91bc.js']) : text
    writeFileSync(join(folder, name), content)
    chmodSync(join(folder, name), FILE_MODE)
  }
  symlinkSync('../secret.txt', join(folder, 'link.txt'))
}
