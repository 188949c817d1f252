import { setTimeout as sleep } from 'node:timers/promises'
import { ask } from '../client.js'
import { openTls } from '../tls-client.js'

const CLIENTS = 4
/** Timeout for the renewed certificate to be sent. */
const SECONDS = 10

/** @type {import('../types.js').Behaviour} */
export default {
  title: 'after a reload (kits: SIGHUP) a renewed certificate is sent, and no request fails meanwhile',
  options: { tls: 'ecdsa-p256' },
  notOffered: { caddy: 'Caddy renews its certificate itself' },
  async run (subject) {
    const before = await readFingerprint(subject)
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
    if (failures.length > 0) return `${failures.length} requests failed: ${failures[0]}`
    if (isRenewed) return null
    const lastMessage = subject.readLogs().trimEnd().split('\n').findLast(line => !line.includes('/page')) ?? ''
    return `the old certificate was still sent after ${SECONDS} s, and the last message in the logs is "${lastMessage}"`
  }
}

/**
 * Returns whether another certificate is sent within the timeout.
 * @param {import('../types.js').Subject} subject
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
 * @param {import('../types.js').Subject} subject
 */
async function readFingerprint (subject) {
  const { socket } = await openTls(subject)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}
