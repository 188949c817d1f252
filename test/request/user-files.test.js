import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { checkRoot } from '../../bench/request/user-files.js'
import { tempFolder } from '../support/temp.js'

const dir = tempFolder(t)

/** @param {string} root */
const codeOf = root => {
  try {
    checkRoot(root)
    return null
  } catch (error) {
    return /** @type {any} */ (error).code
  }
}

t.test('lists files as URL paths, without hidden files and links', async t => {
  const root = join(dir, 'full')
  mkdirSync(join(root, 'a b'), { recursive: true })
  writeFileSync(join(root, 'a b', 'ü.txt'), '12345')
  writeFileSync(join(root, '.env'), 'SECRET')
  writeFileSync(join(root, 'index.html'), '')
  symlinkSync('/etc/passwd', join(root, 'link'))
  t.same(checkRoot(root), [{ path: '/a%20b/%C3%BC.txt', bytes: 5 }, { path: '/index.html', bytes: 0 }])
})

t.test('rejects a missing folder, a file and a folder without visible files', async t => {
  mkdirSync(join(dir, 'empty', '.git'), { recursive: true })
  writeFileSync(join(dir, 'file'), '')
  t.equal(codeOf(join(dir, 'nowhere')), 'root-missing')
  t.equal(codeOf(join(dir, 'file')), 'root-missing')
  t.equal(codeOf(join(dir, 'empty')), 'root-empty')
})

t.test('rejects a folder without read permission', {
  skip: process.getuid?.() === 0 && 'root reads everything'
}, async t => {
  const root = join(dir, 'closed')
  mkdirSync(root)
  chmodSync(root, 0)
  t.teardown(() => chmodSync(root, 0o700))
  t.equal(codeOf(root), 'root-unreadable')
})
