/** Files from outside: what is read, and what is rejected without waiting. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { readChunks, readPlainFile, withPlainFile } from '../../../bench/machine/files/plain-files.js'

/** Reads a file, or returns the reason or the code for which it is rejected. */
const read = (/** @type {[file: string, limits: import('../../../bench/machine/files/plain-files.js').FileLimits]} */
  ...words) => {
  try {
    return readPlainFile(...words).toString()
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    return code ?? message
  }
}

t.test('reads a file up to the limit, and rejects the next byte', async t => {
  const file = join(t.testdir({ file: 'abc' }), 'file')
  t.equal(read(file, { maxBytes: 3 }), 'abc')
  t.equal(read(file, { maxBytes: 2 }), 'it is larger than 2 bytes')
  truncateSync(file, 2 ** 40)
  t.equal(read(file, { maxBytes: 2 ** 20 }), 'it is larger than 1 MiB')
})

t.test('limits a file of /proc, whose size is 0', {
  skip: process.platform === 'linux' ? false : 'there is no /proc'
}, async t => {
  t.equal(read('/proc/self/status', { maxBytes: 10 }), 'it is larger than 10 bytes')
  t.match(read('/proc/self/status', { maxBytes: 2 ** 20 }), /^Name:/)
})

t.test('rejects everything but plain files', async t => {
  const dir = t.testdir({ file: 'abc' })
  const at = (/** @type {string} */ name) => join(dir, name)
  execFileSync('mkfifo', [at('fifo')])
  mkdirSync(at('folder'))
  symlinkSync(at('file'), at('link'))
  symlinkSync('/dev/zero', at('zero'))
  const limits = { maxBytes: 10 }
  const typed = { ...limits, followsLinks: true }
  t.strictSame(['fifo', 'folder', 'link', 'zero', 'none'].map(name => read(at(name), limits)),
    ['it is not a plain file', 'it is not a plain file', 'ELOOP', 'ELOOP', 'ENOENT'])
  t.strictSame(['fifo', 'folder', 'link', 'zero', 'none'].map(name => read(at(name), typed)),
    ['it is not a plain file', 'it is not a plain file', 'abc', 'it is not a plain file', 'ENOENT'])
})

t.test('rejects a plain file with a fault', async t => {
  const file = join(t.testdir({ file: 'abc' }), 'file')
  t.equal(read(file, { maxBytes: 3, findFault: ({ size }) => `it has ${size} bytes` }), 'it has 3 bytes')
})

t.test('reads in chunks, up to a limit', async t => {
  const file = join(t.testdir({}), 'file')
  const bytes = Buffer.alloc(2.5 * 2 ** 20, 'abc')
  writeFileSync(file, bytes)
  const readAll = (/** @type {number} */ maxBytes) =>
    withPlainFile(file, { maxBytes: Infinity }, fd => [...readChunks(fd, maxBytes)])
  t.strictSame(readAll(Infinity).map(({ length }) => length), [2 ** 20, 2 ** 20, 2 ** 19])
  t.ok(Buffer.concat(readAll(Infinity)).equals(bytes))
  t.strictSame(readAll(5).map(String), ['abcab'])
})
