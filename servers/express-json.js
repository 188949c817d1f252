// 1 KB of JSON from Express, uncompressed: the application server of the published comparison.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'Express, 1 KB of JSON',
  package: 'express',
  serves: ['json'],
  bytesFrom: 'memory',
  compression: 'none',
  settings: 'NODE_ENV=production, trust proxy, res.json() and Cache-Control: public for every response',
  http1Only:
    'Express gives every request a prototype of node:http, with which HTTP/2 does not work: the process ends'
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const data = JSON.parse(await readFile(join(root, '1kb.json'), 'utf8'))
  const { default: express } = await import('express')
  const app = express()
  // Without `trust proxy` req.ip is undefined over a Unix socket.
  app.set('trust proxy', 1)
  app.get('/', (req, res) => { res.set('Cache-Control', 'public').json(data) })
  return app
}
