/** Program: the app of the check at an address that a configuration names. It ends its responses on SIGTERM. */
import { createServer } from 'node:http'
import { toDrain } from '../../topology/listener.js'
import app, { upgrade } from '../deploy/configs/app.js'

/** Longer than the 60 s for which proxies keep idle connections. */
const KEEP_ALIVE_MS = 65_000

/** bases: paths below which the app is. @type {{ listen: import('node:net').ListenOptions, bases: string[] }} */
const { listen, bases } = JSON.parse(process.env.ORIGIN_OPTIONS ?? '{}')
let failures = 0

/** Removes the path below which the app is. @param {import('node:http').IncomingMessage} request */
const toRoot = request => {
  const base = bases.find(base => request.url?.startsWith(`${base}/`)) ?? ''
  request.url = request.url?.slice(base.length)
}

const server = createServer((request, response) => {
  const { url } = request
  toRoot(request)
  // Shows the path as it arrived.
  if (url?.includes('/arrived-path')) return response.end(JSON.stringify(url))
  // Fails at the first request only.
  if (request.url === '/fails-once') {
    response.statusCode = failures++ === 0 ? 500 : 200
    return response.end(`failure ${failures} of ${process.pid}`)
  }
  app(request, response)
}).on('upgrade', (request, socket, head) => {
  toRoot(request)
  upgrade(request, /** @type {import('node:net').Socket} */ (socket), head)
})
server.keepAliveTimeout = KEEP_ALIVE_MS
server.requestTimeout = 0
const drain = toDrain(server)
process.once('SIGTERM', () => drain(() => process.exit(0)))
server.listen(listen, () => console.log('listening'))
