/** Child that asks one target and compares every answer with what it should be: before the load as the gate (`times`),
 * and beside engines that do not look at bodies (`everySeconds`). HOPBENCH_ASKER holds the order; the gate's findings
 * are printed as JSON, the sampler's mismatches go to `errorLog` as they happen. */
import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { decoded, MOST_BYTES } from '../../machine/content-encoding.js'
import { getterOf } from './getter.js'

/** @import { Answer, SlicedErrors } from '../shapes.js' */

const order = JSON.parse(process.env.HOPBENCH_ASKER ?? '{}')
/** How many answers are waited for at once. */
const AT_ONCE = 4
const sent = order.hasBody ? readFileSync(0) : null
const varies = order.ignoreBody ? new RegExp(order.ignoreBody, 'g') : null
const get = getterOf({ ...order, sent }, { mostBytes: order.mostBytes ?? MOST_BYTES, connections: AT_ONCE })
/** @type {string[]} */
const paths = order.paths ?? [order.path]
/** @type {Record<string, string>} */
const sha256ByPath = order.expected?.byPathFile ? JSON.parse(readFileSync(order.expected.byPathFile, 'utf8')) : {}
let turn = 0
/** @type {Buffer} */
let lastBody = Buffer.alloc(0)
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
  for (let asked = 0; asked < order.times; asked += AT_ONCE) {
    const round = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, order.times - asked) }, ask))
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
async function ask () {
  const path = paths[turn++ % paths.length]
  const { status, headers, body, wire } = await get(path)
  lastBody = body
  wireBytes.push(wire)
  const header = (/** @type {string} */ name) => /** @type {string | undefined} */ (headers[name]) ?? null
  const plain = decoded(body, header('content-encoding'))
  return {
    path,
    status,
    sha256: hashOf(masked(body)),
    bytes: masked(body).length,
    ...varies && { wholeBytes: body.length },
    plainSha256: plain && hashOf(plain),
    contentType: header('content-type'),
    contentLength: header('content-length'),
    contentEncoding: header('content-encoding'),
    ...status >= 300 && { location: header('location') },
    // nginx as configured here, and Apache: "HIT from localhost".
    cache: header('x-cache-status') ?? header('x-cache')?.split(' ')[0] ?? null
  }
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
