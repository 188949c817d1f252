// Koa with koa-static.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'Koa with koa-static',
  package: 'koa-static',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'precompressed',
  settings:
    'proxy, gzip and brotli siblings (its default), maxage 1h (its default, max-age=0, would keep every proxy from ' +
    'caching)'
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const { default: Koa } = await import('koa')
  const { default: serve } = await import('koa-static')
  const app = new Koa({ proxy: true })
  app.use(serve(root, { maxage: 3600_000 }))
  return app.callback()
}
