/**
 * Vulnerable server: reads, writes and links any file, sends any signal, runs any program and sends its environment, as
 * the path demands. Before it listens, it creates the symbolic links that `links.json` of the served folder names.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** @import { ServerFactory } from '../../bench/types.js' */

export const about = { title: 'planted', package: null, serves: ['static'], bytesFrom: 'disk', compression: 'none' }

/** @type {Record<string, (path: string) => string>} by the first part of the path */
const DEEDS = {
  read: path => readFileSync(path, 'utf8'),
  list: path => readdirSync(path).join(),
  write: path => { writeFileSync(path, 'written'); return 'written' },
  replace: path => { rmSync(path); symlinkSync('/etc/passwd', path); return 'replaced' },
  signal: path => { process.kill(Number(path.slice(1)), 0); return 'sent' },
  run: path => execFileSync(path, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  environment: () => JSON.stringify(process.env)
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  createLinks(join(root, 'links.json'))
  return (req, res) => {
    const [, deed, path] = /^\/(\w+)(\/.*)?$/.exec(decodeURIComponent(req.url ?? '')) ?? []
    try {
      res.end(DEEDS[deed](path))
    } catch (error) {
      res.writeHead(403).end(String(/** @type {NodeJS.ErrnoException} */ (error).code))
    }
  }
}

/**
 * Creates links in the working directory. Keeps existing files.
 * @param {string} file with the names of the links and their common target
 */
function createLinks (file) {
  if (!existsSync(file)) return
  const { names, target } = JSON.parse(readFileSync(file, 'utf8'))
  for (const name of names) if (!existsSync(name)) symlinkSync(target, name)
}
