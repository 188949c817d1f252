import { setTimeout as sleep } from 'node:timers/promises'
import { ask, SITE } from '../configs/client.js'
import { openTls } from '../configs/tls-client.js'

const CLIENTS = 4
/** Streams that are open during the reload: more than one process of Apache has threads (50), so that each has some. */
const STREAMS = 60
/** Timeout for the renewed certificate to be sent. */
const SECONDS = 10

/** @type {import('../configs/types.js').Behaviour} */
export default {
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
    const clients = Array.from({ length: CLIENTS }, async () => {
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
    return `the old certificate was still sent after ${SECONDS} s, and the last message in the logs is "${lastMessage}"`
  }
}

/**
 * Opens responses that do not end by themselves, and waits for their first event.
 * @param {import('../configs/types.js').Subject} subject
 */
const openStreams = subject => Promise.all(Array.from({ length: STREAMS }, async () => {
  const { socket } = await openTls(subject)
  const begun = new Promise(resolve => socket.on('data', data => data.includes('data: ') && resolve(null)))
  socket.write(`GET /events HTTP/1.1\r\nHost: ${SITE}\r\n\r\n`)
  await Promise.race([begun, sleep(SECONDS * 1000, null, { ref: false })])
  return socket
}))

/**
 * Returns whether another certificate is sent within the timeout.
 * @param {import('../configs/types.js').Subject} subject
 * @param {string} before fingerprint
 */
async function waitForChange (subject, before) {
  const deadline = performance.now() + SECONDS * 1000
  while (performance.now() < deadline) {
    const seen = await readFingerprint(subject).catch(() => before)
    if (seen !== before) return true
    await sleep(100)
  }
  return false
}

/**
 * Returns the fingerprint of the certificate that the proxy sends.
 * @param {import('../configs/types.js').Subject} subject
 */
async function readFingerprint (subject) {
  const { socket } = await openTls(subject)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
