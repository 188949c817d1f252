/**
 * Child that holds one connection. The first line on stdin is the order (type, host, port, socketPath, path, headers).
 * Prints JSON lines: `open`, whether the connection is held, with its first response, `closed` with the milliseconds
 * from then to its end by the server, and after a second line on stdin `sent` and `reply` with the next response.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { mergeHeaders } from '../../shared/http/merge-headers.js'

const RESPONSE_MS = 5000 // Limit for one response of an idle app.
/** Time after the headers of a response in which the rest of its body arrives. */
const REST_MS = 300
/** Most bytes of a response that are kept. */
const MAX_BYTES = 2 ** 16
/** Handshake of RFC 6455, section 1.3. */
const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ=='
}

const lines = createInterface({ input: process.stdin }).once('close', () => process.exit())
const { type, host, port, socketPath, path, headers } = JSON.parse(String((await once(lines, 'line'))[0]))
const isHeldBack = type === 'request'
const own = type === 'websocket' ? UPGRADE : { Connection: isHeldBack ? 'close' : 'keep-alive' }
const fields = Object.entries(mergeHeaders({ Host: host, ...own }, headers)).map(pair => `${pair.join(': ')}\r\n`)
const head = `GET ${path} HTTP/1.1\r\n${fields.join('')}`
let received = ''
let openedAt = NaN

const socket = connect(socketPath ? { path: socketPath } : { host, port })
socket.setEncoding('latin1').on('error', () => {}).on('data', data => {
  received = (received + data).slice(0, MAX_BYTES)
})
socket.on('close', () => print({ closed: performance.now() - openedAt }))
const isConnected = await once(socket, 'connect').then(() => true, () => false)
if (isConnected) socket.write(isHeldBack ? head : `${head}\r\n`)
const first = isConnected && !isHeldBack ? await readResponse() : null
if (type === 'idle') await sleep(REST_MS)
const isOpen = !socket.destroyed && (isHeldBack || (type === 'websocket' ? first?.status === 101 : first !== null))
openedAt = performance.now()
print({ open: isOpen, first })
lines.once('line', async () => {
  if (!isHeldBack) received = ''
  socket.write(isHeldBack ? '\r\n' : `${head}\r\n`, () => print({ sent: true }))
  print({ reply: await readResponse() })
})

/** @returns {Promise<{ status: number, keepAlive: string | null, isLast: boolean } | null>} null: none */
async function readResponse () {
  const deadline = performance.now() + RESPONSE_MS
  while (true) {
    const [text, status] = /^HTTP\/1\.[01] (\d{3})[^]*?\r\n\r\n/.exec(received) ?? []
    if (text !== undefined) {
      const keepAlive = /^Keep-Alive: *(.+)\r$/im.exec(text)?.[1] ?? null
      return { status: Number(status), keepAlive, isLast: /^Connection: *close\r$/im.test(text) }
    }
    if (socket.destroyed || performance.now() > deadline) return null
    await sleep(10)
  }
}

/** @param {object} event */
function print (event) {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}
