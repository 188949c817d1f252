// sirv in production mode: the folder is listed once, at the start.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'sirv, production mode',
  package: 'sirv',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'precompressed',
  settings:
    'dev off (names, sizes and headers are kept in memory from the start, bytes are streamed from disk), etag, gzip ' +
    'and brotli siblings, maxAge 3600',
  production: {
    none: 'sirv has no setting against all of its failures of safety; `dev`, which would notice deleted files, is ' +
      'not meant for production'
  }
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const { default: sirv } = await import('sirv')
  return sirv(root, { dev: false, etag: true, gzip: true, brotli: true, maxAge: 3600 })
}
