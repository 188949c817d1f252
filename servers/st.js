// st as in the first example of its readme.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'st, with its caches in memory',
  package: 'st',
  serves: ['static'],
  bytesFrom: 'memory',
  compression: 'on-the-fly',
  settings:
    'index.html as the index, its default caches (64 MiB of contents, their gzip not counted; stats, open files; ' +
    'lru-cache 11 ignores their maxAge, so that no entry expires), max-age=3600',
  production: {
    settings: {
      'a third argument that ends what st leaves alone':
        ['post', 'put-delete', 'options', 'trace', 'percent', 'overlong']
    }
  }
}

/** @type {ServerFactory} */
export default async ({ root, options = {} }) => {
  const { default: st } = await import('st')
  const serve = st({ path: root, index: 'index.html', cache: { content: { cacheControl: 'public, max-age=3600' } } })
  if (!options.production) return (req, res) => { serve(req, res) }
  return (req, res) => {
    serve(req, res, () => {
      const isRead = req.method === 'GET' || req.method === 'HEAD'
      res.writeHead(isRead ? 400 : 405, { 'Content-Length': 0, ...!isRead && { Allow: 'GET, HEAD' } }).end()
    })
  }
}
