/** Child that connects twice over TLS, the second time with the session of the first connection, and prints what was
 * negotiated. HOPBENCH_HANDSHAKE holds the order. */
import { readFileSync } from 'node:fs'
import tls from 'node:tls'

/** @import { Handshakes } from '../types.js' */

/** Ciphers in another order than the served side's, so that the negotiated one is the served side's choice. */
const CIPHERS = [
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384'
].join(':')
const TIMEOUT_MS = 10_000 // Limit for a handshake, which takes milliseconds, also with RSA 4096.

const order = JSON.parse(process.env.HOPBENCH_HANDSHAKE ?? '{}')
const { hostname, port } = new URL(order.url)
const base = {
  host: hostname,
  port: Number(port),
  ca: readFileSync(order.caFile),
  ciphers: CIPHERS,
  ALPNProtocols: ['http/1.1']
}

/** @type {Handshakes} */
const findings = { first: null, reused: false, otherVersion: null, chosen: null, error: null }
try {
  const first = await visit({})
  findings.first = first.handshake
  findings.reused = first.session !== undefined && (await visit({ session: first.session })).reused
  const other = first.handshake.protocol === 'TLSv1.3' ? 'TLSv1.2' : 'TLSv1.3'
  findings.otherVersion = await visit({ minVersion: other, maxVersion: other }).then(
    ({ handshake }) => handshake.protocol,
    () => null
  )
  findings.chosen = await findAlpn()
} catch (error) {
  findings.error = error instanceof Error ? error.message : String(error)
}
process.stdout.write(JSON.stringify(findings), () => process.exit(0))

/**
 * Connects and sends one request, because all session tickets have arrived with its response. The method is GET because
 * HEAD ends node-static.
 * @param {tls.ConnectionOptions} options
 * @returns {Promise<{ handshake: NonNullable<Handshakes['first']>, session: Buffer | undefined, reused: boolean }>}
 */
function visit (options) {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ ...base, ...options }, () => {
      const cipher = socket.getCipher().name
      const key = socket.getPeerX509Certificate()?.publicKey
      const { modulusLength: bits, namedCurve: curve } = key?.asymmetricKeyDetails ?? {}
      /** @type {NonNullable<Handshakes['first']>} */
      const handshake = { protocol: socket.getProtocol(), cipher, keyType: key?.asymmetricKeyType, bits, curve }
      // In TLS 1.3 sessions are sent after the handshake, and a session without a ticket cannot be resumed.
      let session = handshake.protocol === 'TLSv1.3' ? undefined : socket.getSession()
      socket.on('session', ticket => { session = ticket })
      socket.on('end', () => resolve({ handshake, session, reused: socket.isSessionReused() }))
      socket.resume()
      socket.write(`GET ${order.path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`)
    })
    limitTime(socket, reject)
  })
}

/** Offers HTTP/2 and HTTP/1.1. @returns {Promise<string | null>} the chosen protocol */
function findAlpn () {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ ...base, ALPNProtocols: ['h2', 'http/1.1'] }, () => {
      resolve(socket.alpnProtocol || null)
      socket.destroy()
    })
    limitTime(socket, reject)
  })
}

/**
 * @param {tls.TLSSocket} socket
 * @param {(error: Error) => void} reject
 */
function limitTime (socket, reject) {
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no handshake within ${TIMEOUT_MS / 1000} s`)))
  socket.on('error', reject)
}
