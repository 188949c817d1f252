// Idle connections between a proxy and the server.
import { parseKeepAlive } from '../../../shared/http/parse-keep-alive.js'
import { readMessage } from '../../../shared/http/read-message.js'
import { NoResponse, RESPONSE_MS, converse } from '../client.js'
import { fail, nodeCommand, pass, probe } from '../outcome.js'

/** @import { Context, Topic } from '../types.js' */

/** Time in seconds for which nginx and the load balancers of AWS keep an idle connection to a server by default. */
const PROXY_SECONDS = 60
/** Limits the wait for a server that announces no timeout: Node's 5 s with a buffer of 1 s, and a second. */
const MAX_MS = 7000
const REQUEST = 'GET /data.txt HTTP/1.1\r\nHost: localhost\r\n\r\n'
const COMMAND = nodeCommand('const u=new URL(process.env.URL),s=net.connect(u.port||80,u.hostname);' +
  's.write("GET /data.txt HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n");s.resume().setTimeout(61000,()=>s.destroy());' +
  's.on("close",()=>console.log("closed after "+Math.round(process.uptime())+" s"))')

/** @type {Topic} */
export default {
  topic: 'Idle connections',
  probes: [
    probe('idle', `the server announces more than ${PROXY_SECONDS} s, or keeps an idle connection for ` +
      `${MAX_MS / 1000} s without an announcement`, null, async ({ address, proxied }) => {
      if (proxied) return pass('the proxy ends the connections of clients')
      const seconds = await findIdleSeconds(address)
      if (seconds === null) return pass(`open after ${MAX_MS / 1000} s, and no timeout is announced`)
      if (seconds > PROXY_SECONDS) return pass(`kept for ${seconds} s`)
      return fail(`an idle connection ends after ${seconds} s, and proxies keep one for ${PROXY_SECONDS} s: a ` +
          'request that meets the end becomes a 502. In Node add: server.keepAliveTimeout = 65_000', COMMAND)
    })
  ]
}

/**
 * Returns the timeout that the server announces, or the time after which it closes an idle connection.
 * @param {Context['address']} address
 * @returns {Promise<number | null>} in seconds; null: longer than the wait
 * @throws {NoResponse}
 */
async function findIdleSeconds (address) {
  let answeredAt = NaN
  let announced = /** @type {number | null} */ (null)
  const { isClosed, why } = await converse(address, REQUEST, RESPONSE_MS, (_socket, chunks) => {
    const message = readMessage(Buffer.concat(chunks), { method: 'GET', closed: false })
    if (!message?.complete || !Number.isNaN(answeredAt)) return
    answeredAt = performance.now()
    announced = parseKeepAlive(message.headers['keep-alive'])
    return announced === null ? MAX_MS : 0 // An announced timeout is not waited for.
  })
  if (Number.isNaN(answeredAt)) throw new NoResponse(why)
  if (announced !== null) return announced
  return isClosed ? Math.round((performance.now() - answeredAt) / 100) / 10 : null
}
