/**
 * Vulnerable server: reads and writes any file, runs any program and sends its environment, as the path demands.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

/** @import { ServerFactory } from '../../bench/types.js' */

export const about = { title: 'planted', package: null, serves: ['static'], bytesFrom: 'disk', compression: 'none' }

/** @type {Record<string, (path: string) => string>} by the first part of the path */
const DEEDS = {
  read: path => readFileSync(path, 'utf8'),
  write: path => { writeFileSync(path, 'written'); return 'written' },
  run: path => execFileSync(path, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  environment: () => JSON.stringify(process.env)
}

/** @type {ServerFactory} */
export default async () => (req, res) => {
  const [, deed, path] = /^\/(\w+)(\/.*)?$/.exec(decodeURIComponent(req.url ?? '')) ?? []
  try {
    res.end(DEEDS[deed](path))
  } catch (error) {
    res.writeHead(403).end(String(/** @type {NodeJS.ErrnoException} */ (error).code))
  }
}
