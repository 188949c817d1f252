// node:http with a body of the size in $BYTES; with $CHUNKED in two parts, without a Content-Length.
import { createServer } from 'node:http'

const { PORT, SOCKET, BYTES = '5', CHUNKED, CLOSE } = process.env
const body = Buffer.alloc(Number(BYTES), 'x')
const half = body.length >> 1

createServer((req, res) => {
  if (CLOSE) res.setHeader('Connection', 'close')
  if (!CHUNKED) return res.end(body)
  res.write(body.subarray(0, half))
  res.end(body.subarray(half))
}).listen(SOCKET ?? Number(PORT))
