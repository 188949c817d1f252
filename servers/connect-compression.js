// connect with the compression middleware before serve-static, which compresses every response with gzip or Brotli.
import { constants } from 'node:zlib'

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'connect with compression and serve-static',
  package: 'compression',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'on-the-fly',
  settings: 'compression from 1 KB on, Brotli for clients that accept it; serve-static with maxAge 1h',
  production: { settings: { 'setHeaders with Vary: Accept-Encoding': ['not-modified-head'] } },
  options: {
    gzip_comp_level: {
      type: 'number', default: 6, choices: [1, 2, 3, 4, 5, 6, 7, 8, 9], help: 'level of gzip: 1 (fast) to 9 (small)'
    },
    brotli_comp_level: {
      type: 'number',
      default: 4,
      choices: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
      help: 'level of Brotli: 0 (fast) to 11 (small, the default of zlib); 4 is the default of the middleware'
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
  const { default: compression } = await import('compression')
  const { default: connect } = await import('connect')
  const { default: serveStatic } = await import('serve-static')
  const app = connect()
  const { gzip_comp_level: level, brotli_comp_level: quality } = /** @type {Record<string, any>} */ (options)
  // The types of compression are those of Express, and the middleware accepts any request and response.
  app.use(/** @type {any} */ (compression({
    level,
    ...quality !== undefined && { brotli: { params: { [constants.BROTLI_PARAM_QUALITY]: quality } } }
  })))
  app.use(serveStatic(root, { maxAge: '1h', ...options.production && { setHeaders } }))
  return app
}
