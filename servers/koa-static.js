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
    'caching)',
  production: {
    settings: {
      'setHeaders with Vary: Accept-Encoding': ['vary'],
      'a middleware that sends 304 if ctx.fresh': ['modified']
    }
  }
}

/**
 * Sends Vary, because the response depends on Accept-Encoding.
 *
 * @param {{ setHeader: (name: string, value: string) => unknown }} res
 */
const setHeaders = res => { res.setHeader('Vary', 'Accept-Encoding') }

/** @type {ServerFactory} */
export default async ({ root, options = {} }) => {
  const { default: Koa } = await import('koa')
  const { default: serve } = await import('koa-static')
  const app = new Koa({ proxy: true })
  if (!options.production) {
    app.use(serve(root, { maxage: 3600_000 }))
    return app.callback()
  }
  app.use(async (ctx, next) => {
    await next()
    // Koa closes the file whose response becomes 304.
    if (ctx.fresh) ctx.status = 304
  })
  app.use(serve(root, { maxage: 3600_000, setHeaders }))
  return app.callback()
}
