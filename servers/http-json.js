// 1 KB of JSON from plain node:http, the cost of the runtime without a framework.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'node:http, 1 KB of JSON',
  package: null,
  serves: ['json'],
  bytesFrom: 'memory',
  compression: 'none',
  settings: 'JSON.stringify and Cache-Control: public for every response'
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const data = JSON.parse(await readFile(join(root, '1kb.json'), 'utf8'))
  return (req, res) => {
    if (req.url !== '/') {
      res.writeHead(404).end()
      return
    }
    const body = JSON.stringify(data)
    res.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      'Cache-Control': 'public'
    })
    res.end(body)
  }
}
