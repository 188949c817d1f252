/** Behaviours of proxies that serve the files of an app. */
import { ask } from '../configs/client.js'
import { FILES, PAGE, PREFIX, SECRET } from '../configs/subject-files.js'

/** @import { Behaviour } from '../configs/types.js' */

/** Requests, as a page of a single-page app and the API beside it. */
const APP_REQUESTS = /** @type {const} */ ([
  ['GET', '/users/42'], ['GET', '/gone.3f2a91bc.js'], ['POST', '/login'], ['POST', '/logo.svg']
])
const FOR_GOOD = 'public, max-age=31536000, immutable'
/** Type and Cache-Control by name. @type {Record<keyof typeof FILES, [type: string, cacheControl: string]>} */
const EXPECTED_HEADERS = {
  'index.html': ['text/html', 'no-cache'],
  'app.3f2a91bc.js': ['text/javascript', FOR_GOOD],
  'post-2a4b6c8d.html': ['text/html', 'no-cache'],
  'assets/index-BxGz3s2_.css': ['text/css', FOR_GOOD],
  'assets/trip-IMG_1234.svg': ['image/svg+xml', 'public, max-age=300'],
  'logo.svg': ['image/svg+xml', 'public, max-age=300']
}
/** Paths that lead out of the folder, some of them only after they are decoded or joined. */
const OUTSIDE = ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/%2e%2e%2fsecret.txt', '../secret.txt',
  '..%2fsecret.txt', '/assets/../../secret.txt', '//../secret.txt', '/..%5csecret.txt', '/.%00./secret.txt']
const HIDDEN = ['/.env', '/%2eenv', '/.git/config', '/assets/../.env', '//.env']
const NAVIGATION = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
const SCRIPT = { headers: { Accept: '*/*' } }
/** Requests that must not get the page. */
const MISSING_PAGES = /** @type {const} */ ([
  ['a missing file', '/gone.js', SCRIPT], ['a missing file that is navigated to', '/gone.png', NAVIGATION],
  ['a request of a script', '/users/42', SCRIPT]
])

/** @type {Record<string, Behaviour>} */
export default {
  'file-app': {
    title: 'below the prefix of a folder, the app gets the requests that are for none of its files',
    options: { static: 'on' },
    hasFiles: true,
    async run (subject) {
      for (const [method, path] of APP_REQUESTS) {
        const { status, headers, body } = await ask(subject, PREFIX + path, { method })
        if (status !== 200 || !body.startsWith('page ')) return `${method} ${path} got status ${status}, not of the app`
        const cacheControl = headers['cache-control']
        if (cacheControl !== 'public') return `${method} ${path} of the app has Cache-Control: ${cacheControl}`
      }
      const { body } = await ask(subject, `${PREFIX}/logo.svg`)
      return body === FILES['logo.svg'] ? null : '/logo.svg is not sent'
    }
  },
  'file-gzip': {
    title: 'the compressed form of a file, where it exists, is sent to clients that accept it',
    options: { static: 'on' },
    hasFiles: true,
    notOffered: { apache: 'Apache sends no compressed form of a file here; nginx and Caddy do' },
    async run (subject) {
      const path = `${PREFIX}/app.3f2a91bc.js`
      const { headers } = await ask(subject, path, { headers: { 'Accept-Encoding': 'gzip' } })
      if (headers['content-encoding'] !== 'gzip') return 'a client that accepts gzip got the file itself'
      if (!/accept-encoding/i.test(headers.vary ?? '')) return 'without Vary a cache sends it to other clients, too'
      const plain = await ask(subject, path)
      return plain.headers['content-encoding'] ? 'a client that does not accept gzip got it' : null
    }
  },
  'file-headers': {
    title: 'files that the proxy serves have their type and a cache header, for good where their name has a hash',
    options: { static: 'on' },
    hasFiles: true,
    async run (subject) {
      for (const [name, [type, cacheControl]] of Object.entries(EXPECTED_HEADERS)) {
        const { status, headers, body } = await ask(subject, `${PREFIX}/${name}`)
        if (status !== 200) return `${name} got status ${status}`
        if (body !== FILES[/** @type {keyof typeof FILES} */ (name)]) return `${name} has another content`
        if (!headers['content-type']?.startsWith(type)) return `${name} has the type ${headers['content-type']}`
        if (headers['cache-control'] !== cacheControl) return `${name} has Cache-Control: ${headers['cache-control']}`
      }
      const missing = await ask(subject, `${PREFIX}/gone.3f2a91bc.js`)
      if (missing.headers['cache-control'] === FOR_GOOD) return 'browsers keep the error of a missing file for a year'
      const { body } = await ask(subject, '/news')
      return body.startsWith('news') ? null : `the app's own page has the text ${body.slice(0, 40)}`
    }
  },
  'file-links': {
    title: 'a symbolic link to a file outside the folder that the proxy serves is not followed',
    options: { static: 'on' },
    hasFiles: true,
    notOffered: { caddy: 'Caddy follows symbolic links; --files refuses a folder that holds one' },
    async run (subject) {
      const control = await ask(subject, `${PREFIX}/logo.svg`)
      if (control.body !== FILES['logo.svg']) return `${PREFIX}/logo.svg is not sent, with status ${control.status}`
      const { status, body } = await ask(subject, `${PREFIX}/link.txt`)
      if (status === 0) return `${PREFIX}/link.txt got no response (${body})`
      return body.includes(SECRET) ? `a link to a file outside the folder is followed, with status ${status}` : null
    }
  },
  'file-secrets': {
    title: 'hidden files, and files beside the folder that the proxy serves, are never sent',
    options: { static: 'on' },
    hasFiles: true,
    async run (subject) {
      const control = await ask(subject, `${PREFIX}/logo.svg`)
      if (control.body !== FILES['logo.svg']) return `${PREFIX}/logo.svg is not sent, with status ${control.status}`
      for (const path of [...OUTSIDE, ...HIDDEN]) {
        const { status, body } = await ask(subject, PREFIX + path)
        if (status === 0) return `${PREFIX}${path} got no response (${body})`
        if (body.includes(SECRET)) return `${PREFIX}${path} sends a file that is not for clients, with status ${status}`
      }
      return null
    }
  },
  'single-page': {
    title: 'with +spa navigations get the page of the site, and a request for a missing file gets 404',
    options: { static: 'on', spa: 'on' },
    hasFiles: true,
    async run (subject) {
      for (const path of ['/users/42', '/users']) {
        const { status, headers, body } = await ask(subject, PREFIX + path, NAVIGATION)
        if (status !== 200 || body !== PAGE) return `a navigation to ${path} got status ${status} and no page`
        if (headers['cache-control'] !== 'no-cache') return `the page has Cache-Control: ${headers['cache-control']}`
      }
      for (const [what, path, options] of MISSING_PAGES) {
        const { status } = await ask(subject, PREFIX + path, options)
        if (status !== 404) return `${what}, ${path}, got status ${status}`
      }
      const hidden = await ask(subject, `${PREFIX}/.git/objects`, NAVIGATION)
      if (hidden.body === PAGE) return 'a hidden folder got the page'
      const { body } = await ask(subject, '/news', NAVIGATION)
      return body.startsWith('news') ? null : 'a navigation to a page of the app got another page'
    }
  }
}
