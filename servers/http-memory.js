// Static server with all files and headers in memory, read once at the start. The upper limit of node:http.
import { readFile, readdir, realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { contentTypeOf } from '../bench/shared/http/media-types.js'

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'node:http, files kept in memory',
  package: null,
  serves: ['static'],
  bytesFrom: 'memory',
  demonstration: true,
  compression: 'none',
  settings: 'all files read once at the start, Cache-Control: public, max-age=3600',
  production: { none: 'it is a demonstration without settings' }
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const files = await readAll(root)
  return (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { Allow: 'GET, HEAD', 'Content-Length': 0 }).end()
      return
    }
    const file = files.get(pathOf(req.url ?? '/'))
    if (!file) {
      res.writeHead(404, { 'Content-Length': 0 }).end()
      return
    }
    res.writeHead(200, file.headers)
    res.end(req.method === 'HEAD' ? undefined : file.body)
  }
}

/**
 * Reads all files into a map by path. A request looks up the map only, so no path can leave the folder.
 * @param {string} root
 */
async function readAll (root) {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  /** @type {Map<string, { headers: Record<string, string | number>, body: Buffer }>} */
  const files = new Map()
  const realRoot = await realpath(root)
  for (const entry of entries.filter(entry => entry.isFile())) {
    const file = join(entry.parentPath, entry.name)
    // Excludes symbolic links, which could point outside the folder; readdir follows those to folders from Node 26 on.
    if (await realpath(file) !== join(realRoot, relative(root, file))) continue
    const path = `/${relative(root, file).split(sep).join('/')}`
    if (path.includes('/.')) continue
    const body = await readFile(file)
    const headers = {
      'Content-Type': contentTypeOf(path),
      'Content-Length': body.length,
      'Cache-Control': 'public, max-age=3600'
    }
    files.set(path, { headers, body })
    if (entry.name === 'index.html') files.set(path.slice(0, -'index.html'.length), { headers, body })
  }
  return files
}

/**
 * @param {string} url
 * @returns {string} decoded path; empty if it is malformed
 */
function pathOf (url) {
  const path = url.split('?', 1)[0]
  if (!path.includes('%')) return path
  try {
    return decodeURIComponent(path)
  } catch {
    return ''
  }
}
