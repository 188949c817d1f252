import { SITE } from '../configs/client.js'
import { askOverHttp2, openHttp2 } from '../configs/http2-client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'clients of HTTPS get HTTP/2',
  options: { tls: 'ecdsa-p256' },
  async run (subject) {
    const session = openHttp2(subject)
    const { status } = await askOverHttp2(session, { ':path': '/page', ':authority': SITE })
    session.destroy()
    return status === 200 ? null : `status ${status}`
  }
}
