/**
 * Server with known latencies. HOPBENCH_KNOWN_LATENCY=stall blocks for 300 ms every 3 s, delay responds after 20 ms,
 * plain at once. Prints its port.
 */
import { createServer } from 'node:http'

/** @import { ServerResponse } from 'node:http' */

export const STALL = { ms: 300, everyMs: 3000 }
export const DELAY_MS = 20
const body = Buffer.alloc(1024, 'x')

if (process.env.HOPBENCH_KNOWN_LATENCY) {
  const respond = (/** @type {ServerResponse} */ response) => {
    response.writeHead(200, { 'Content-Length': body.length })
    response.end(body)
  }
  const server = createServer((_, response) => {
    if (process.env.HOPBENCH_KNOWN_LATENCY === 'delay') setTimeout(respond, DELAY_MS, response)
    else respond(response)
  })
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1', 4096, () => {
    const address = server.address()
    if (address instanceof Object) console.log(address.port)
  })
  if (process.env.HOPBENCH_KNOWN_LATENCY === 'stall') {
    setInterval(() => {
      const end = performance.now() + STALL.ms
      while (performance.now() < end);
    }, STALL.everyMs)
  }
}
