// serve-handler with compression, as the command of the package serve 14 composes them.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'serve-handler, as `serve` uses it',
  package: 'serve-handler',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'on-the-fly',
  settings:
    'the defaults of the command `serve`: compression (gzip and Brotli from 1 KB), ETag, folders are listed; ' +
    'max-age=3600, no log of requests, cleanUrls not for *.html, which it would redirect',
  production: { none: 'serve-handler has no setting against all of its failures' }
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const { default: compression } = await import('compression')
  // @ts-expect-error the package has no types
  const { default: handler } = await import('serve-handler')
  const compress = compression()
  const config = {
    public: root,
    etag: true,
    cleanUrls: ['!/**/*.html'],
    headers: [{ source: '**', headers: [{ key: 'Cache-Control', value: 'max-age=3600' }] }]
  }
  return (req, res) => {
    compress(/** @type {any} */ (req), /** @type {any} */ (res), () => { handler(req, res, config) })
  }
}
