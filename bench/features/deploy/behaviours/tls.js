/** Behaviours of proxies that end TLS. */
import { setTimeout as sleep } from 'node:timers/promises'
import { FORGEABLE_HEADERS, TRUSTED_HEADERS } from '../../../topology/forgeable-headers.js'
import { SITE, ask } from '../configs/client.js'
import { findBrokenPromise } from '../configs/promise.js'
import { askOverHttp2, closeTls, openHttp2, openTls } from '../configs/tls-client.js'

/** @import { Behaviour, Subject } from '../configs/types.js' */

const RENEWAL_CLIENTS = 4
/**
 * Streams that are open during the reload: more than one process of Apache has threads (50), so that each has some.
 */
const RENEWAL_STREAMS = 60
/** Timeout for the renewed certificate to be sent. */
const RENEWAL_SECONDS = 10
const FORGED = Object.fromEntries([...TRUSTED_HEADERS, ...FORGEABLE_HEADERS]
  .map(name => [name.toLowerCase(), 'forged.example']))
/** Headers beside those of each request. */
const HTTP2_FIELDS = [{}, { ':scheme': 'http' }, { host: SITE }, { host: 'another.example' }]
const REDIRECTED_PATH = '/page?number=1'
/** Rejects no version on the side of the client, so that the proxy is the one to reject it. */
const ALL_CIPHERS = 'DEFAULT@SECLEVEL=0'

