// Files in the served folder that must not be served.
import { differs, fail, findWorst, pass, probe, safetyProbe } from '../outcome.js'
import { SECRET } from '../site.js'

/** @import { Topic } from '../types.js' */

/** @type {Topic} */
export default {
  topic: 'Hidden files',
  probes: [
    safetyProbe('dotfiles', 'files and folders that begin with a dot are not served', null, ({ request }) =>
      findWorst(['/.env', '/%2eenv', '/.git/config', '/folder/.hidden', '/folder%2f.hidden', '/.git%2fconfig',
        '/.git%5cconfig', '/%252eenv'], async path => {
        const { status, body } = await request(path)
        return body.includes(SECRET) ? fail(`${path} is served`) : pass(`${status}`)
      })),
    probe('symlink', 'a symbolic link that leads out of the folder is not followed', null, ({ request }) =>
      findWorst(['/link.txt', '/linked/secret.txt'], async path => {
        const { status, body } = await request(path)
        if (!body.includes(SECRET)) return pass(`${status}`)
        return differs('it is followed: anyone who can write to the folder can publish any file')
      }))
  ]
}
