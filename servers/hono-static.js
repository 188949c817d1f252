// Hono with the static files of @hono/node-server.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'Hono with @hono/node-server',
  package: '@hono/node-server',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'precompressed',
  settings: 'precompressed (gzip and brotli siblings), onFound with max-age=3600 as in its readme',
  production: {
    settings: { 'onFound with Vary: Accept-Encoding': ['vary'], 'allowPercentInPath: true': ['names'] }
  }
}

/** @type {ServerFactory} */
export default async ({ root, options = {} }) => {
  const { getRequestListener } = await import('@hono/node-server')
  const { serveStatic } = await import('@hono/node-server/serve-static')
  const { Hono } = await import('hono')
  const app = new Hono()
  app.use(serveStatic({
    root,
    precompressed: true,
    allowPercentInPath: options.production === true,
    onFound (path, context) {
      context.header('Cache-Control', 'max-age=3600')
      if (options.production) context.header('Vary', 'Accept-Encoding')
    }
  }))
  return getRequestListener(app.fetch)
}
