import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { planFrom } from '../../bench/request/request.js'
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

t.test('a folder of large files has no mix of its own, and serves a file that is named', async t => {
  const root = join(dir, 'large')
  mkdirSync(root)
  writeFileSync(join(root, 'film.mp4'), '')
  truncateSync(join(root, 'film.mp4'), 11 * 2 ** 20)
  const plan = (/** @type {object} */ named) => planFrom(['nginx/files'], { lab: false, root, ...named })
  await t.rejects(plan({}), { code: 'root-empty' })
  t.equal((await plan({ path: '/film.mp4' })).plan.arms[0].load.path, '/film.mp4')
  writeFileSync(join(dir, 'list.txt'), '/film.mp4\n')
  t.equal((await plan({ paths: join(dir, 'list.txt') })).plan.root, root)
  await t.rejects(plan({ path: '/film.mp4', root: join(dir, 'nowhere') }), { code: 'root-missing' })
})
