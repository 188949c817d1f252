/**
 * Program that sends requests on persistent connections until connections are refused. Then it prints the number of
 * complete responses and the faults of the other responses. Arguments: port, file to create once the load is under way.
 * A connection that closes before a response is not a fault, because a client may retry (RFC 9112, 9.3.1).
 */
import { writeFileSync } from 'node:fs'
import http from 'node:http'

const [port, started] = process.argv.slice(2)
const CONNECTIONS = 8
const UNDER_WAY = 100
/**
 * Time after which a request without a response is given up. The primary of node:cluster may accept a connection while
 * its last worker stops listening, which then stays open without a response. The app's own count still reveals requests
 * that reached the app.
 */
const UNANSWERED_MS = 10_000

const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS })
let whole = 0
/** @type {string[]} */
const wrong = []

/** @returns {Promise<boolean>} whether the server still listens */
const sendRequest = () => new Promise(resolve => {
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
  while (await sendRequest()) if (whole >= UNDER_WAY) writeFileSync(started, '')
}))
process.stdout.write(JSON.stringify({ whole, wrong }), () => process.exit(0))
