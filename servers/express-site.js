// A typical Express app: a page, a JSON API that waits for a database, and the files of a folder.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'Express with a JSON API (3 KB after 5 ms) and express.static',
  package: 'express',
  serves: ['site'],
  bytesFrom: 'disk',
  compression: 'none',
  settings:
    'NODE_ENV=production, trust proxy, express.static without Cache-Control, as the proxies that are compared with ' +
    'it; +compress adds the compression middleware with its defaults, Brotli at level 4 for clients that accept it',
  http1Only:
    'Express gives every request a prototype of node:http, with which HTTP/2 does not work: the process ends',
  files: { '/assets': 'site/assets' },
  options: {
    compress: { type: 'boolean', default: false, help: 'compression middleware in front of everything' }
  }
}

/** Bytes of a response of the API. */
const BYTES = 3072
/** Wait of the API, as for a query to a database. */
const MILLISECONDS = 5
const TAGS = /** @type {Record<string, (url: string) => string>} */ ({
  css: url => `<link rel="stylesheet" href="${url}">`,
  js: url => `<script defer src="${url}"></script>`,
  svg: url => `<img alt="" src="${url}">`,
  webp: url => `<img alt="" src="${url}">`
})

/** @type {ServerFactory} */
export default async ({ root, options }) => {
  const { default: express } = await import('express')
  const app = express()
  // Without `trust proxy` req.ip is undefined over a Unix socket.
  app.set('trust proxy', 1)
  app.disable('x-powered-by')
  if (options?.compress) {
    const { default: compression } = await import('compression')
    app.use(compression())
  }
  const [[prefix, folder]] = Object.entries(about.files ?? {})
  const html = toPage(await listFiles(join(root, folder)), prefix)
  const data = items()
  app.get('/', (req, res) => { res.type('html').send(html) })
  app.get('/api/items', (req, res) => { setTimeout(() => res.json(data), MILLISECONDS) })
  app.use(prefix, express.static(join(root, folder), { cacheControl: false }))
  return app
}

/** @param {string} folder may be missing, where only the API is requested */
const listFiles = async folder => (await readdir(folder).catch(() => [])).sort()

/**
 * @param {string[]} names
 * @param {string} prefix
 */
function toPage (names, prefix) {
  const tags = names.map(name => TAGS[name.split('.').at(-1) ?? '']?.(`${prefix}/${name}`) ?? '')
  return `<!DOCTYPE html>\n<html lang="en">\n<title>Items</title>\n${tags.filter(Boolean).join('\n')}\n</html>\n`
}

/** Returns records that JSON.stringify prints with BYTES bytes. */
function items () {
  const list = Array.from({ length: 30 }, (_, id) =>
    ({ id, name: `item ${id}`, price: 100 + id * 7, inStock: id % 3 !== 0, tags: ['a', 'b'] }))
  const frame = JSON.stringify({ items: list, note: '' })
  return { items: list, note: 'x'.repeat(BYTES - frame.length) }
}
