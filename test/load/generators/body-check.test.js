import t from '../../support/tap.js'
import { comparesBodies } from '../../../bench/load/generators/body-check.js'

/**
 * Returns a stand-in for a client of autocannon that receives bodies in pieces.
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
      setHeaders: (/** @type {object} */ _headers) => {},
      size: () => 1
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

t.test('accepts the expected body in one or more pieces', async t => {
  const { gets } = client(Buffer.from('hello world'))
  t.equal(gets('hello world'), true)
  t.equal(gets('hello', ' ', 'world'), true)
  t.equal(gets(...'hello world'), true)
})

t.test('rejects a body that differs in a byte, is too short or too long', async t => {
  const { gets } = client(Buffer.from('hello world'))
  for (const pieces of [['hello_world'], ['hello', '_world'], ['hello worl'], ['hello world', '!'], ['hello world!'],
    []]) {
    t.equal(gets(...pieces), false, pieces.join('|') || '(empty)')
  }
  t.equal(gets('hello world'), true, 'the next body is compared from its beginning')
})

t.test('compares binary bodies byte by byte', async t => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x00, 0x80])
  const { gets } = client(png)
  t.equal(gets(png), true)
  const other = Buffer.from(png)
  other[4] = 0xfd
  // Decoded as UTF-8, both bytes become the same replacement character.
  t.equal(gets(other), false)
})

t.test('accepts a multi-byte character that is split over two pieces', async t => {
  const page = Buffer.from('日本語のページ')
  const { gets } = client(page)
  for (let i = 1; i < page.length; i++) t.equal(gets(page.subarray(0, i), page.subarray(i)), true)
})

t.test('a connection that breaks within a body does not affect the next body', async t => {
  const { gets, breaksOffAfter } = client(Buffer.from('hello world'))
  breaksOffAfter('hello')
  t.equal(gets('hello world'), true)
})

t.test('compares an empty body', async t => {
  t.equal(client(Buffer.alloc(0)).gets(), true)
  t.equal(client(Buffer.alloc(0)).gets('x'), false)
})

t.test('keeps no body when there is nothing to compare with', async t => {
  const { gets, kept } = client(null)
  t.equal(gets('hello'), undefined)
  t.equal(kept(), '')
})
