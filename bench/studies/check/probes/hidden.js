// Files in the served folder that must not be served.
import { differs, fail, pass, worst } from '../outcome.js'
import { SECRET } from '../site.js'

/** @import { Topic } from '../types.js' */

/** @type {Topic} */
export default {
  topic: 'Hidden files',
  probes: [
    {
      name: 'dotfiles',
      title: 'files and folders that begin with a dot are not served',
      rfc: null,
      safety: true,
      async run ({ request }) {
        const findings = []
        for (const path of ['/.env', '/%2eenv', '/.git/config', '/folder/.hidden']) {
          const { status, body } = await request(path)
          findings.push(body.includes(SECRET) ? fail(`${path} is served`) : pass(`${status}`))
        }
        return worst(findings)
      }
    },
    {
      name: 'symlink',
      title: 'a symbolic link that leads out of the folder is not followed',
      rfc: null,
      safety: false,
      async run ({ request }) {
        const findings = []
        for (const path of ['/link.txt', '/linked/secret.txt']) {
          const { status, body } = await request(path)
          findings.push(
            body.includes(SECRET)
              ? differs('it is followed: anyone who can write to the folder can publish any file')
              : pass(`${status}`)
          )
        }
        return worst(findings)
      }
    }
  ]
}
