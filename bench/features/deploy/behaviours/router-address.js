import { HOST, exchange } from '../configs/client.js'
import { findBrokenPromise, toRequest } from '../configs/promise.js'
import { TARGETS } from '../kit/targets.js'

const CLIENT = '203.0.113.9'
/** Proxies of which the configuration is no kit. */
const PROXIES = ['apache', 'caddy', 'envoy', 'haproxy', 'nginx', 'traefik', 'varnish']

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'the app gets the address and the scheme that the router in front states last, and from others those of the ' +
    'connection',
  notOffered: Object.fromEntries(PROXIES.map(name => [name, 'Only a kit trusts a router in front'])),
  async run (subject) {
    const { clientHeader } = TARGETS[subject.name]
    const router = String(subject.router)
    /** @type {[from: string, stated: string, address: string, scheme: string][]} */
    const cases = [
      [router, CLIENT, CLIENT, 'https'],
      [router, `198.51.100.7, ${CLIENT}`, CLIENT, 'https'],
      [router, 'forged', router, 'https'],
      [HOST, CLIENT, HOST, 'http']
    ]
    for (const [from, stated, address, scheme] of cases) {
      const request = toRequest([`${clientHeader}: ${stated}`, 'X-Forwarded-Proto: https'])
      const [response] = await exchange(subject, [request], { from })
      if (response?.status !== 200) return `status ${response?.status}`
      const fault = findBrokenPromise(subject.name, response.body, { address, scheme })
      if (fault) return `after ${clientHeader}: ${stated} from ${from}: ${fault}`
    }
    return null
  }
}
