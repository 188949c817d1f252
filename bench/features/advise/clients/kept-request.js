/**
 * Child that uses a connection again. The first line on stdin is the order: { host, port, path, headers, idleMs }.
 * Sends a request, waits, sends another one on the same connection, and prints the status of both: "200 200". A missing
 * response is "none".
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { mergeHeaders } from '../../../shared/http/merge-headers.js'

const RESPONSE_MS = 5000 // Limit for one response of an idle app.
/** Time after a response in which the rest of its body arrives. */
const REST_MS = 300

const lines = createInterface({ input: process.stdin })
const { host, port, path, headers, idleMs } = JSON.parse(String((await once(lines, 'line'))[0]))
const socket = connect({ host, port })
let received = ''
socket.setEncoding('latin1').on('error', () => {}).on('data', data => { received += data })

const statuses = [await ask()]
await sleep(idleMs)
statuses.push(await ask())
process.stdout.write(`${statuses.join(' ')}\n`, () => process.exit())

/** Sends a request and returns the status of its response. */
async function ask () {
  received = ''
  const fields = Object.entries(mergeHeaders({ Host: host }, headers))
  socket.write(`GET ${path} HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`)
  const deadline = performance.now() + RESPONSE_MS
  while (!/^HTTP\/1\.[01] \d{3}/.test(received) && !socket.destroyed && performance.now() < deadline) await sleep(10)
  await sleep(REST_MS)
  return /^HTTP\/1\.[01] (\d{3})/.exec(received)?.[1] ?? 'none'
}
