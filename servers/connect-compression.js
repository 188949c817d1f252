// connect with the compression middleware before serve-static: gzip made anew for every request.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'connect with compression and serve-static',
  package: 'compression',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'on-the-fly',
  settings: 'compression with its defaults (gzip and brotli, from 1 KB on), serve-static with maxAge 1h'
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const { default: compression } = await import('compression')
  const { default: connect } = await import('connect')
  const { default: serveStatic } = await import('serve-static')
  const app = connect()
  // It is written for Express and takes any request and response.
  app.use(/** @type {any} */ (compression()))
  app.use(serveStatic(root, { maxAge: '1h' }))
  return app
}
