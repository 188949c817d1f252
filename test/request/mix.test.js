import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { mixForApp, mixOfFile, mixOfFolder, sequenceOf } from '../../bench/request/user-paths.js'

t.test('a path with a space or another special character is requested encoded', async t => {
  const root = t.testdir({ list: '/a b.png\n/ä.png\n/c%20d.png\n' })
  t.strictSame([...mixForApp(join(root, 'list')).mix.keys()], ['/a%20b.png', '/%C3%A4.png', '/c%20d.png'])
})

t.test('lists every file of a folder once, without dotfiles', async t => {
  const root = t.testdir({ 'index.html': 'x', css: { 'a b.css': 'y' }, '.env': 'secret', '.git': { config: '' } })
  t.strictSame([...mixOfFolder(root).mix].sort(), [['/css/a%20b.css', 1], ['/index.html', 1]])
})

t.test('leaves out files of a folder that no browser requests, and names them with their share', async t => {
  const root = t.testdir({ 'a.css': 'a', 'a.css.gz': '', 'a.css.br': '', 'b.tar.gz': '', 'what?.txt': '' })
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from('\xe4.png', 'latin1')]), '')
  writeFileSync(join(root, 'film.mp4'), '')
  truncateSync(join(root, 'film.mp4'), 100 * 2 ** 20)
  const { mix, notes } = mixOfFolder(root)
  t.strictSame([...mix.keys()], ['/a.css', '/b.tar.gz'])
  t.strictSame(notes, [
    '2 files (28.6 %) that a server sends in place of another one, as /a.css.br',
    '1 file (14.3 %) of more than 10 MiB, as /film.mp4',
    '2 files (28.6 %) with a name that some servers do not find, as what?.txt'
  ])
})

t.test('requests the index.html of a folder that a log names', async t => {
  const root = t.testdir({ list: '/\n/docs/\n/img/\n/docs\n', 'index.html': '', docs: { 'index.html': '' }, img: {} })
  t.strictSame([...mixOfFile(join(root, 'list'), root).mix.keys()], ['/', '/docs/'])
})

t.test('reads weighted paths from a list or an access log, without queries and failed requests', async t => {
  const log = [
    '1.2.3.4 - - [01/Jan/2026:00:00:00 +0000] "GET /app.js?v=3 HTTP/1.1" 200 123 "-" "x"',
    '1.2.3.4 - - [01/Jan/2026:00:00:00 +0000] "GET /app.js HTTP/2.0" 200 123',
    '1.2.3.4 - - [01/Jan/2026:00:00:00 +0000] "GET /gone HTTP/1.1" 404 12',
    '1.2.3.4 - - [01/Jan/2026:00:00:00 +0000] "POST /form HTTP/1.1" 200 12'
  ].join('\n')
  const list = '/a\n/b?x=1\n/a\n\nnot a path\n'
  const root = t.testdir({ list, log, a: '', b: '', 'app.js': '', gone: '', form: '' })
  t.strictSame([...mixOfFile(join(root, 'list'), root).mix], [['/a', 2], ['/b', 1]])
  t.strictSame([...mixOfFile(join(root, 'log'), root).mix], [['/app.js', 2]])
})

t.test('excludes and counts paths without a file below the root', async t => {
  const root = t.testdir({ 'a.txt': 'a', list: '/a.txt\n/b.txt\n/../etc/passwd\n' })
  const { mix, notes } = mixOfFile(join(root, 'list'), root)
  t.strictSame([...mix.keys()], ['/a.txt'])
  t.strictSame(notes, [`2 requests (66.7 %) without a file below ${root}`])
  writeFileSync(join(root, 'none'), '/x\n')
  t.throws(() => mixOfFile(join(root, 'none'), root), { code: 'paths-empty', message: /^None of the 1 paths in / })
  writeFileSync(join(root, 'none'), 'no path\n')
  t.throws(() => mixOfFile(join(root, 'none'), root), {
    code: 'paths-empty',
    message: /^There is no path in .*none; left out: 1 line \(100 %\) that no format fits\.$/
  })
  t.throws(() => mixOfFile(join(root, 'nope'), root), { code: 'paths-unreadable' })
})

t.test('a sequence keeps the weights and depends only on the seed', async t => {
  const mix = new Map([['/often', 900], ['/seldom', 100]])
  const sequence = sequenceOf(mix, 7)
  t.equal(sequence.length, 300)
  const seldom = sequence.filter(path => path === '/seldom').length
  t.ok(Math.abs(seldom - 30) <= 1, `a tenth of the requests, and ${seldom} are`)
  t.strictSame(sequenceOf(mix, 7), sequence)
  t.notSame(sequenceOf(mix, 8), sequence)
  t.strictSame(sequenceOf(new Map([['/a', 1], ['/b', 1]]), 1).sort(), ['/a', '/b'],
    'includes every file of a small folder')
})
