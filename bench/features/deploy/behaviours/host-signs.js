import { exchange } from '../configs/client.js'
import { findBrokenPromise, toRequest } from '../configs/promise.js'

const HOSTS = ['example.com', 'example.com:8443', '192.0.2.1', '[2001:db8::1]:80', 'my_app']
const ODD = ['a"><script>x', 'good.example/evil', 'good.example evil.example', 'good.example,evil.example',
  'user@good.example', 'good.example?x', '%67ood.example', "good.example:80'x", 'good.example:+80', ':80', '']

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'the app gets no host with other signs than those of a name or an address',
  async run (subject) {
    for (const host of HOSTS) {
      const [response] = await exchange(subject, [toRequest([], { host })])
      if (response?.status !== 200) return `Host: ${host} got status ${response?.status}`
      const fault = findBrokenPromise(subject.name, response.body, { host })
      if (fault) return fault
    }
    for (const host of ODD) {
      const [response] = await exchange(subject, [toRequest(['X-Forwarded-Host: a/b'], { host })])
      // nginx passes on the name without the port.
      const fault = response?.status === 200 && findBrokenPromise(subject.name, response.body, { host: host || null })
      if (fault) return `Host: ${host}: ${fault}`
    }
    return null
  }
}
