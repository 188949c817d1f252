/** The page of a single-page app is sent to navigations only. */
import { ask } from '../configs/client.js'
import { PAGE, PREFIX } from '../configs/site-files.js'

/** @import { Behaviour } from '../configs/types.js' */

const NAVIGATION = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }
const SCRIPT = { headers: { Accept: '*/*' } }
/** Requests that must not get the page. */
const OTHERS = /** @type {const} */ ([
  ['a missing file', '/gone.js', SCRIPT], ['a missing file that is navigated to', '/gone.png', NAVIGATION],
  ['a request of a script', '/users/42', SCRIPT]
])

/** @type {Behaviour} */
export default {
  title: 'with +spa navigations get the page of the site, and a request for a missing file gets 404',
  options: { static: 'on', spa: 'on' },
  hasFiles: true,
  async run (subject) {
    for (const path of ['/users/42', '/users']) {
      const { status, headers, body } = await ask(subject, PREFIX + path, NAVIGATION)
      if (status !== 200 || body !== PAGE) return `a navigation to ${path} got status ${status} and no page`
      if (headers['cache-control'] !== 'no-cache') return `the page has Cache-Control: ${headers['cache-control']}`
    }
    for (const [what, path, options] of OTHERS) {
      const { status } = await ask(subject, PREFIX + path, options)
      if (status !== 404) return `${what}, ${path}, got status ${status}`
    }
    const hidden = await ask(subject, `${PREFIX}/.git/objects`, NAVIGATION)
    if (hidden.body === PAGE) return 'a hidden folder got the page'
    const { body } = await ask(subject, '/news', NAVIGATION)
    return body.startsWith('news') ? null : 'a navigation to a page of the app got another page'
  }
}
