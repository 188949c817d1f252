import { once } from 'node:events'
import { connect } from 'node:http2'
import { HOST, SITE, TLS_CLIENT } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'clients of HTTPS get HTTP/2',
  options: { tls: 'ecdsa-p256' },
  async run ({ port }) {
    const session = connect(`https://${HOST}:${port}`, TLS_CLIENT)
    const signal = AbortSignal.timeout(15_000)
    try {
      await once(session, 'connect', { signal })
      const request = session.request({ ':path': '/page', ':authority': SITE })
      const [{ ':status': status }] = await once(request, 'response', { signal })
      return status === 200 ? null : `status ${status}`
    } catch (error) {
      return error instanceof Error ? error.message : String(error)
    } finally {
      session.destroy()
    }
  }
}
