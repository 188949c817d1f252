/** Files that the proxy serves have their type, a cache header, and their compressed form. */
import { ask } from '../configs/client.js'
import { FILES, PREFIX } from '../configs/site-files.js'

/** @import { Behaviour } from '../configs/types.js' */

const FOR_GOOD = 'public, max-age=31536000, immutable'
/** Type and Cache-Control by name. @type {Record<keyof typeof FILES, [type: string, cacheControl: string]>} */
const EXPECTED = {
  'index.html': ['text/html', 'no-cache'],
  'app.3f2a91bc.js': ['text/javascript', FOR_GOOD],
  'post-2a4b6c8d.html': ['text/html', 'no-cache'],
  'assets/index-BxGz3s2_.css': ['text/css', FOR_GOOD],
  'assets/trip-IMG_1234.svg': ['image/svg+xml', 'public, max-age=300'],
  'logo.svg': ['image/svg+xml', 'public, max-age=300']
}

/** @type {Behaviour} */
export default {
  title: 'files that the proxy serves have their type and a cache header, for good where their name has a hash',
  options: { static: 'on' },
  hasFiles: true,
  async run (subject) {
    for (const [name, [type, cacheControl]] of Object.entries(EXPECTED)) {
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
}
