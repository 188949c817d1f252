/** Hidden files and files beside the folder that the proxy serves are never sent. */
import { ask } from '../configs/client.js'
import { FILES, PREFIX, SECRET } from '../configs/site-files.js'

/** @import { Behaviour } from '../configs/types.js' */

/** Paths that lead out of the folder, some of them only after they are decoded or joined. */
const OUTSIDE = ['/../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt', '/%2e%2e%2fsecret.txt', '../secret.txt',
  '..%2fsecret.txt', '/assets/../../secret.txt', '//../secret.txt', '/..%5csecret.txt', '/.%00./secret.txt']
const HIDDEN = ['/.env', '/%2eenv', '/.git/config', '/assets/../.env', '//.env']

/** @type {Behaviour} */
export default {
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
}
