// Paths that lead out of the served folder, in all spellings. None may return the secret.
import { onNoResponse } from '../client.js'
import { fail, findWorst, pass, safetyProbe } from '../outcome.js'
import { SECRET } from '../site.js'

/** @import { Context, Topic } from '../types.js' */

/**
 * @param {string} name
 * @param {string} title
 * @param {string[] | ((context: Context) => string[])} paths
 */
const probe = (name, title, paths) => safetyProbe(name, title, 'RFC 9110, 17.3', context =>
  findWorst(typeof paths === 'function' ? paths(context) : paths, path => keeps(context, path)))

/**
 * @param {Context} context
 * @param {string} path
 */
const keeps = ({ request }, path) => request(path)
  .then(({ status, body }) =>
    body.includes(SECRET) ? fail(`${path} gets a file from outside the folder`) : pass(`${status}`))
  .catch(onNoResponse(error => fail(`${path}: ${error.message}`)))

/** @type {Topic} */
export default {
  topic: 'Ways out of the folder',
  probes: [
    probe('traversal', 'as it stands: /../', ['/../secret.txt', '/folder/../../secret.txt', '/./../secret.txt',
      '/../../../../../../etc/../secret.txt']),
    probe('traversal-dots', 'dots encoded: /%2e%2e/', ['/%2e%2e/secret.txt', '/%2e%2e%2fsecret.txt',
      '/folder/%2e%2e/%2E%2E/secret.txt', '/.%2e/secret.txt']),
    probe('traversal-slash', 'slash encoded: /..%2f', ['/..%2fsecret.txt', '/folder%2f..%2f..%2fsecret.txt',
      '/folder/..%2F..%2Fsecret.txt']),
    probe('traversal-backslash', 'backslash: /..%5c', ['/..%5csecret.txt', '/..\\secret.txt',
      '/folder/..%5c..%5csecret.txt', '/%2e%2e%5csecret.txt']),
    probe('traversal-twice', 'encoded twice: /%252e%252e%252f', ['/%252e%252e%252fsecret.txt', '/..%252fsecret.txt',
      '/%25%32%65%25%32%65/secret.txt', '/..%255csecret.txt', '/folder/%252e%252e/%252e%252e/secret.txt']),
    probe('traversal-sibling', 'a sibling folder whose name begins alike', ['/../files-private/secret.txt',
      '/..%2ffiles-private%2fsecret.txt', '/%2e%2e/files-private/secret.txt', '-private/secret.txt']),
    probe('traversal-absolute', 'an absolute path',
      ({ site }) => [`/${site.outside}/secret.txt`, `/%2f${site.outside.slice(1)}/secret.txt`,
        `//${site.outside}/secret.txt`, `/file://${site.outside}/secret.txt`, 'http://localhost/../secret.txt',
        'http://localhost/..%2fsecret.txt'])
  ]
}
