/**
 * Files of a subject: its logs, its certificate, folders for workers under another account, and a folder of files that
 * it serves for its app, with files in and beside it that it must not send.
 */
import { chmodSync, chownSync, copyFileSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makeFolder } from '../../../machine/files/make-folder.js'

/** @import { Certificate } from './types.js' */

/** Account without privileges for the proxy's workers if root starts the proxy. */
export const WORKER_ACCOUNT = 65534
/** File with the certificate and the key. */
export const BOTH = 'both.pem'
/** URL prefix of the folder that is served. Its dot must not be taken for that of a file's name. */
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
 * Makes folders that the proxy's workers write.
 * @param {string[]} folders
 * @param {string[]} enterServed of the network; empty: no namespace
 */
export function makeFolders (folders, enterServed) {
  // As root without namespaces, the workers run under another account.
  const isForeign = process.getuid?.() === 0 && enterServed.length === 0
  for (const folder of folders) {
    makeFolder(folder)
    if (isForeign) chownSync(folder, WORKER_ACCOUNT, WORKER_ACCOUNT)
    chmodSync(folder, 0o755)
  }
}

/** Returns the text of all logs in a folder. Excludes those of the app. @param {string} dir */
export const readLogs = dir => readdirSync(dir, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.log') && !file.includes('origin'))
  .map(file => readFileSync(join(dir, file), 'utf8')).join('\n')

/**
 * Returns the paths of a subject's certificate and key.
 * @param {string} dir
 * @returns {Certificate}
 */
export const getCertificatePaths = dir => ({ certFile: join(dir, 'site.pem'), keyFile: join(dir, 'site.key') })

/**
 * Copies a certificate to the paths of a subject's certificate.
 * @param {Certificate} certificate
 * @param {string} dir
 */
export function copyCertificate ({ certFile, keyFile }, dir) {
  const paths = getCertificatePaths(dir)
  copyFileSync(certFile, paths.certFile)
  copyFileSync(keyFile, paths.keyFile)
  // HAProxy reads both from one file.
  writeFileSync(join(dir, BOTH), `${readFileSync(certFile, 'utf8')}\n${readFileSync(keyFile, 'utf8')}`, { mode: 0o600 })
}

/**
 * Writes the folder of files below another one.
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
