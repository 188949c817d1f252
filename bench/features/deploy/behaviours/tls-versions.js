import { openTls } from '../configs/tls-client.js'

/** Rejects no version on the side of the client, so that the proxy is the one to reject it. */
const ALL = 'DEFAULT@SECLEVEL=0'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'TLS 1.2 and 1.3 are accepted, and older versions are not',
  options: { tls: 'ecdsa-p256' },
  async run (subject) {
    for (const version of /** @type {const} */ (['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'])) {
      const isNew = version > 'TLSv1.1'
      const client = await openTls(subject, { minVersion: version, maxVersion: version, ciphers: ALL })
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
