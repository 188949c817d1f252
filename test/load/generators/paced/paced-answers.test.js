import t from '../../../support/tap.js'
import { AnswerReader } from '../../../../bench/load/generators/paced/connection-pool.js'

const BODY = Buffer.from('the body\r\n\r\nof it')
const LENGTH = `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n' + `5\r\n${BODY.subarray(0, 5)}\r\n` +
  `${(BODY.length - 5).toString(16).toUpperCase()};x=1\r\n${BODY.subarray(5)}\r\n0\r\nTrailer: 1\r\n\r\n`

/**
 * Reads a text in steps of some bytes.
 * @param {string} text
 * @param {{ step?: number, expected?: Buffer | null }} [options] step: bytes per step
 */
function read (text, { step = Infinity, expected = BODY } = {}) {
  const reader = new AnswerReader(expected)
  const bytes = Buffer.from(text)
  const answers = []
  for (let at = 0; at < bytes.length; at += step) answers.push(reader.read(bytes.subarray(at, at + step)))
  return { reader, answers: answers.filter(answer => answer !== null), last: answers.at(-1) }
}

for (const [kind, text] of Object.entries({ 'a length': LENGTH, chunks: CHUNKED })) {
  t.test(`reads a response with ${kind} in pieces of any size`, async t => {
    for (const step of [1, 2, 3, 7, 40, Infinity]) {
      const { answers, last } = read(text, { step })
      t.equal(answers.length, 1, `once, in steps of ${step}`)
      t.match(last, { status: 200, same: true, bytes: text.length, last: false })
    }
  })
}

t.test('reads consecutive responses on one connection', async t => {
  const reader = new AnswerReader(BODY)
  for (const text of [LENGTH, CHUNKED, LENGTH]) {
    t.match(reader.read(Buffer.from(text)), { status: 200, same: true, bytes: text.length })
  }
})

t.test('detects a body that differs in a byte, is too short or too long', async t => {
  t.equal(read(LENGTH.replace('the', 'thE')).last?.same, false)
  t.equal(read(`HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n${BODY.subarray(0, 3)}`).last?.same, false)
  t.equal(read(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY.length + 1}\r\n\r\n${BODY}!`).last?.same, false)
  t.equal(read(CHUNKED.replace('the', 'thE'), { step: 1 }).last?.same, false)
  t.equal(read(LENGTH.replace('the', 'thE'), { expected: null }).last?.same, true,
    'accepts any body when none is expected')
})

t.test('ends a response without a length with the connection', async t => {
  const { reader, last } = read(`HTTP/1.1 200 OK\r\n\r\n${BODY}`)
  t.equal(last, null)
  t.match(reader.end(), { status: 200, same: true, last: true })
})

t.test('returns no response when the connection ends within it', async t => {
  for (const text of ['', 'HTTP/1.1 200', LENGTH.slice(0, -1), CHUNKED.slice(0, -1)]) {
    t.equal(read(text).reader.end(), null)
  }
})

t.test('detects from version and headers that the connection closes', async t => {
  const closes = (/** @type {string} */ head) =>
    read(`${head}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`).last?.last
  t.equal(closes('HTTP/1.1 200 OK\r\nConnection: close'), true)
  t.equal(closes('HTTP/1.0 200 OK'), true)
  t.equal(closes('HTTP/1.0 200 OK\r\nConnection: keep-alive'), false)
  t.equal(closes('HTTP/1.1 200 OK\r\nConnection: keep-alive'), false)
})

t.test('reads responses without a body and skips interim responses', async t => {
  for (const status of [204, 304]) {
    t.match(read(`HTTP/1.1 ${status} X\r\nContent-Length: 5\r\n\r\n`, { expected: null }).last, {
      status,
      same: true
    })
  }
  t.match(read(`HTTP/1.1 100 Continue\r\n\r\n${LENGTH}`).last, { status: 200, same: true })
})

t.test('rejects malformed responses', async t => {
  /** @type {[text: string, message: string][]} */
  const cases = [
    ['SSH-2.0-x\r\n\r\n', 'not a response: SSH-2.0-x'],
    ['HTTP/2 200\r\n\r\n', 'not a response: HTTP/2 200'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 'not the size of a chunk: zz'],
    [`${LENGTH}${LENGTH}`, 'more than one response to one request'],
    [`HTTP/1.1 200 ${'x'.repeat(70_000)}`, 'a head without an end']
  ]
  for (const [text, message] of cases) t.throws(() => read(text), { message })
})
