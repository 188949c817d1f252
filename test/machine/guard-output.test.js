/** Tests that control characters leave hopbench by none of its streams. */
import t from '../support/tap.js'
import { guardOutput, toOutput } from '../../bench/machine/guard-output.js'
import { ProgressText } from '../../bench/report/progress.js'
import { toStyle } from '../../bench/report/wrap.js'

const HOSTILE = 'a\u001b[8mb\u001b]0;c\u0007d\u009b31me\u202ef\u2066g\u2028h\u061ci\u007fj\0k\rl'
const VISIBLE = 'a[8mb]0;cd31mefghijkl'

/** Makes a guarded stream that keeps what is written. @param {boolean} isTTY */
function makeStream (isTTY) {
  /** @type {string[]} */
  const written = []
  const stream = /** @type {any} */ ({
    isTTY,
    columns: 80,
    write (/** @type {string} */ text) {
      written.push(text)
      return true
    }
  })
  guardOutput(stream)
  return { stream, written }
}

t.test('removes control characters and keeps tabs and line breaks', t => {
  for (const isTerminal of [true, false]) t.equal(toOutput(`${HOSTILE}\tm\r\nn\n`, isTerminal), `${VISIBLE}\tm\r\nn\n`)
  t.end()
})

t.test('a text clears no line that it has begun', t => {
  t.equal(toOutput('\r\u001b[2Ka\r\u001b[2Kb\n\r\u001b[2Kc', true), '\r\u001b[2Ka[2Kb\n[2Kc')
  t.end()
})

t.test('keeps the colours of hopbench in a terminal only', t => {
  const { bold, dim, yellow } = toStyle(80, true).colors
  const text = [bold, dim, yellow].map(color => color('a')).join('')
  t.not(text, 'aaa')
  t.equal(toOutput(text, true), text)
  t.equal(toOutput(text), '[1ma[22m[2ma[22m[33ma[39m')
  t.end()
})

t.test('a guarded stream writes no control character, also in bytes', t => {
  const { stream, written } = makeStream(false)
  stream.write(HOSTILE)
  const bytes = Buffer.from('é\u009b31m€')
  for (const byte of bytes) stream.write(Uint8Array.of(byte))
  t.equal(written.join(''), `${VISIBLE}é31m€`)
  t.end()
})

t.test('progress reaches a guarded terminal with the sequence that clears its line', t => {
  const { stream, written } = makeStream(true)
  const progress = new ProgressText(stream)
  progress.stage('one')
  progress.note('two')
  t.strictSame(written, ['\r\u001b[2Kone', '\r\u001b[2Ktwo\none'])
  t.end()
})
