import { exchange } from '../configs/client.js'
import { toHeaders } from '../configs/promise.js'

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a client that spells the host in another way cannot put its spelling into pages for others',
  options: { cache: '30s' },
  async run (subject) {
    const hosts = ['EXAMPLE.com', 'example.com.', 'example.com:80', `example.com:${subject.port}`]
    for (const [i, spelling] of hosts.entries()) {
      const [, last] = await exchange(subject, [spelling, 'example.com'].map(host =>
        `GET /seen/cc=public&id=${i} HTTP/1.1\r\nHost: ${host}\r\n\r\n`))
      if (last?.status !== 200) return `after Host: ${spelling} a request got status ${last?.status}`
      const seen = toHeaders(JSON.stringify(JSON.parse(last.body).rawHeaders))
      const host = seen.find(({ name, value }) => name.endsWith('host') && value !== 'example.com')
      if (host) return `after Host: ${spelling} everybody got a page for ${host.value}`
    }
    return null
  }
}
