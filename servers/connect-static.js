// connect with serve-static: the middleware of the published comparison.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'connect with serve-static',
  package: 'serve-static',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'none',
  settings: 'maxAge 1h (its default, max-age=0, would keep every proxy from caching)',
  production: { none: 'every probe passes without further settings' }
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const { default: connect } = await import('connect')
  const { default: serveStatic } = await import('serve-static')
  const app = connect()
  app.use(serveStatic(root, { maxAge: '1h' }))
  return app
}
