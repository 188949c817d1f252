/** Below the prefix of a folder, requests that are for no file of it get the response of the app. */
import { ask } from '../configs/client.js'
import { FILES, PREFIX } from '../configs/site-files.js'

/** @import { Behaviour } from '../configs/types.js' */

/** Requests, as a page of a single-page app and the API beside it. */
const REQUESTS = /** @type {const} */ ([
  ['GET', '/users/42'], ['GET', '/gone.3f2a91bc.js'], ['POST', '/login'], ['POST', '/logo.svg']
])

/** @type {Behaviour} */
export default {
  title: 'below the prefix of a folder, the app gets the requests that are for none of its files',
  options: { static: 'on' },
  hasFiles: true,
  async run (subject) {
    for (const [method, path] of REQUESTS) {
      const { status, headers, body } = await ask(subject, PREFIX + path, { method })
      if (status !== 200 || !body.startsWith('page ')) return `${method} ${path} got status ${status}, not of the app`
      const cacheControl = headers['cache-control']
      if (cacheControl !== 'public') return `${method} ${path} of the app has Cache-Control: ${cacheControl}`
    }
    const { body } = await ask(subject, `${PREFIX}/logo.svg`)
    return body === FILES['logo.svg'] ? null : '/logo.svg is not sent'
  }
}
