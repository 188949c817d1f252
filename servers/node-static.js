// node-static as in its readme. The last release is from 2018. This server is included because a published comparison
// found it to be the fastest.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'node-static',
  package: 'node-static',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'none',
  settings: 'its defaults (max-age=3600); no release since 2018, see hopbench check',
  production: { none: 'node-static has no setting against its failures, and no release since 2018' },
  vulnerable:
    'CVE-2023-26111 (it reads files of folders whose names begin like its own); requests that end it (HEAD, POST, ' +
    'ranges, NUL bytes); there is no fixed release'
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  // @ts-expect-error the package has no types
  const { default: nodeStatic } = await import('node-static')
  const files = new nodeStatic.Server(root, { cache: 3600 })
  return (req, res) => {
    req.addListener('end', () => files.serve(req, res)).resume()
  }
}
