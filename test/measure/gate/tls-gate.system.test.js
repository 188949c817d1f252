import { constants } from 'node:crypto'
import https from 'node:https'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { fetchResponses } from '../../../bench/measure/gate/gate.js'
import { findCertificate } from '../../../bench/topology/certificates.js'
import { passTlsGate } from '../../../bench/measure/gate/pass.js'
import { parse } from '../../../bench/plan/spec.js'
import { listening } from '../../support/listening.js'
import { tempFolder } from '../../support/temp.js'

/** @import { Test } from 'tap' */

const folder = tempFolder(t)

const AES = 'ECDHE-RSA-AES256-GCM-SHA384'
/**
 * The host's network.
 * @type {any}
 */
const network = { enter: [] }

/**
 * Starts a TLS server of Node with its own settings in place of the server of an arm.
 * @param {Test} t
 * @param {string} spec
 * @param {https.ServerOptions & { kind?: string }} settings
 */
async function planted (t, spec, { kind = 'rsa2048', ...settings }) {
  const { certFile, keyFile } = await findCertificate(kind, folder)
  const server = https.createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile), ...settings },
    (_, response) => response.end('hello'))
  const port = await listening(t, server)
  const load = { engine: 'wrk', connections: 1, path: '/', headers: {} }
  const target = { url: `https://127.0.0.1:${port}`, socketPath: null, caFile: certFile }
  return /** @type {any} */ ({
    arm: { name: spec, spec, topology: parse(spec), load, twinOf: null },
    network,
    running: { target }
  })
}

const only12 =
  /** @type {const} */ ({ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: AES, honorCipherOrder: true })
const only13 =
  /** @type {const} */ ({
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
    ciphers: 'TLS_AES_256_GCM_SHA384',
    honorCipherOrder: true
  })

t.test('accepts a server that matches the options of the arm', async t => {
  t.equal(await passTlsGate(await planted(t, 'nginx+tls=rsa2048+tls_version=1.2+tls_session/files', only12)), null)
  const ecdsa = await planted(t, 'nginx+tls=ecdsa-p256+tls_session/files', { ...only13, kind: 'ecdsa-p256' })
  t.equal(await passTlsGate(ecdsa), null)
})

t.test('sends no request to an arm without TLS', async t => {
  const running = { target: { url: 'http://127.0.0.1:1', socketPath: null } }
  const arm = { topology: parse('nginx/files') }
  t.equal(await passTlsGate(/** @type {any} */ ({ arm, network, running })), null)
})

/**
 * Fault → topology, settings of the server, reason of the rejection.
 * @type {Record<string, [string, https.ServerOptions & { kind?: string }, RegExp]>}
 */
const plants = {
  'another version': ['nginx+tls=rsa2048+tls_session/files', only12, /^it speaks TLSv1\.2, not TLSv1\.3$/],
  'a second version': ['nginx+tls=rsa2048+tls_session/files', {
    ...only13,
    minVersion: 'TLSv1.2',
    ciphers: `TLS_AES_256_GCM_SHA384:${AES}`
  }, /^it speaks TLSv1\.2 too, and TLSv1\.3 is all it should$/],
  'another cipher': ['nginx+tls=rsa2048+tls_version=1.2+tls_session/files', {
    ...only12,
    ciphers: 'ECDHE-RSA-AES128-GCM-SHA256'
  },
  /^the cipher is ECDHE-RSA-AES128-GCM-SHA256, not ECDHE-RSA-AES256-GCM-SHA384$/],
  'the cipher that the client prefers': ['nginx+tls=rsa2048+tls_version=1.2+tls_session/files', {
    ...only12,
    ciphers: `${AES}:ECDHE-RSA-AES128-GCM-SHA256`,
    honorCipherOrder: false
  },
  /^the cipher is ECDHE-RSA-AES128-GCM-SHA256/],
  'another suite of TLS 1.3': ['nginx+tls=rsa2048+tls_session/files', {
    ...only13,
    ciphers: 'TLS_AES_128_GCM_SHA256'
  }, /^the cipher is TLS_AES_128_GCM_SHA256, not TLS_AES_256_GCM_SHA384$/],
  'HTTP/1.1 for an arm with HTTP/2': ['nginx+tls=rsa2048+tls_session+http2/files', only13,
    /^of HTTP\/2 and HTTP\/1\.1 it chooses HTTP\/1\.1 \(ALPN/],
  'a shorter key': ['nginx+tls=rsa4096+tls_session/files', only13,
    /^its certificate has an RSA key of 2048 bits, not an RSA key of 4096 bits$/],
  'a key of another kind': ['nginx+tls=ecdsa-p256+tls_session/files', only13,
    /^its certificate has an RSA key of 2048 bits, not an EC key on prime256v1$/],
  'sessions that are resumed': ['nginx+tls=rsa2048/files', only13,
    /^it resumes a session, and every handshake should be a full one$/],
  'sessions that are not': ['nginx+tls=rsa2048+tls_version=1.2+tls_session/files', {
    ...only12,
    secureOptions: constants.SSL_OP_NO_TICKET
  }, /^it does not resume a session, as it should$/]
}
for (const [what, [spec, settings, why]] of Object.entries(plants)) {
  t.test(`refuses ${what}`, async t => t.match(await passTlsGate(await planted(t, spec, settings)), why))
}

t.test('refuses an untrusted certificate and a refused connection', async t => {
  const arm = await planted(t, 'nginx+tls=rsa2048+tls_session/files', only13)
  const { certFile } = await findCertificate('rsa2048', join(folder, 'another'))
  const wrong = { ...arm.running.target, caFile: certFile }
  t.match(await passTlsGate({ ...arm, running: { target: wrong } }),
    /^there was no TLS handshake \(self[- ]signed certificate\)$/)
  const { failures, answers } = await fetchResponses({ target: wrong, load: arm.arm.load, network, times: 4 })
  t.same(answers, [])
  t.match(failures[0], /self[- ]signed certificate/)
  const trusted = await fetchResponses({ target: arm.running.target, load: arm.arm.load, network, times: 4 })
  t.strictSame(trusted.failures, [])
  t.match(trusted.answers, [{ times: 4, answer: { status: 200, bytes: 5 } }])
  const closed = { ...arm.running.target, url: 'https://127.0.0.1:1' }
  t.match(await passTlsGate({ ...arm, running: { target: closed } }), /ECONNREFUSED/)
})
