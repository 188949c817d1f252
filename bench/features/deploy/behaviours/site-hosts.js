import { ask, exchange } from '../configs/client.js'
import { findBrokenPromise, toRequest } from '../configs/promise.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'with the names of the site (+host) a request with another host gets 421, and the app does not get it',
  options: { host: 'example.com,www.example.com' },
  async run (subject) {
    for (const host of ['example.com', 'www.example.com', 'Example.COM', 'example.com:8443']) {
      const { status } = await ask(subject, '/page', { headers: { Host: host } })
      if (status !== 200) return `Host: ${host} got status ${status}`
    }
    for (const host of ['evil.example', 'example.com.evil.example', 'wwwXexample.com', 'evil-example.com']) {
      const { status } = await ask(subject, '/page', { headers: { Host: host } })
      if (status !== 421) return `Host: ${host} got status ${status}`
    }
    for (const host of ["example.com:80'x", 'example.com:"><script>', 'example.com:+80']) {
      const [response] = await exchange(subject, [toRequest([], { host })])
      const fault = response?.status === 200 && findBrokenPromise(subject.name, response.body, { host })
      if (fault) return `Host: ${host}: ${fault}`
    }
    return null
  }
}
