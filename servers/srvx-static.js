// srvx with its static middleware.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'srvx with srvx/static',
  package: 'srvx',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'precompressed',
  settings: 'encodings (gzip and brotli siblings; text without them is compressed on the fly from 1 KB), maxAge 3600',
  production: { none: 'no probe of safety fails without further settings' }
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const { serve } = await import('srvx/node')
  const { staticMiddleware } = await import('srvx/static')
  const app = serve({
    manual: true,
    middleware: [staticMiddleware({ dir: root, encodings: true, maxAge: 3600 })],
    fetch: () => new Response('Not Found', { status: 404 })
  })
  return (req, res) => { app.node?.handler(req, res) }
}
