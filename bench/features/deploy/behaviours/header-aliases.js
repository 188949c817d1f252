import { ALIASES } from '../../../topology/forgeable-headers.js'
import { exchange } from '../configs/client.js'
import { findBrokenPromise, toForged, toRequest } from '../configs/promise.js'

/** Headers of one request, below the number that every proxy accepts. */
const AT_ONCE = 40

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'the app gets no header whose name it could take for another one because of "_" or "." (X_Real_IP)',
  async run (subject) {
    for (let i = 0; i < ALIASES.length; i += AT_ONCE) {
      const names = ALIASES.slice(i, i + AT_ONCE)
      const [response] = await exchange(subject, [toRequest(toForged(names))])
      if (!response) return `no response to ${names[0]}`
      const fault = findBrokenPromise(subject.name, response.body)
      if (fault) return fault
    }
    return null
  }
}
