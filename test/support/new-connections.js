/**
 * Program that sends requests to / until a file exists, each on a new connection, by TLS on port 443. Prints the
 * number of responses, the faults of the other requests, and the longest time of a response. Arguments: port, path of
 * the file, path of a file to create once the load is under way.
 */
import { existsSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

const [port, end, started] = process.argv.slice(2)
const { get } = port === '443' ? https : http
const CLIENTS = 4
const UNDER_WAY = 20
/** Pause of a client between two requests, which leaves the cores to the kit. */
const PAUSE_MS = 20
/** Time limit of a request, far above the longest restart. */
const LIMIT_MS = 25_000

let responses = 0
let slowestMs = 0
/** @type {string[]} */
const faults = []

/** @returns {Promise<void>} */
const sendRequest = () => new Promise(resolve => {
  const at = performance.now()
  const address = { port: Number(port), host: '127.0.0.1', agent: false, rejectUnauthorized: false }
  const request = get(address, response => {
    response.resume().on('close', () => {
      if (response.statusCode === 200 && response.complete) responses++
      else faults.push(`status ${response.statusCode}, ${response.complete ? 'whole' : 'truncated'}`)
      slowestMs = Math.max(slowestMs, performance.now() - at)
      resolve()
    })
  }).on('error', error => {
    faults.push(error.message)
    resolve()
  })
  request.setTimeout(LIMIT_MS, () => request.destroy(new Error(`no response within ${LIMIT_MS} ms`)))
})

await Promise.all(Array.from({ length: CLIENTS }, async () => {
  while (!existsSync(end)) {
    await sendRequest()
    if (responses >= UNDER_WAY) writeFileSync(started, '')
    await sleep(PAUSE_MS)
  }
}))
process.stdout.write(JSON.stringify({ responses, faults, slowestMs }), () => process.exit(0))
