// Static server on plain node:http and node:fs, which streams files from disk for every request. No ranges and no
// validators.
import { close, createReadStream, fstat, open } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream'
import { contentTypeOf } from '../bench/shared/http/media-types.js'

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */
/** @import { IncomingMessage, ServerResponse } from 'node:http' */

/** @type {ServerAbout} */
export const about = {
  title: 'node:http and node:fs, streamed from disk',
  package: null,
  serves: ['static'],
  bytesFrom: 'disk',
  demonstration: true,
  compression: 'none',
  settings: 'opened and streamed for every request, Cache-Control: public, max-age=3600',
  production: { none: 'it is a demonstration without settings' }
}

/** @type {ServerFactory} */
export default async ({ root }) => {
  const folder = resolve(root)
  return (req, res) => {
    const reject = (/** @type {number} */ status, headers = {}) => {
      res.writeHead(status, { 'Content-Length': 0, ...headers }).end()
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') return reject(405, { Allow: 'GET, HEAD' })
    const names = namesIn(req.url ?? '/')
    if (!names) return reject(400)
    // Rejects path parts that begin with a dot: ".." and hidden files.
    if (names.some(name => name.startsWith('.'))) return reject(404)
    const wantsIndex = names.at(-1) === ''
    const path = join(folder, ...names, wantsIndex ? 'index.html' : '')
    open(path, 'r', (error, fd) => {
      if (error) return reject(404)
      fstat(fd, (error, stats) => {
        if (!error && stats.isFile()) return answer(req, res, { fd, path, size: stats.size })
        close(fd, () => {})
        // Built from its parts, so that "//elsewhere.example" cannot become a redirect to there.
        if (stats?.isDirectory() && !wantsIndex) {
          return reject(301, { Location: `/${names.filter(Boolean).map(encodeURIComponent).join('/')}/` })
        }
        reject(404)
      })
    })
  }
}

/**
 * Returns the decoded parts of a path, or null if the path is malformed.
 * @param {string} url
 */
function namesIn (url) {
  try {
    // A request can name the whole URL (RFC 9112, 3.2.2).
    const path = decodeURIComponent(url.replace(/^http:\/\/[^/?]+/i, '').split('?', 1)[0])
    return path.startsWith('/') && !path.includes('\0') ? path.slice(1).split('/') : null
  } catch {
    return null
  }
}

/**
 * @param {IncomingMessage} req
 * @param {ServerResponse} res
 * @param {{ fd: number, path: string, size: number }} file
 */
function answer (req, res, { fd, path, size }) {
  // From Node 26 on, pipeline throws if the client disconnected while the file was opened.
  if (res.destroyed) return close(fd, () => {})
  res.writeHead(200, {
    'Content-Type': contentTypeOf(path),
    'Content-Length': size,
    'Cache-Control': 'public, max-age=3600'
  })
  if (req.method === 'HEAD' || size === 0) {
    close(fd, () => {})
    res.end()
    return
  }
  // pipeline closes the file if the client disconnects during the response. pipe does not.
  pipeline(createReadStream(path, { fd, end: size - 1 }), res, () => {})
}
