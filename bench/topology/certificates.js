/** Makes keys and self-signed certificates in the temporary folder of a run. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HopbenchError, getErrorMessage } from '../errors.js'
import { KEY_KINDS } from '../plan/tls.js'
import { makeFolder } from '../machine/files/make-folder.js'
import { generateKeyPair, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { isIPv4 } from 'node:net'

/** Writes a self-signed certificate: X.509 version 3 (RFC 5280) in DER (ITU-T X.690), with what Node's crypto signs. */

const GROUPS_OF_IPV6 = 8

const makeKeyPair = promisify(generateKeyPair)

// Tags of DER. A tag in brackets in RFC 5280 is context-specific, and constructed if it contains elements.
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const NULL = 0x05
const OBJECT_ID = 0x06
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const SEQUENCE = 0x30
const SET = 0x31
const VERSION = 0xa0
const EXTENSIONS = 0xa3
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87
/** DER of the boolean true. */
const TRUE = Buffer.from([0x01, 0x01, 0xff])
/** Bits of keyUsage: the number of unused bits, then digitalSignature, for RSA with keyEncipherment. */
const KEY_USAGE = { ec: Buffer.from([7, 0b10000000]), rsa: Buffer.from([5, 0b10100000]) }

/**
 * @param {number} tag
 * @param {...Buffer} contents
 * @returns {Buffer}
 */
function encode (tag, ...contents) {
  const body = Buffer.concat(contents)
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body])
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body])
}

/** @param {string} dotted as in 2.5.29.17 */
function encodeObjectId (dotted) {
  const [first, second, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second, ...rest].flatMap(number => {
    const groups = [number & 0x7f]
    for (let left = number >> 7; left > 0; left >>= 7) groups.unshift(0x80 | (left & 0x7f))
    return groups
  })
  return encode(OBJECT_ID, Buffer.from(bytes))
}

/** @param {Date} date before 2050, which UTCTime cannot express */
const encodeTime = date => encode(UTC_TIME, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-T:]/g, '')}Z`))

/**
 * @param {string} id
 * @param {Buffer} value
 * @param {boolean} [isCritical]
 */
const encodeExtension = (id, value, isCritical = false) =>
  encode(SEQUENCE, encodeObjectId(id), ...isCritical ? [TRUE] : [], encode(OCTET_STRING, value))

/**
 * Makes a key and a certificate of a server for the name localhost and an address.
 *
 * @param {typeof KEY_KINDS[string]} kind
 * @param {{ address: string, names: string[], begins: Date, ends: Date }} options address: IPv4 or IPv6; names: beside
 *   localhost
 * @returns {Promise<{ key: string, certificate: string }>} PEM
 */
async function makeSelfSigned ({ keyType, bits, curve }, { address, names, begins, ends }) {
  const { publicKey, privateKey } = keyType === 'rsa'
    ? await makeKeyPair('rsa', { modulusLength: Number(bits) })
    : await makeKeyPair('ec', { namedCurve: String(curve) })
  const algorithm = keyType === 'rsa'
    ? encode(SEQUENCE, encodeObjectId('1.2.840.113549.1.1.11'), encode(NULL))
    : encode(SEQUENCE, encodeObjectId('1.2.840.10045.4.3.2'))
  const name = encode(SEQUENCE,
    encode(SET, encode(SEQUENCE, encodeObjectId('2.5.4.3'), encode(UTF8_STRING, Buffer.from('localhost')))))
  // A leading byte of 1 makes the number positive and keeps its length.
  const serial = encode(INTEGER, Buffer.concat([Buffer.from([1]), randomBytes(15)]))
  const altNames = encode(SEQUENCE, ...['localhost', ...names].map(name => encode(DNS_NAME, Buffer.from(name))),
    encode(IP_ADDRESS, Buffer.from(toIpBytes(address))))
  const extensions = [
    // Some clients reject a certificate authority as the certificate of a server. An empty sequence means: none.
    encodeExtension('2.5.29.19', encode(SEQUENCE), true),
    encodeExtension('2.5.29.15', encode(BIT_STRING, KEY_USAGE[keyType]), true),
    encodeExtension('2.5.29.37', encode(SEQUENCE, encodeObjectId('1.3.6.1.5.5.7.3.1'))),
    encodeExtension('2.5.29.17', altNames)
  ]
  const signed = encode(SEQUENCE,
    encode(VERSION, encode(INTEGER, Buffer.from([2]))), serial, algorithm, name,
    encode(SEQUENCE, encodeTime(begins), encodeTime(ends)), name, publicKey.export({ type: 'spki', format: 'der' }),
    encode(EXTENSIONS, encode(SEQUENCE, ...extensions)))
  const signature = encode(BIT_STRING, Buffer.from([0]), sign('sha256', signed, privateKey))
  const certificate = encode(SEQUENCE, signed, algorithm, signature).toString('base64').replace(/.{1,64}/g, '$&\n')
  return {
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    certificate: `-----BEGIN CERTIFICATE-----\n${certificate}-----END CERTIFICATE-----\n`
  }
}

/**
 * @param {string} address IPv4, or IPv6 without a zone
 * @returns {number[]} 4 or 16 bytes
 */
function toIpBytes (address) {
  if (isIPv4(address)) return address.split('.').map(Number)
  // A URL has IPv6 in its canonical form, without a dotted part.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [head, tail] = canonical.split('::').map(part => part.split(':').filter(Boolean))
  const zeros = Array(GROUPS_OF_IPV6 - head.length - (tail?.length ?? 0)).fill('0')
  return [...head, ...zeros, ...tail ?? []].map(group => parseInt(group, 16)).flatMap(n => [n >> 8, n & 0xff])
}

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
 * @param {string[]} [names] further names
 * @returns {Promise<{ certFile: string, keyFile: string }>}
 * @throws {HopbenchError} certificate-failed
 */
export function findCertificate (kind, folder, address = '127.0.0.1', names = []) {
  const certFile = join(folder, `${kind}.crt`)
  const files = certificates.get(certFile) ?? makeCertificate(kind, folder, address, names)
  certificates.set(certFile, files)
  // Does not cache failures.
  files.catch(() => certificates.delete(certFile))
  return files
}

/**
 * @param {string} kind
 * @param {string} folder
 * @param {string} address
 * @param {string[]} names
 */
async function makeCertificate (kind, folder, address, names) {
  const files = { certFile: join(folder, `${kind}.crt`), keyFile: join(folder, `${kind}.key`) }
  try {
    const { key, certificate } = await makeSelfSigned(KEY_KINDS[kind], {
      address, names, begins: new Date(Date.now() + BEGINS_MS), ends: new Date(Date.now() + ENDS_MS)
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
