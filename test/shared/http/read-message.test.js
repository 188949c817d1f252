import t from '../../support/tap.js'
import { readMessage } from '../../../bench/shared/http/read-message.js'

/**
 * @param {string} text
 * @param {{ method?: string, closed?: boolean }} [request]
 */
const read = (text, { method = 'GET', closed = false } = {}) =>
  readMessage(Buffer.from(text, 'latin1'), { method, closed })

t.test('returns null until the head of the message is complete', async t => {
  t.equal(read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n'), null)
})

t.test('ends the body by Content-Length and returns further bytes as surplus', async t => {
  const message = read('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokMORE')
  t.match(message, { status: 200, complete: true })
  t.equal(String(message?.body), 'ok')
  t.equal(String(message?.surplus), 'MORE')
  t.equal(read('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok', { closed: true })?.complete, false,
    'the connection broke')
})

t.test('ends a body without a length with the connection', async t => {
  t.equal(read('HTTP/1.1 200 OK\r\n\r\nok')?.complete, false)
  t.equal(read('HTTP/1.1 200 OK\r\n\r\nok', { closed: true })?.complete, true)
})

t.test('joins chunks and detects a missing last one', async t => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const message = read(`${head}3\r\nabc\r\n2;ext=1\r\nde\r\n0\r\n\r\n`)
  t.equal(String(message?.body), 'abcde')
  t.ok(message?.complete)
  t.equal(String(message?.surplus), '')
  t.match(read(`${head}3\r\nabc\r\n`, { closed: true }), { complete: false })
})

t.test('returns bytes after a response to HEAD, or after a 304, as surplus', async t => {
  t.equal(String(read('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody', { method: 'HEAD' })?.surplus), 'body')
  t.equal(String(read('HTTP/1.1 304 Not Modified\r\n\r\nbody')?.surplus), 'body')
})

t.test('lowercases header names, joins repeated headers and skips 100 Continue', async t => {
  const message = read(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nVary: a\r\nVARY: b\r\nContent-Length: 0\r\n\r\n'
  )
  t.match(message, { status: 200, headers: { vary: 'a, b' } })
})