/** @type {Record<string, Behaviour>} */
export default {
  'certificate-renewal': {
    title: 'after a reload with open streams (kits: SIGHUP) a renewed certificate is sent, and no request fails',
    options: { tls: 'ecdsa-p256' },
    notOffered: {
      caddy: 'Caddy renews its certificate itself',
      envoy: 'Envoy does not read its file again: a renewed certificate takes a restart',
      systemd: 'its units give nginx copies of the certificate: a renewed one takes a restart of the unit'
    },
    async run (subject) {
      const before = await readFingerprint(subject)
      const streams = await openStreams(subject)
      /** @type {string[]} */
      const failures = []
      const over = new AbortController()
      const clients = Array.from({ length: RENEWAL_CLIENTS }, async () => {
        while (!over.signal.aborted) {
          const { status, body } = await ask(subject, '/page')
          if (status !== 200) failures.push(`status ${status}: ${body.slice(0, 60)}`)
        }
      })
      await subject.tls?.renewCertificate()
      const isRenewed = await waitForChange(subject, before)
      // The workers with the old certificate end after the new ones have begun.
      await sleep(1000)
      over.abort()
      await Promise.all(clients)
      for (const stream of streams) stream.destroy()
      if (failures.length > 0) return `${failures.length} requests failed: ${failures[0]}`
      if (isRenewed) return null
      const lastMessage = subject.readLogs().trimEnd().split('\n').findLast(line => !line.includes('/page')) ?? ''
      return `the old certificate was still sent after ${RENEWAL_SECONDS} s, and the last message in the logs is ` +
        `"${lastMessage}"`
    }
  },
  'http2-headers': {
    title: 'over HTTP/2 the app gets the same headers, also where a client names another scheme, or a host besides ' +
      ':authority',
    options: { tls: 'ecdsa-p256' },
    async run (subject) {
      for (const others of HTTP2_FIELDS) {
        const session = openHttp2(subject)
        try {
          const { status, body } = await askOverHttp2(session, { ':authority': SITE, ...FORGED, ...others })
          const sent = JSON.stringify(others)
          // A proxy may reject two hosts, and another scheme.
          if (status !== 200 && sent !== '{}') continue
          if (status !== 200) return `status ${status}`
          const fault = findBrokenPromise(subject.name, body, { scheme: 'https' })
          if (fault) return `with ${sent}: ${fault}`
        } finally {
          session.destroy()
        }
      }
      return null
    }
  },
  'https-redirect': {
    title: 'with TLS, clients that come by HTTP are sent to the same page by HTTPS',
    options: { tls: 'ecdsa-p256' },
    async run ({ tls }) {
      if (!tls?.redirectPort) return 'it does not listen for HTTP'
      const { status, headers: { location }, body } = await ask({ port: tls.redirectPort, tls: null }, REDIRECTED_PATH)
      if (![301, 308].includes(status)) return `status ${status}: ${body.slice(0, 60)}`
      return location === `https://${SITE}${REDIRECTED_PATH}` ? null : `Location: ${location}`
    }
  },
  'https-scheme': {
    title: 'behind TLS the app sees X-Forwarded-Proto: https, and no scheme that a client invented',
    options: { tls: 'ecdsa-p256' },
    async run (subject) {
      for (const forged of ['http', 'ftp']) {
        const { status, body } = await ask(subject, '/headers', { headers: { 'X-Forwarded-Proto': forged } })
        if (status !== 200) return `status ${status}: ${body.slice(0, 60)}`
        const seen = JSON.parse(body)['x-forwarded-proto']
        if (seen !== 'https') return `X-Forwarded-Proto: ${seen}`
      }
      return null
    }
  },
  'tls-http2': {
    title: 'clients of HTTPS get HTTP/2',
    options: { tls: 'ecdsa-p256' },
    async run (subject) {
      const session = openHttp2(subject)
      const { status } = await askOverHttp2(session, { ':path': '/page', ':authority': SITE })
      session.destroy()
      return status === 200 ? null : `status ${status}`
    }
  },
  'tls-resumption': {
    title: 'a client that comes back resumes its TLS session, with both versions',
    options: { tls: 'ecdsa-p256' },
    async run (subject) {
      for (const version of /** @type {const} */ (['TLSv1.2', 'TLSv1.3'])) {
        const versions = { minVersion: version, maxVersion: version }
        const first = await openTls(subject, versions)
        const session = await first.session
        await closeTls(first)
        if (!session) return `${version}: the proxy sent no session`
        const second = await openTls(subject, { ...versions, session })
        const isReused = second.socket.isSessionReused()
        second.socket.destroy()
        if (!isReused) return `${version}: the session was not resumed`
      }
      return null
    }
  },
  'tls-versions': {
    title: 'TLS 1.2 and 1.3 are accepted, and older versions are not',
    options: { tls: 'ecdsa-p256' },
    async run (subject) {
      for (const version of /** @type {const} */ (['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'])) {
        const isNew = version > 'TLSv1.1'
        const client = await openTls(subject, { minVersion: version, maxVersion: version, ciphers: ALL_CIPHERS })
          .catch(error => String(error.reason ?? error))
        if (typeof client === 'string') {
          if (isNew) return `${version} was refused: ${client}`
          continue
        }
        const protocol = client.socket.getProtocol()
        client.socket.destroy()
        if (!isNew || protocol !== version) return `${version} was accepted as ${protocol}`
      }
      return null
    }
  }
}

/**
 * Opens responses that do not end by themselves, and waits for their first event.
 * @param {Subject} subject
 */
const openStreams = subject => Promise.all(Array.from({ length: RENEWAL_STREAMS }, async () => {
  const { socket } = await openTls(subject)
  const begun = new Promise(resolve => socket.on('data', data => data.includes('data: ') && resolve(null)))
  socket.write(`GET /events HTTP/1.1\r\nHost: ${SITE}\r\n\r\n`)
  await Promise.race([begun, sleep(RENEWAL_SECONDS * 1000, null, { ref: false })])
  return socket
}))

/**
 * Returns whether another certificate is sent within the timeout.
 * @param {Subject} subject
 * @param {string} before fingerprint
 */
async function waitForChange (subject, before) {
  const deadline = performance.now() + RENEWAL_SECONDS * 1000
  while (performance.now() < deadline) {
    const seen = await readFingerprint(subject).catch(() => before)
    if (seen !== before) return true
    await sleep(100)
  }
  return false
}

/**
 * Returns the fingerprint of the certificate that the proxy sends.
 * @param {Subject} subject
 */
async function readFingerprint (subject) {
  const { socket } = await openTls(subject)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
