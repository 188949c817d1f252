// Express with express.static, the most common static server in Node.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'Express with express.static',
  package: 'express',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'none',
  settings: 'NODE_ENV=production, trust proxy, maxAge 1h (its default, max-age=0, would keep every proxy from caching)',
  production: { none: 'every probe passes without further settings' },
  http1Only:
    'Express gives every request a prototype of node:http, with which HTTP/2 does not work: the process ends'
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const { default: express } = await import('express')
  const app = express()
  // Without `trust proxy` req.ip is undefined over a Unix socket.
  app.set('trust proxy', 1)
  app.disable('x-powered-by')
  app.use(express.static(root, { maxAge: '1h' }))
  return app
}
