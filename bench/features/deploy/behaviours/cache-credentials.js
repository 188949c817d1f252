import { CREDENTIAL_HEADERS } from '../../../topology/forgeable-headers.js'
import { ask } from '../configs/client.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'no response to a request with a credential, a cookie or a body comes from the cache or gets into it',
  options: { cache: '30s' },
  async run (subject) {
    /** @type {[what: string, private: Parameters<typeof ask>[2]][]} */
    const requests = [
      ...[...CREDENTIAL_HEADERS, 'Cookie'].map(name =>
        /** @type {[string, { headers: Record<string, string> }]} */ ([name, { headers: { [name]: 'alice' } }])),
      ['a body', { headers: { 'Content-Length': '5' }, body: Buffer.from('alice') }]
    ]
    for (const [i, [what, request]] of requests.entries()) {
      for (const isFirst of [true, false]) {
        const path = `/seen/cc=public&id=${i}${isFirst}`
        const order = isFirst ? [request, {}] : [{}, request]
        const [first, second] = [await ask(subject, path, order[0]), await ask(subject, path, order[1])]
        if (first.status !== 200 || second.status !== 200) return `${what}: status ${first.status}, ${second.status}`
        if (first.body === second.body) return `${what}: both requests got one response`
      }
    }
    return null
  }
}
