import { SITE, ask, exchange } from '../configs/client.js'

/** Methods, and headers, of a request before one of another client. */
const REQUESTS = [['POST'], ['PUT'], ['DELETE'], ['OPTIONS'], ['HEAD'], ['GET', 'Range: bytes=0-3']]

/** @type {import('../configs/types.js').Behaviour} */
export default {
  title: 'a request with another method, or for a part of a response, leaves nothing in the cache that others get',
  options: { cache: '30s' },
  async run (subject) {
    for (const [i, [method, ...lines]] of REQUESTS.entries()) {
      const path = `/seen/cc=public&id=${i}`
      await exchange(subject, [[`${method} ${path} HTTP/1.1`, `Host: ${SITE}`, ...lines, '', ''].join('\r\n')])
      const { status, body } = await ask(subject, path)
      const sent = [method, ...lines].join(', ')
      if (status !== 200) return `after ${sent} another client got status ${status}`
      if (!body.startsWith('{') || !body.includes('"method":"GET"')) return `after ${sent} another client got ${body}`
    }
    return null
  }
}
