import { FORGEABLE_HEADERS, TRUSTED_HEADERS } from '../../../topology/forgeable-headers.js'
import { SITE } from '../configs/client.js'
import { askOverHttp2, openHttp2 } from '../configs/http2-client.js'
import { findBrokenPromise } from '../configs/promise.js'

const FORGED = Object.fromEntries([...TRUSTED_HEADERS, ...FORGEABLE_HEADERS]
  .map(name => [name.toLowerCase(), 'forged.example']))
/** Headers beside those of each request. */
const OTHERS = [{}, { ':scheme': 'http' }, { host: SITE }, { host: 'another.example' }]

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'over HTTP/2 the app gets the same headers, also where a client names another scheme, or a host besides ' +
    ':authority',
  options: { tls: 'ecdsa-p256' },
  async run (subject) {
    for (const others of OTHERS) {
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
}
