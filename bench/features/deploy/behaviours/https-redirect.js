import { ask, SITE } from '../configs/client.js'

const PATH = '/page?number=1'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'with TLS, clients that come by HTTP are sent to the same page by HTTPS',
  options: { tls: 'ecdsa-p256' },
  async run ({ tls }) {
    if (!tls?.redirectPort) return 'it does not listen for HTTP'
    const { status, headers: { location }, body } = await ask({ port: tls.redirectPort, tls: null }, PATH)
    if (![301, 308].includes(status)) return `status ${status}: ${body.slice(0, 60)}`
    return location === `https://${SITE}${PATH}` ? null : `Location: ${location}`
  }
}
