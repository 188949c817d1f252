// Content-Type headers.
import { isType } from '../../../shared/http/media-types.js'
import { differs, fail, pass, probe } from '../outcome.js'

/** @import { Topic } from '../types.js' */

const KNOWN = {
  '/style.css': 'text/css',
  '/script.js': 'text/javascript',
  '/data.json': 'application/json',
  '/data.txt': 'text/plain',
  '/image.png': 'image/png',
  '/logo.svg': 'image/svg+xml',
  '/module.wasm': 'application/wasm',
  '/font.woff2': 'font/woff2'
}
const BYTES = 'application/octet-stream'
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;.*)?$/

/** @type {Topic} */
export default {
  topic: 'Content-Type',
  probes: [
    probe('type-html', 'HTML is text/html with a charset', 'RFC 9110, 8.3.2', async ({ request }) => {
      const type = (await request('/page.html')).headers['content-type'] ?? 'none'
      if (!isType(type, 'text/html')) return fail(type)
      return /charset/i.test(type) ? pass(type) : differs(`${type}, without a charset: the page must name it`)
    }),
    probe('types', 'the usual extensions have their types', 'RFC 9110, 8.3', async ({ request }) => {
      const wrong = []
      const bytes = []
      for (const [path, wanted] of Object.entries(KNOWN)) {
        const type = (await request(path)).headers['content-type'] ?? BYTES
        if (isType(type, BYTES)) bytes.push(path)
        else if (!isType(type, wanted)) wrong.push(`${path} is ${type}`)
      }
      if (wrong.length > 0) return fail(wrong.join(', '))
      return bytes.length === 0 ? pass('all of them') : differs(`no type for ${bytes.join(', ')}`)
    }),
    probe('type-unknown', 'an unknown extension gets no invented type', 'RFC 9110, 8.3', async ({ request }) => {
      const type = (await request('/unknown.qqq')).headers['content-type']
      if (type === undefined || isType(type, BYTES)) return pass(type ?? 'none')
      return MEDIA_TYPE.test(type) ? differs(type) : fail(`Content-Type: ${type || '(empty)'}, which is no type`)
    })
  ]
}
