/**
 * Child that joins a Unix socket to a TCP port of the network it runs in: a program that listens on
 * ports only, such as Apache, can be asked for its counters from outside its network.
 * HOPBENCH_RELAY holds { host, port, socket }.
 */
import net from 'node:net'

const { host, port, socket } = JSON.parse(process.env.HOPBENCH_RELAY ?? '{}')

const relay = net.createServer(outside => {
  const inside = net.connect({ port, host, noDelay: true })
  outside.pipe(inside).pipe(outside)
  // What ends on one side ends on the other, a refused connection too.
  for (const [one, other] of [[outside, inside], [inside, outside]]) one.on('error', () => {}).on('close', () => other.destroy())
})

relay.listen({ path: socket, readableAll: true, writableAll: true })
process.on('SIGTERM', () => {
  relay.close() // also removes the socket's file
  process.exit(0)
})
