/** A server that counts its requests itself: bodies of $BYTES bytes, $CHUNKED in two parts, counts at $CONTROL. */
import { createServer } from 'node:http'
import net from 'node:net'

const { PORT, CONTROL, BYTES = '5', CHUNKED } = process.env
const body = Buffer.alloc(Number(BYTES), 'x')
const half = body.length >> 1
let requests = 0

const server = createServer((req, res) => {
  requests++
  if (CHUNKED) res.write(body.subarray(0, half)) && res.end(body.subarray(half))
  else res.writeHead(200, { 'Content-Length': body.length }).end(body)
})
server.keepAliveTimeout = 3_600_000
server.listen(Number(PORT), '127.0.0.1', 511)

net.createServer(socket => socket.on('data', () => socket.write(`${requests}\n`))).listen(CONTROL)
