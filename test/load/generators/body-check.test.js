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

const HELLO = Buffer.from('hello world')
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x00, 0x80])
/** Decoded as UTF-8, both bytes become the same replacement character. */
const OTHER_PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xfd, 0xfe, 0x00, 0x80])
const PAGE = Buffer.from('日本語のページ')

/** Expected body, received pieces, and whether they are the same. @type {[Buffer, (Buffer | string)[], boolean][]} */
const BODIES = [
  [HELLO, ['hello world'], true], [HELLO, ['hello', ' ', 'world'], true], [HELLO, [...'hello world'], true],
  [HELLO, ['hello_world'], false], [HELLO, ['hello', '_world'], false], [HELLO, ['hello worl'], false],
  [HELLO, ['hello world', '!'], false], [HELLO, ['hello world!'], false], [HELLO, [], false],
  [PNG, [PNG], true], [PNG, [OTHER_PNG], false],
  [Buffer.alloc(0), [], true], [Buffer.alloc(0), ['x'], false]
]
t.test('compares bodies byte by byte, in any pieces', async t => {
  for (const [body, pieces, isSame] of BODIES) {
    const { gets } = client(body)
    t.equal(gets(...pieces), isSame, pieces.join('|') || '(empty)')
    t.equal(gets(body), true, 'the next body is compared from its beginning')
  }
  const { gets } = client(PAGE)
  for (let i = 1; i < PAGE.length; i++) t.equal(gets(PAGE.subarray(0, i), PAGE.subarray(i)), true)
})

t.test('a connection that breaks within a body does not affect the next body', async t => {
  const { gets, breaksOffAfter } = client(Buffer.from('hello world'))
  breaksOffAfter('hello')
  t.equal(gets('hello world'), true)
})

t.test('keeps no body when there is nothing to compare with', async t => {
  const { gets, kept } = client(null)
  t.equal(gets('hello'), undefined)
  t.equal(kept(), '')
})
