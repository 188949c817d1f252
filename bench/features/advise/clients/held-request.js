/**
 * Child with a request in flight. The first line on stdin is the order: { host, port, path, headers }. Sends the
 * request but for its last line and prints "open". Sends the rest after the second line, and prints whether a response
 * arrived.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { mergeHeaders } from '../../../shared/http/merge-headers.js'

const TIMEOUT_MS = 5000 // Limit for the response to a request whose last line was held back.

const lines = createInterface({ input: process.stdin })
const { host, port, path, headers } = JSON.parse(String((await once(lines, 'line'))[0]))
const socket = connect({ host, port })
let response = ''
const end = () => process.stdout.write(/^HTTP\/1\.[01] \d\d\d/.test(response) ? 'response\n' : 'none\n',
  () => process.exit())

socket.setEncoding('latin1').on('error', end).on('close', end).on('data', data => {
  response += data
  end()
})
socket.on('connect', () => {
  const fields = Object.entries(mergeHeaders({ Host: host, Connection: 'close' }, headers))
  socket.write(`GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}`)
  process.stdout.write('open\n')
})
lines.once('line', () => {
  socket.write('\r\n')
  setTimeout(end, TIMEOUT_MS)
})
