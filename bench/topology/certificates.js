/** Makes keys and self-signed certificates in the temporary folder of a run. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorMessage, HopbenchError } from '../errors.js'
import { KEY_KINDS } from '../plan/tls.js'
import { makeFolder } from '../machine/files/make-folder.js'
import { makeSelfSigned } from './self-signed.js'

const DAY_MS = 24 * 3600 * 1000
/** Validity begins a day early, so that a clock that is set back does not make a certificate invalid. */
const BEGINS_MS = -DAY_MS
const ENDS_MS = 30 * DAY_MS

/** Certificates of this process by file. @type {Map<string, ReturnType<typeof findCertificate>>} */
const certificates = new Map()

/**
 * Returns the certificate of a kind, which is made when it is first needed. An RSA key of 4096 bits takes 1 to 2 s.
 * @param {string} kind a key of KEY_KINDS
 * @param {string} folder absolute; one for all certificates of a run
 * @param {string} [address] IP address beside the name localhost; one for all certificates of a run
 * @returns {Promise<{ certFile: string, keyFile: string }>}
 * @throws {HopbenchError} certificate-failed
 */
export function findCertificate (kind, folder, address = '127.0.0.1') {
  const certFile = join(folder, `${kind}.crt`)
  const files = certificates.get(certFile) ?? makeCertificate(kind, folder, address)
  certificates.set(certFile, files)
  // Does not cache failures.
  files.catch(() => certificates.delete(certFile))
  return files
}

/**
 * @param {string} kind
 * @param {string} folder
 * @param {string} address
 */
async function makeCertificate (kind, folder, address) {
  const files = { certFile: join(folder, `${kind}.crt`), keyFile: join(folder, `${kind}.key`) }
  try {
    const { key, certificate } = await makeSelfSigned(KEY_KINDS[kind], {
      address, begins: new Date(Date.now() + BEGINS_MS), ends: new Date(Date.now() + ENDS_MS)
    })
    makeFolder(folder, 0o700)
    // Readable for the owner only. The user that runs the served processes is mapped to this owner.
    writeFileSync(files.keyFile, key, { mode: 0o600 })
    writeFileSync(`${files.certFile}.new`, certificate)
    renameSync(`${files.certFile}.new`, files.certFile)
    return files
  } catch (error) {
    const why = getErrorMessage(error)
    throw new HopbenchError('certificate-failed', { kind, dir: folder, why }, { cause: error })
  }
}
