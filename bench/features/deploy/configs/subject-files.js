/** Files of a subject: its logs, its certificate, and folders for workers under another account. */
import { chmodSync, chownSync, copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../../../machine/files/make-folder.js'

/** @import { Certificate } from './types.js' */

/** Account without privileges for the proxy's workers if root starts the proxy. */
export const WORKER_ACCOUNT = 65534
const NAMES = { certFile: 'site.pem', keyFile: 'site.key' }
/** File with the certificate and the key. */
export const BOTH = 'both.pem'

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
export const getCertificatePaths = dir => ({ certFile: join(dir, NAMES.certFile), keyFile: join(dir, NAMES.keyFile) })

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
