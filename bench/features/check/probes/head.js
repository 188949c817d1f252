// HEAD requests.
import { differs, fail, pass, probe } from '../outcome.js'

/** @import { Topic } from '../types.js' */

const SAME = ['content-type', 'content-length', 'content-encoding', 'etag', 'last-modified', 'cache-control']

/** @type {Topic} */
export default {
  topic: 'HEAD',
  probes: [
    probe('head', 'HEAD has the headers of GET and no body', 'RFC 9110, 9.3.2', async ({ request }) => {
      const get = await request('/data.txt')
      const head = await request('/data.txt', {}, { method: 'HEAD' })
      if (head.surplus.length > 0) return fail(`${head.surplus.length} bytes of body came`)
      if (head.status !== get.status) return fail(`status ${head.status}, and ${get.status} for GET`)
      const other = SAME.find(name => head.headers[name] !== undefined && head.headers[name] !== get.headers[name])
      if (other) return fail(`${other}: ${head.headers[other]}, and ${get.headers[other]} for GET`)
      const missing = SAME.filter(name => get.headers[name] !== undefined && head.headers[name] === undefined)
      return missing.length === 0 ? pass('the same headers') : differs(`without ${missing.join(', ')}`)
    }),
    probe('head-missing', 'HEAD of a missing file is 404 without a body', 'RFC 9110, 15.5.5', async ({ request }) => {
      const head = await request('/nowhere.txt', {}, { method: 'HEAD' })
      if (head.surplus.length > 0) return fail(`${head.surplus.length} bytes of body came`)
      return head.status === 404 ? pass('404') : fail(`status ${head.status}`)
    })
  ]
}
