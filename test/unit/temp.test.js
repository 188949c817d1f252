import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import t from 'tap'
import { run } from '../../bench/process.js'
import { makeTempDir, makeTempRoot, memoryDir } from '../../bench/temp.js'

/** A short TMPDIR of the test's own. @param {import('tap').Test} t */
function ownTmp (t) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'hb-')))
  const before = process.env.TMPDIR
  process.env.TMPDIR = dir
  t.teardown(() => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    rmSync(dir, { recursive: true, force: true })
  })
  return dir
}

/** A folder that an earlier start has left. @param {string} tmp @param {string} name @param {string} [owner] */
function left (tmp, name, owner) {
  const dir = join(tmp, `hopbench-${name}`)
  mkdirSync(dir)
  if (owner !== undefined) writeFileSync(join(dir, 'owner'), owner)
  return dir
}

t.test('a root is made, says whose it is, and is removed', async t => {
  const tmp = ownTmp(t)
  const root = makeTempRoot()
  t.ok(root.path.startsWith(join(tmp, 'hopbench-')))
  t.match(readFileSync(join(root.path, 'owner'), 'utf8'), new RegExp(`^${process.pid} `))
  t.equal(existsSync(join(makeTempDir(root.path, '3'), 'control')), true)
  root.remove()
  t.equal(existsSync(root.path), false)
})

t.test('what a killed start has left goes with the next one, and nothing else', { skip: process.platform === 'linux' ? false : 'owners are told apart by /proc' }, async t => {
  const tmp = ownTmp(t)
  const here = readlinkSync('/proc/self/ns/pid')
  const { stdout: dead } = await run(['sh', '-c', 'echo $$'])
  const orphan = left(tmp, 'orphan', `${dead} 12345 ${here}`)
  const reused = left(tmp, 'reused', `${process.pid} 1 ${here}`)
  const kept = [
    left(tmp, 'elsewhere', `${dead} 12345 pid:[1]`),
    left(tmp, 'nobodys'),
    makeTempRoot().path
  ]
  const root = makeTempRoot()
  t.equal(existsSync(orphan), false, 'its owner is gone')
  t.equal(existsSync(reused), false, 'the number has been given to another process')
  for (const dir of kept) t.equal(existsSync(dir), true, dir)
  root.remove()
})

t.test('inside, the folder is the one that the outer process has made', async t => {
  process.env.HOPBENCH_TEMP = '/given'
  t.teardown(() => { delete process.env.HOPBENCH_TEMP })
  const root = makeTempRoot()
  t.equal(root.path, '/given')
  t.doesNotThrow(() => root.remove())
})

t.test('a path too long for a Unix socket is refused and not left behind', async t => {
  const tmp = ownTmp(t)
  const long = join(tmp, 'n'.repeat(90))
  mkdirSync(long)
  process.env.TMPDIR = long
  t.throws(() => makeTempRoot(), { code: 'socket-path-too-long' })
  t.strictSame((await run(['ls', long])).stdout, '')
})

t.test('a folder that is not there is told', async t => {
  const tmp = ownTmp(t)
  process.env.TMPDIR = join(tmp, 'none')
  t.throws(() => makeTempRoot(), { code: 'temp-not-writable', message: /none: / })
})

t.test('what lies on tmpfs belongs to a root and goes with it', async t => {
  ownTmp(t)
  const root = makeTempRoot()
  const memory = memoryDir(makeTempDir(root.path, '3'))
  if (memory === null) return t.pass('there is no tmpfs here, and nothing was made')
  t.match(memory, new RegExp(`^/dev/shm/${basename(root.path)}/3$`))
  t.equal(readFileSync(join(memory, '../owner'), 'utf8'), readFileSync(join(root.path, 'owner'), 'utf8'), 'so that the next start can tell whose it is')
  root.remove()
  t.equal(existsSync(join(memory, '..')), false)
  t.equal(memoryDir('/nowhere/3'), null, 'without a root that somebody owns there is none')
})

t.test('what a killed start has left on tmpfs goes with the next one', { skip: process.platform === 'linux' ? false : 'owners are told apart by /proc' }, async t => {
  ownTmp(t)
  const root = makeTempRoot()
  const memory = memoryDir(makeTempDir(root.path, '0'))
  if (memory === null) return t.pass('there is no tmpfs here')
  writeFileSync(join(memory, '../owner'), `${process.pid} 1 ${readlinkSync('/proc/self/ns/pid')}`)
  const next = makeTempRoot()
  t.equal(existsSync(memory), false)
  next.remove()
  root.remove()
})
