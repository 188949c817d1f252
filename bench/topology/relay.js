/** Joins a Unix socket to a TCP port of its network, for counters. HOPBENCH_RELAY: { host, port, socket }. */
import net from 'node:net'

const { host, port, socket } = JSON.parse(process.env.HOPBENCH_RELAY ?? '{}')

const relay = net.createServer(outside => {
  const inside = net.connect({ port, host, noDelay: true })
  outside.pipe(inside).pipe(outside)
  // A refused connection ends the other side too.
  for (const [one, other] of [[outside, inside], [inside, outside]]) {
    one.on('error', () => {}).on('close', () => other.destroy())
  }
})

relay.listen({ path: socket, readableAll: true, writableAll: true })
process.on('SIGTERM', () => {
  relay.close() // also removes the socket's file
  process.exit(0)
})
