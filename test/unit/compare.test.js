import t from 'tap'
import { comparesBodies } from '../../bench/load/generators/body-check.js'

/**
 * A client as autocannon makes one, which gets answers in pieces.
 * @param {Buffer | null} expected
 */
function client (expected) {
  let text = ''
  const client = {
    opts: /** @type {{ verifyBody?: () => boolean }} */ ({}),
    pipelinedRequests: {
      addBody: (/** @type {Buffer} */ chunk) => {
        text += chunk
      },
      setHeaders: (/** @type {object} */ _headers) => {}
    }
  }
  comparesBodies(expected)(client)
  return {
    /** @param {(Buffer | string)[]} pieces */
    gets (...pieces) {
      client.pipelinedRequests.setHeaders({})
      for (const piece of pieces) client.pipelinedRequests.addBody(Buffer.from(piece))
      return client.opts.verifyBody?.()
    },
    breaksOffAfter (/** @type {string} */ piece) {
      client.pipelinedRequests.setHeaders({})
      client.pipelinedRequests.addBody(Buffer.from(piece))
    },
    kept: () => text
  }
}

t.test('a body is itself, in one piece or many', async t => {
  const { gets } = client(Buffer.from('hello world'))
  t.equal(gets('hello world'), true)
  t.equal(gets('hello', ' ', 'world'), true)
  t.equal(gets(...'hello world'), true)
})

t.test('one that differs in a byte, is too short or too long is not', async t => {
  const { gets } = client(Buffer.from('hello world'))
  for (const pieces of [['hello_world'], ['hello', '_world'], ['hello worl'], ['hello world', '!'], ['hello world!'],
    []]) {
    t.equal(gets(...pieces), false, pieces.join('|') || '(empty)')
  }
  t.equal(gets('hello world'), true, 'and the next one is looked at anew')
})

t.test('bytes that are no text are compared as bytes', async t => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x00, 0x80])
  const { gets } = client(png)
  t.equal(gets(png), true)
  const other = Buffer.from(png)
  other[4] = 0xfd
  // Both are the same replacement character once they are text.
  t.equal(gets(other), false)
})

t.test('a character that lies across two pieces is not broken by it', async t => {
  const page = Buffer.from('日本語のページ')
  const { gets } = client(page)
  for (let i = 1; i < page.length; i++) t.equal(gets(page.subarray(0, i), page.subarray(i)), true)
})

t.test('a connection that breaks in the middle of a body spoils only that one', async t => {
  const { gets, breaksOffAfter } = client(Buffer.from('hello world'))
  breaksOffAfter('hello')
  t.equal(gets('hello world'), true)
})

t.test('an empty body is a body too', async t => {
  t.equal(client(Buffer.alloc(0)).gets(), true)
  t.equal(client(Buffer.alloc(0)).gets('x'), false)
})

t.test('where there is nothing to compare with, nothing is kept', async t => {
  const { gets, kept } = client(null)
  t.equal(gets('hello'), undefined)
  t.equal(kept(), '')
})
