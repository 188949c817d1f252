/** Keys and self-signed certificates for what answers over TLS; nothing of them outlives the run's temporary folder. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorMessage, HopbenchError } from '../errors.js'
import { KEY_KINDS } from '../plan/tls.js'

/** @import { CertificateFiles } from '../types.js' */

const DAY_MS = 24 * 3600 * 1000
/** A clock that is set back must not make it one of the future, and no run is longer. */
const [SINCE_DAYS, FOR_DAYS] = [1, 30]

/** By file: each is made once in a run. */
const made = /** @type {Map<string, Promise<CertificateFiles>>} */ (new Map())

/** Made when it is first needed; an RSA key of 4096 bits takes a second or two.
 * @param {string} kind a key of KEY_KINDS @param {string} folder absolute; of the run, for all kinds
 * @param {string} [address] where it answers beside localhost; one for all of a run
 * @returns {Promise<CertificateFiles>} @throws {HopbenchError} certificate-failed */
export function certificateOf (kind, folder, address = '127.0.0.1') {
  const certFile = join(folder, `${kind}.crt`)
  const files = made.get(certFile) ??
    make(kind, { certFile, keyFile: join(folder, `${kind}.key`) }, { folder, address })
  made.set(certFile, files)
  // What failed may be mended by the next time.
  files.catch(() => made.delete(certFile))
  return files
}

/** @param {string} kind @param {CertificateFiles} files @param {{ folder: string, address: string }} where */
async function make (kind, files, { folder, address }) {
  try {
    const { keyType, bits } = KEY_KINDS[kind]
    const { generate } = await import('selfsigned')
    const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType,
      ...keyType === 'rsa' ? { keySize: bits } : { curve: 'P-256' },
      algorithm: 'sha256',
      notBeforeDate: new Date(Date.now() - SINCE_DAYS * DAY_MS),
      notAfterDate: new Date(Date.now() + FOR_DAYS * DAY_MS),
      extensions: [
        // Not an authority: some clients refuse one that shows its own certificate as a server.
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'keyUsage', digitalSignature: true, keyEncipherment: keyType === 'rsa', critical: true },
        { name: 'extKeyUsage', serverAuth: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }, { type: 7, ip: address }] }
      ]
    })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // The owner's alone: the served user of a topology's network is this account outside of it.
    writeFileSync(files.keyFile, pems.private, { mode: 0o600 })
    writeFileSync(`${files.certFile}.new`, pems.cert)
    renameSync(`${files.certFile}.new`, files.certFile)
    return files
  } catch (error) {
    const why = getErrorMessage(error)
    throw new HopbenchError('certificate-failed', { kind, dir: folder, why }, { cause: error })
  }
}
