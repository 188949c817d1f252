/** Child that asks one target and compares every answer with what it should be: before the load as the gate (`times`),
 * and beside engines that do not look at bodies (`everySeconds`). HOPBENCH_ASKER holds the order; the gate's findings
 * are printed as JSON, the sampler's mismatches go to `errorLog` as they happen. */
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { decoded, MOST_BYTES } from '../../machine/content-encoding.js'

/** @import { Answer, SlicedErrors } from '../shapes.js' */

const order = JSON.parse(process.env.HOPBENCH_ASKER ?? '{}')
const url = new URL(order.url)
const { Agent, request: send } = url.protocol === 'https:' ? https : http
const sent = order.hasBody ? readFileSync(0) : null
const varies = order.ignoreBody ? new RegExp(order.ignoreBody, 'g') : null
// Only the certificate made for the arm is trusted: an answer from anybody else is none.
const agent = new Agent({ keepAlive: true, maxSockets: 4, ...order.caFile ? { ca: readFileSync(order.caFile) } : {} })
/** @type {string[]} */
const paths = order.paths ?? [order.path]
/** @type {Record<string, string>} */
const sha256ByPath = order.expected?.byPathFile ? JSON.parse(readFileSync(order.expected.byPathFile, 'utf8')) : {}
/** An answer without an end would fill the memory. @type {number} */
const mostBytes = order.mostBytes ?? MOST_BYTES
let turn = 0
let lastBody = Buffer.alloc(0)
/** Bytes that a connection had brought when its last answer was complete. */
const readBefore = new WeakMap()
/** @type {number[]} */
const wireBytes = []

if (order.everySeconds) {
  let asked = 0
  process.on('SIGTERM', () => process.stdout.write(String(asked), () => process.exit(0)))
  while (true) {
    asked++
    const answer = await ask().catch(() => null)
    const sha256 = answer && order.expected && (sha256ByPath[answer.path ?? ''] ?? order.expected.sha256)
    const wrong = sha256 && answer.status === order.expected.status && answer.sha256 !== sha256 &&
      answer.plainSha256 !== sha256
    if (wrong) note({ mismatches: 1 })
    else if (answer && order.tellStatuses && answer.status !== order.expected.status) note({ non2xx: 1 })
    await sleep(order.everySeconds * 1000)
  }
} else {
  const answers = []
  const failures = []
  for (let asked = 0; asked < order.times; asked += 4) {
    const round = await Promise.allSettled(Array.from({ length: Math.min(4, order.times - asked) }, ask))
    for (const result of round) {
      if (result.status === 'fulfilled') answers.push(result.value)
      else failures.push(String(result.reason.message))
    }
    if (failures.length > order.times / 4) break
  }
  process.stdout.write(
    JSON.stringify({
      answers: grouped(answers),
      failures,
      body: order.keepBody ? lastBody.toString('base64') : null,
      bytesPerResponse: middle(wireBytes)
    }),
    () => process.exit(0)
  )
}

/** @param {Partial<SlicedErrors>} errors */
function note (errors) {
  appendFileSync(order.errorLog, JSON.stringify({ mismatches: 0, timeouts: 0, resets: 0, ...errors }) + '\n')
}

/** @returns {Promise<Answer>} */
function ask () {
  const path = paths[turn++ % paths.length]
  return new Promise((resolve, reject) => {
    const request = send({
      agent,
      method: order.method,
      host: url.hostname,
      port: url.port,
      path,
      socketPath: order.socketPath ?? undefined,
      headers: { ...sent && { 'Content-Length': sent.length }, ...order.headers },
      timeout: 10_000
    }, response => {
      const socket = response.socket
      /** @type {Buffer[]} */
      const chunks = []
      let left = mostBytes
      response.on('data', chunk => {
        left -= chunk.length
        if (left < 0) response.destroy(new Error(`an answer of more than ${mostBytes} bytes`))
        else chunks.push(chunk)
      })
      response.on('error', reject)
      response.on('end', () => {
        const body = Buffer.concat(chunks)
        lastBody = body
        wireBytes.push(socket.bytesRead - (readBefore.get(socket) ?? 0))
        readBefore.set(socket, socket.bytesRead)
        const header = (/** @type {string} */ name) =>
          /** @type {string | undefined} */ (response.headers[name]) ?? null
        const plain = decoded(body, header('content-encoding'))
        resolve({
          path,
          status: response.statusCode ?? 0,
          sha256: hashOf(masked(body)),
          bytes: masked(body).length,
          ...varies && { wholeBytes: body.length },
          plainSha256: plain && hashOf(plain),
          contentType: header('content-type'),
          contentLength: header('content-length'),
          contentEncoding: header('content-encoding'),
          ...(response.statusCode ?? 0) >= 300 && { location: header('location') },
          // nginx as configured here, and Apache: "HIT from localhost".
          cache: header('x-cache-status') ?? header('x-cache')?.split(' ')[0] ?? null
        })
      })
    })
    request.end(sent ?? undefined)
    request.on('timeout', () => request.destroy(new Error('no answer within 10 s')))
    request.on('error', reject)
    // Such as one that changes the protocol, which is neither an answer nor an error.
    request.on('close', () => reject(new Error('the connection ended without an answer')))
  })
}

/** Without what varies by nature. Byte by byte: a pattern is about text, and what is no text is left as it is.
 * @param {Buffer} body */
function masked (body) {
  return varies ? Buffer.from(body.toString('latin1').replace(varies, ''), 'latin1') : body
}

/** @param {Buffer} body */
function hashOf (body) {
  return createHash('sha256').update(body).digest('hex')
}

/** The commonest size of an answer, headers counted: the first of a cache may differ from the rest.
 * @param {number[]} sizes */
function middle (sizes) {
  return sizes.sort((a, b) => a - b)[Math.floor(sizes.length / 2)] ?? null
}

/** The different answers there were, the most frequent first. @param {Answer[]} answers */
function grouped (answers) {
  /** @type {Map<string, { answer: Answer, times: number }>} */
  const groups = new Map()
  for (const answer of answers) {
    const key = JSON.stringify(answer)
    const group = groups.get(key) ?? { answer, times: 0 }
    group.times++
    groups.set(key, group)
  }
  return [...groups.values()].sort((a, b) => b.times - a.times)
}
