// Folders: index, redirect to the path with a slash, and redirects to other hosts.
import { isElsewhere } from '../chain.js'
import { differs, fail, findWorst, pass, probe, rfc9110, safetyProbe } from '../outcome.js'

/** @import { Topic } from '../types.js' */

/** Paths that a browser interprets as another host if the server sends them as Location. */
const ELSEWHERE = ['//evil.example/%2e%2e/folder', '//evil.example/..%2ffolder', '//evil.example/../folder',
  '//folder', '///folder', '/\\folder', '/%5cfolder', '/%2ffolder', '//evil.example/%2e%2e', '//evil.example%2f..',
  '/\\evil.example/%2e%2e/folder', '/%5cevil.example/%2e%2e/folder', '//evil.example/..;/folder',
  '/%5c%5cevil.example/..%5cfolder', '/\\/evil.example/../folder', '//evil.example/%252e%252e/folder',
  '/%09//evil.example/%2e%2e/folder', '/.//evil.example/%2e%2e/folder', '/folder/..//evil.example/%2e%2e/folder']

/** @type {Topic} */
export default {
  topic: 'Folders',
  probes: [
    probe('index', 'a folder is its index.html', null, async ({ request }) => {
      const { status, body } = await request('/folder/')
      if (status === 200) return String(body) === '<p>index</p>' ? pass('200') : fail('200 with another body')
      return [403, 404].includes(status) ? differs(`${status}`) : fail(`status ${status}`)
    }),
    rfc9110('folder-redirect', 'a folder without its slash is redirected, so that relative links hold', '15.4.2',
      async ({ request }) => {
        const { status, headers: { location } } = await request('/folder', {}, { redirects: 0 })
        if (status === 200) return differs('200 with the index: its relative links lead to the parent')
        if (status === 404) return differs('404')
        if (![301, 302, 307, 308].includes(status)) return fail(`status ${status}`)
        const isRight = /^(http:\/\/localhost(:\d+)?)?\/folder\/$|^folder\/$/.test(location ?? '')
        return (isRight ? pass : fail)(`${status} to ${location}`)
      }),
    probe('folder-listing', 'a folder without an index is not listed', null, async ({ request }) => {
      const { status, body } = await request('/bare/')
      if (body.includes('inner.txt')) return differs('200 with the names of its files')
      return status < 500 ? pass(`${status}`) : fail(`status ${status}`)
    }),
    safetyProbe('open-redirect', 'no request is redirected to another host', null, ({ request }) =>
      findWorst(ELSEWHERE, async path => {
        const { status, headers: { location } } = await request(path, {}, { redirects: 0 })
        const isAway = status >= 300 && status < 400 && location !== undefined && isElsewhere(location, path)
        if (!isAway) return pass('never')
        // Browsers and most libraries never send a backslash, because a URI has none (RFC 3986).
        return (path.includes('\\') ? differs : fail)(`${path} is redirected to ${location}`)
      }))
  ]
}
