/** Program: listens on $PORT, and passes each connection on to the port in HOPBENCH_KEPT as soon as an app listens. */
import net from 'node:net'

/** Longest wait of a connection, and interval of attempts. */
const LIMIT_MS = 60_000
const RETRY_MS = 10
const port = Number(process.env.HOPBENCH_KEPT)

net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, client => {
  const deadline = performance.now() + LIMIT_MS
  client.on('error', () => {})
  connect()
  function connect () {
    const server = net.connect({ port, allowHalfOpen: true })
    server.once('connect', () => {
      client.pipe(server).pipe(client)
      client.on('close', () => server.destroy())
      server.on('close', () => client.destroy())
    })
    server.on('error', () => {
      if (server.remotePort !== undefined || performance.now() > deadline) client.destroy()
      else if (!client.destroyed) setTimeout(connect, RETRY_MS)
    })
  }
}).listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4096 })
