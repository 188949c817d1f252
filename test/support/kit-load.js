/**
 * Child that asks as fast as it is answered, on connections that are kept, until nobody listens any more; then prints
 * how many answers were whole, and what was wrong with others. argv: port, file that is there once it is under way.
 * What ends before an answer has begun may be asked again (RFC 9112, 9.3.1), and is no fault of whoever drains.
 */
import { writeFileSync } from 'node:fs'
import http from 'node:http'

const [port, started] = process.argv.slice(2)
const CONNECTIONS = 8
const UNDER_WAY = 100
/** The primary of node:cluster may take a connection as its last worker stops listening: nobody serves it, and it is
 * closed with the primary only. Whoever waited for the app itself is found by its count. */
const UNANSWERED_MS = 10_000

const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
let whole = 0
/** @type {string[]} */
const wrong = []

/** @returns {Promise<boolean>} whether somebody listens */
const ask = () => new Promise(resolve => {
  const request = http.get({ port: Number(port), host: '127.0.0.1', path: '/count', agent }, response => {
    let bytes = 0
    response.on('data', data => { bytes += data.length })
    response.on('close', () => {
      if (response.statusCode === 200 && response.complete && bytes === 1024) whole++
      else wrong.push(`status ${response.statusCode}, ${bytes} bytes`)
      resolve(true)
    })
  }).on('error', error => resolve(/** @type {NodeJS.ErrnoException} */ (error).code !== 'ECONNREFUSED'))
  request.setTimeout(UNANSWERED_MS, () => request.destroy())
})

await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
  while (await ask()) if (whole >= UNDER_WAY) writeFileSync(started, '')
}))
process.stdout.write(JSON.stringify({ whole, wrong }), () => process.exit(0))
