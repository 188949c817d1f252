import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { checkRoot } from '../../bench/request/user-files.js'
import { tempFolder } from '../support/temp.js'

const dir = tempFolder(t)

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
  for (const [name, code] of [['nowhere', 'root-missing'], ['file', 'root-missing'], ['empty', 'root-empty']]) {
    t.throws(() => checkRoot(join(dir, name)), { code, exit: 2 }, name)
  }
})
