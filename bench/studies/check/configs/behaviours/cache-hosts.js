import { exchange } from '../client.js'

/** @type {import('../types.js').Behaviour} */
export default {
  title: 'a client that spells the host in another way cannot put its spelling into pages for others',
  options: { cache: '30s' },
  async run (subject) {
    for (const host of ['EXAMPLE.com', 'example.com.', 'example.com:80', `example.com:${subject.port}`]) {
      const path = `/reset?${host}`
      const [, last] = await exchange(subject, [host, 'example.com'].map(host =>
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`))
      if (last?.body !== 'https://example.com/reset') return `after Host: ${host} everybody got ${last?.body}`
    }
    return null
  }
}
