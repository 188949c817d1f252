/** Makes keys and self-signed certificates in the temporary folder of a run. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getErrorMessage, HopbenchError } from '../errors.js'
import { KEY_KINDS } from '../plan/tls.js'
import { makeFolder } from '../machine/make-folder.js'

const DAY_MS = 24 * 3600 * 1000
/** Validity begins a day early, so that a clock that is set back does not make a certificate invalid. */
const BEGINS_MS = -DAY_MS
const ENDS_MS = 30 * DAY_MS
// Kinds of GeneralName in RFC 5280, section 4.2.1.6.
const DNS_NAME = 2
const IP_ADDRESS = 7

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
    const { keyType, bits } = KEY_KINDS[kind]
    const { generate } = await import('selfsigned')
    const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
      keyType,
      ...keyType === 'rsa' ? { keySize: bits } : { curve: 'P-256' },
      algorithm: 'sha256',
      notBeforeDate: new Date(Date.now() + BEGINS_MS),
      notAfterDate: new Date(Date.now() + ENDS_MS),
      extensions: [
        // Some clients reject a certificate authority as the certificate of a server.
        { name: 'basicConstraints', cA: false, critical: true },
        { name: 'keyUsage', digitalSignature: true, keyEncipherment: keyType === 'rsa', critical: true },
        { name: 'extKeyUsage', serverAuth: true },
        {
          name: 'subjectAltName',
          altNames: [{ type: DNS_NAME, value: 'localhost' }, { type: IP_ADDRESS, ip: address }]
        }
      ]
    })
    makeFolder(folder, 0o700)
    // Readable for the owner only. The user that runs the served processes is mapped to this owner.
    writeFileSync(files.keyFile, pems.private, { mode: 0o600 })
    writeFileSync(`${files.certFile}.new`, pems.cert)
    renameSync(`${files.certFile}.new`, files.certFile)
    return files
  } catch (error) {
    const why = getErrorMessage(error)
    throw new HopbenchError('certificate-failed', { kind, dir: folder, why }, { cause: error })
  }
}
