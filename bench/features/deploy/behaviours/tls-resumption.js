import { closeTls, openTls } from '../configs/tls-client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
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
}
