// Malformed paths and unusual file names.
import { fail, pass, worst } from '../outcome.js'
import { SECRET } from '../site.js'

/** @import { Probe, Topic } from '../types.js' */

/**
 * @param {string[]} paths requested at once
 * @returns {Probe['run']}
 */
const refuses = paths => async ({ request }) => worst(await Promise.all(paths.map(async path => {
  const { status, body } = await request(path)
  const label = path.length > 40 ? `${path.slice(0, 20)}… (${path.length} characters)` : path
  if (body.includes(SECRET)) return fail(`${label} gets a secret file`)
  return status >= 400 && status < 500 ? pass(`${status}`) : fail(`${label}: status ${status}`)
})))

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
    {
      name: 'names',
      title: 'names with spaces, umlauts and percent signs, and queries',
      rfc: 'RFC 3986, 2.1',
      safety: false,
      async run ({ request }) {
        const findings = []
        for (const [path, wanted] of Object.entries(NAMES)) {
          const { status, body } = await request(path)
          findings.push(String(body) === wanted ? pass('all found') : fail(`${path}: status ${status}`))
        }
        return worst(findings)
      }
    },
    {
      name: 'nul-byte',
      title: 'a NUL byte is refused: /data.txt%00.png',
      rfc: 'RFC 3986, 7.3',
      safety: false,
      run: refuses(['/data.txt%00.png', '/data.txt%00', '/%00', '/folder%00/'])
    },
    {
      name: 'percent',
      title: 'a malformed percent is refused: /%, /%zz',
      rfc: 'RFC 3986, 2.1',
      safety: false,
      run: refuses(['/%', '/%zz', '/%e0%a4%a', '/data.txt%'])
    },
    {
      name: 'overlong',
      title: 'invalid UTF-8 is refused: /%c0%ae',
      rfc: 'RFC 3629, 10',
      safety: false,
      run: refuses(['/%c0%ae%c0%ae/secret.txt', '/%ff%fe.txt'])
    },
    {
      name: 'slashes',
      title: 'a path that no URL parser accepts is refused, or read as a path: //',
      rfc: 'RFC 9112, 3.2.1',
      safety: false,
      async run ({ request }) {
        const responses = await Promise.all(
          ['//', '//:80', '///', '//%', '//[::1'].map(async path => ({ path, ...await request(path) }))
        )
        const wrong = responses.find(({ status }) => status >= 500)
        return wrong
          ? fail(`${wrong.path}: status ${wrong.status}`)
          : pass(responses.map(({ status }) => status).join(', '))
      }
    },
    {
      name: 'long-name',
      title: 'a name that no file system can hold is refused',
      rfc: 'RFC 9110, 4.1',
      safety: false,
      run: refuses([`/${'a'.repeat(300)}.txt`, `/${'b/'.repeat(3000)}`])
    }
  ]
}
