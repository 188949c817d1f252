import { FORGEABLE_HEADERS, TRUSTED_HEADERS } from '../../../topology/forgeable-headers.js'
import { exchange } from '../configs/client.js'
import { findBrokenPromise, toForged, toRequest } from '../configs/promise.js'

const UPGRADE = toRequest(['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='])
const FORGED = toRequest(toForged([...TRUSTED_HEADERS, ...FORGEABLE_HEADERS]), { host: 'another.example' })

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a request on a kept connection, also after an upgrade that the app ignored, names no invented address',
  async run (subject) {
    for (const before of [toRequest([]), UPGRADE]) {
      for (const isPipelined of [false, true]) {
        const [first, second] = await exchange(subject, [before, FORGED], { isPipelined })
        // The first response to an upgrade has another scheme with Traefik, and the second one may be missing.
        if (first?.status !== 200) return `the first request got status ${first?.status}`
        const fault = second && findBrokenPromise(subject.name, second.body, { host: 'another.example' })
        if (fault) return `after ${before === UPGRADE ? 'an upgrade' : 'a request'}: ${fault}`
      }
    }
    return null
  }
}
