/** A file that was compressed before is sent in this form to clients that accept it. */
import { ask } from '../configs/client.js'
import { PREFIX } from '../configs/site-files.js'

/** @import { Behaviour } from '../configs/types.js' */

/** @type {Behaviour} */
export default {
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
}
