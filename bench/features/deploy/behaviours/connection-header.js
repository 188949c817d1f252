import { TRUSTED_HEADERS } from '../../../topology/forgeable-headers.js'
import { exchange } from '../configs/client.js'
import { findBrokenPromise, toRequest } from '../configs/promise.js'

/**
 * Returns names that each contain themselves, which remain where the inner ones are removed once: X-X-Real-IPReal-IP.
 * @param {string[]} names
 */
const toNested = names => names.map(name => `${name.slice(0, 2)}${name}${name.slice(2)}`).join(', ')

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'no client can remove a header that the app trusts, by naming it in Connection',
  async run (subject) {
    for (const names of [[...TRUSTED_HEADERS, 'Host'], ...TRUSTED_HEADERS.map(name => [name])]) {
      for (const value of [`close, ${names.join(', ')}`, `${names.join(' ,').toLowerCase()},`, toNested(names)]) {
        const [response] = await exchange(subject, [toRequest([`Connection: ${value}`])])
        // Varnish rejects such a request.
        if (!response) return `no response to Connection: ${value}`
        const fault = response.status === 400 ? null : findBrokenPromise(subject.name, response.body)
        if (fault) return `Connection: ${value}: ${fault}`
      }
    }
    return null
  }
}
