/**
 * A server that serves one request at a time, in order of arrival, for the milliseconds in the query (?ms=20). It waits
 * in place of computing, so that several of them need no core each. Prints its port. Ends with its stdin.
 */
import { createServer } from 'node:http'

let free = 0
const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const now = performance.now()
  free = Math.max(now, free) + Number(new URL(request.url ?? '/', 'http://localhost').searchParams.get('ms'))
  setTimeout(() => response.end('served'), free - now)
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') console.log(address.port)
})
process.stdin.on('end', () => process.exit()).resume()
