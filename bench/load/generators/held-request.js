/**
 * Child with a request in flight: sends a request but for its last line, prints "open", sends the rest after a line on
 * stdin, and prints whether a response arrived. argv: host, port, path.
 */
import { connect } from 'node:net'

const TIMEOUT_MS = 5000

const [host, port, path] = process.argv.slice(2)
const socket = connect({ host, port: Number(port) })
let response = ''
const end = () => process.stdout.write(/^HTTP\/1\.[01] [2-4]\d\d/.test(response) ? 'response\n' : 'none\n',
  () => process.exit())

socket.setEncoding('latin1').on('error', end).on('close', end).on('data', data => {
  response += data
  end()
})
socket.on('connect', () => {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`)
  process.stdout.write('open\n')
})
process.stdin.once('data', () => {
  socket.write('\r\n')
  setTimeout(end, TIMEOUT_MS)
})
