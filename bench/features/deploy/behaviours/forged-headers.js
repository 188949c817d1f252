import { FORGEABLE_HEADERS, TRUSTED_HEADERS } from '../../../topology/forgeable-headers.js'
import { exchange } from '../configs/client.js'
import { findBrokenPromise, toForged, toRequest } from '../configs/promise.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'the app sees no address, scheme, host or path that a client invented',
  async run (subject) {
    const [response] = await exchange(subject, [toRequest(toForged([...TRUSTED_HEADERS, ...FORGEABLE_HEADERS]))])
    if (response?.status !== 200) return `status ${response?.status}`
    const fault = findBrokenPromise(subject.name, response.body)
    return fault ?? (response.body.includes('forged') ? `the app got a forged value: ${response.body}` : null)
  }
}
