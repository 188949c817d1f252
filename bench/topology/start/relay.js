/** Joins a Unix socket to a TCP port of its network to read counters. HOPBENCH_RELAY: { host, port, socket }. */
import net from 'node:net'

const { host, port, socket } = JSON.parse(process.env.HOPBENCH_RELAY ?? '{}')

const relay = net.createServer(client => {
  const server = net.connect({ port, host, noDelay: true })
  client.pipe(server).pipe(client)
  // pipe does not pass on errors, so a refused connection has to close the other side.
  client.on('error', () => {}).on('close', () => server.destroy())
  server.on('error', () => {}).on('close', () => client.destroy())
})

relay.listen({ path: socket, readableAll: true, writableAll: true })
process.on('SIGTERM', () => {
  relay.close() // Removes the file of the socket.
  process.exit(0)
})
