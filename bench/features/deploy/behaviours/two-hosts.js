import { SITE, exchange } from '../configs/client.js'
import { findBrokenPromise, toRequest } from '../configs/promise.js'

const ANOTHER = 'another.example'
/** Requests with two hosts, and those of which the app may get one. @type {[request: string, hosts: string[]][]} */
const REQUESTS = [
  [toRequest([`Host: ${ANOTHER}`]), [SITE, ANOTHER]],
  [toRequest([], { target: SITE, host: ANOTHER }), [SITE]],
  [toRequest([], { target: SITE, host: `${ANOTHER}:8443` }), [SITE]]
]

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a request with two lines of Host is refused or has one of them; a host in the target takes the place of Host',
  async run (subject) {
    for (const [request, hosts] of REQUESTS) {
      const [response] = await exchange(subject, [request])
      if (response?.status !== 200) continue
      const faults = hosts.map(host => findBrokenPromise(subject.name, response.body, { host }))
      if (!faults.includes(null)) return `${request.split('\r\n').filter(Boolean).join(', ')}: ${faults[0]}`
    }
    return null
  }
}
