// Malformed paths and unusual file names.
import { fail, findWorst, pass, probe } from '../outcome.js'
import { DATA, SECRET } from '../site.js'

/** @import { Probe, Topic } from '../types.js' */

/**
 * @param {string[]} paths
 * @returns {Probe['run']}
 */
const rejects = paths => ({ request }) => findWorst(paths, async path => {
  const { status, body } = await request(path)
  const label = path.length > 40 ? `${path.slice(0, 20)}… (${path.length} characters)` : path
  if (body.includes(SECRET)) return fail(`${label} gets a secret file`)
  return status >= 400 && status < 500 ? pass(`${status}`) : fail(`${label}: status ${status}`)
})

const NAMES = {
  '/with%20space.txt': 'a space',
  '/%C3%A4.txt': 'an umlaut',
  '/100%25.txt': 'a percent sign',
  '/alive.txt?v=1': 'alive',
  '/%61live.txt': 'alive'
}

/** @type {Topic} */
export default {
  topic: 'Odd paths',
  probes: [
    probe('names', 'names with spaces, umlauts and percent signs, and queries', 'RFC 3986, 2.1',
      ({ request }) => findWorst(Object.entries(NAMES), async ([path, wanted]) => {
        const { status, body } = await request(path)
        return String(body) === wanted ? pass('all found') : fail(`${path}: status ${status}`)
      })),
    probe('nul-byte', 'a NUL byte is refused: /data.txt%00.png', 'RFC 3986, 7.3',
      rejects(['/data.txt%00.png', '/data.txt%00', '/%00', '/folder%00/'])),
    probe('percent', 'a malformed percent is refused: /%, /%zz', 'RFC 3986, 2.1',
      rejects(['/%', '/%zz', '/%e0%a4%a', '/data.txt%'])),
    probe('overlong', 'invalid UTF-8 is refused: /%c0%ae', 'RFC 3629, 10',
      rejects(['/%c0%ae%c0%ae/secret.txt', '/%ff%fe.txt'])),
    probe('slashes', 'a path that no URL parser accepts is refused, or read as a path: //', 'RFC 9112, 3.2.1',
      ({ request }) => findWorst(['//', '//:80', '///', '//%', '//[::1'], async path => {
        const { status } = await request(path)
        return status >= 500 ? fail(`${path}: status ${status}`) : pass(`${status}`)
      })),
    probe('absolute-form', 'a request with the whole URL is served: GET http://host/path', 'RFC 9112, 3.2.2',
      async ({ request }) => {
        const { status, body } = await request('http://localhost/data.txt')
        return body.equals(DATA) ? pass(`${status}`) : fail(`status ${status}, and not the file`)
      }),
    probe('long-name', 'a name too long for most file systems is refused', 'RFC 9110, 4.1',
      rejects([`/${'a'.repeat(300)}.txt`, `/${'b/'.repeat(3000)}`]))
  ]
}
