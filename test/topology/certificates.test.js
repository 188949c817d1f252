import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import tls from 'node:tls'
import t from '../support/tap.js'
import { findCertificate } from '../../bench/topology/certificates.js'
import { KEY_KINDS } from '../../bench/plan/tls.js'
import { listening } from '../support/listening.js'
import { tempFolder } from '../support/temp.js'

const folder = tempFolder(t)

for (const [kind, { keyType, bits, curve }] of Object.entries(KEY_KINDS)) {
  t.test(`${kind}: makes a certificate for localhost with its private key`, async t => {
    const { certFile, keyFile } = await findCertificate(kind, join(folder, 'tls'))
    const certificate = new X509Certificate(readFileSync(certFile))
    t.equal(certificate.publicKey.asymmetricKeyType, keyType)
    t.equal(certificate.publicKey.asymmetricKeyDetails?.modulusLength, bits)
    t.equal(certificate.publicKey.asymmetricKeyDetails?.namedCurve, curve)
    t.equal(certificate.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1')
    t.ok(certificate.checkIP('127.0.0.1'))
    t.equal(certificate.ca, false, 'no authority')
    t.ok(certificate.verify(certificate.publicKey), 'signed by itself')
    t.ok(certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))))
    t.ok(Date.parse(certificate.validFrom) < Date.now() && Date.parse(certificate.validTo) > Date.now())
    t.equal(statSync(keyFile).mode & 0o777, 0o600, 'only the owner may read the key')
  })
}

t.test('contains the address, IPv4 or IPv6, and is accepted by a client that trusts it', async t => {
  for (const address of ['10.78.1.2', '::1', 'fd00:0:0:1::ffff', '::ffff:10.1.2.3']) {
    const { certFile, keyFile } = await findCertificate('ecdsa-p256', join(folder, address), address)
    const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)]
    const { subjectAltName, checkIP, keyUsage } = new X509Certificate(cert)
    t.match(subjectAltName, /^DNS:localhost, IP Address:/)
    t.ok(checkIP.call(new X509Certificate(cert), address), address)
    t.strictSame(keyUsage, ['1.3.6.1.5.5.7.3.1'], 'authentication of a server')
    const port = await listening(t, tls.createServer({ cert, key }, socket => socket.end('hello')))
    const client = tls.connect({ port, host: '127.0.0.1', servername: 'localhost', ca: cert })
    await once(client, 'secureConnect')
    t.ok(client.authorized, address)
    client.destroy()
  }
})

t.test('makes each kind once in a run, even when several arms request it at the same time', async t => {
  const dir = join(folder, 'once')
  const [first, second] = await Promise.all([findCertificate('ecdsa-p256', dir), findCertificate('ecdsa-p256', dir)])
  const bytes = readFileSync(first.certFile)
  t.same(first, second)
  t.ok(new X509Certificate(bytes).checkPrivateKey(createPrivateKey(readFileSync(first.keyFile))),
    'they belong together')
  await findCertificate('ecdsa-p256', dir)
  t.same(readFileSync(first.certFile), bytes)
  const other = await findCertificate('ecdsa-p256', join(folder, 'another run'))
  t.notSame(readFileSync(other.certFile), bytes, 'another run has others')
})

t.test('reports a certificate that cannot be made, and retries later', async t => {
  const dir = join(folder, 'blocked')
  writeFileSync(dir, 'a file, where a folder should be')
  await t.rejects(findCertificate('ecdsa-p256', dir), {
    code: 'certificate-failed',
    exit: 1,
    message: /^The ecdsa-p256 certificate could not be created in .*blocked: .*(EEXIST|ENOTDIR)/
  })
  rmSync(dir)
  t.ok(await findCertificate('ecdsa-p256', dir))
})
