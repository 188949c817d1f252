// Slow blog: a page of 28 KB for every path, 40 ms after the request.

/** @import { ServerAbout, ServerFactory } from '../bench/types.js' */

/** @type {ServerAbout} */
export const about = {
  title: 'a slow blog: an HTML page of 28 KB after 40 ms',
  package: null,
  serves: ['pages'],
  bytesFrom: 'memory',
  compression: 'none',
  settings:
    'waits 40 ms on a timer; an ETag, and Cache-Control: public without a lifetime, so the settings of a cache ' +
    'determine how long it keeps a page'
}

/** A page of the published blog had about this size (hirobanex, 2013: 11.35 MB/s at 419.84 pages a second). */
const BYTES = 28 * 1024
const MILLISECONDS = 40 // Typical time to generate a page from a database.

const WORDS =
  ('about after again blog cache client could every first found great house later light little more never next often ' +
  'other page people place proxy read request server should small some their there these thing think time under ' +
  'water where which while spec work world would write year')
    .split(' ')

/** @type {ServerFactory} */
export default async () => {
  const body = Buffer.from(page())
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': body.length,
    'Cache-Control': 'public',
    ETag: '"slow-page"'
  }
  return (req, res) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { Allow: 'GET, HEAD' }).end()
      return
    }
    setTimeout(() => {
      res.writeHead(200, headers)
      res.end(req.method === 'HEAD' ? undefined : body)
    }, MILLISECONDS)
  }
}

/** Generates HTML of exactly BYTES, the same on every machine. */
function page () {
  const head =
    '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>A slow blog</title></head>\n<body>\n'
  const foot = '</body>\n</html>\n'
  let body = ''
  for (let post = 1; ; post++) {
    // The step shares no factor with the number of words, so that posts differ without a random generator.
    const words = Array.from({ length: 80 }, (_, i) => WORDS[(post * 7 + i * (post % 11 + 1) * 5) % WORDS.length])
    const article =
      `<article id="post-${post}"><h2>${words.slice(0, 5).join(' ')}</h2><p>${words.join(' ')}.</p></article>\n`
    if (head.length + body.length + article.length + foot.length + '<!---->\n'.length > BYTES) break
    body += article
  }
  const filler = BYTES - head.length - body.length - foot.length - '<!---->\n'.length
  return `${head}${body}<!--${'.'.repeat(filler)}-->\n${foot}`
}
