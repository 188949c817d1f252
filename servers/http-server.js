// http-server, as its command starts it.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'http-server',
  package: 'http-server',
  serves: ['static'],
  bytesFrom: 'disk',
  compression: 'none',
  settings: 'the defaults of its command (max-age=3600, folders are listed), without a log of requests',
  production: {
    none: 'http-server has no setting against its failures; `--no-dotfiles` only hides such files in listed folders'
  }
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  // @ts-expect-error the package has no types
  const { default: httpServer } = await import('http-server')
  const { server } = httpServer.createServer({ root })
  return (req, res) => { server.emit('request', req, res) }
}
