/** A symbolic link to a file outside the folder that the proxy serves is not followed. */
import { ask } from '../configs/client.js'
import { FILES, PREFIX, SECRET } from '../configs/site-files.js'

/** @import { Behaviour } from '../configs/types.js' */

/** @type {Behaviour} */
export default {
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
}
