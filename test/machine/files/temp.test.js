import {
  chownSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import t from '../../support/tap.js'
import { run } from '../../../bench/machine/process.js'
import { letOthersPass, makeTempDir, makeTempRoot, memoryDir } from '../../../bench/machine/files/temp.js'
import { skipWithout } from '../../support/needs.js'
import { inEnvironment } from '../../support/provoke.js'
import { tempFolder } from '../../support/temp.js'

/** @import { Test } from 'tap' */

/**
 * Sets TMPDIR to a new folder with a short path.
 * @param {Test} t
 */
function ownTmp (t) {
  const dir = tempFolder(t)
  inEnvironment(t, { TMPDIR: dir })
  return dir
}

/**
 * Makes a folder as an earlier start leaves it.
 * @param {string} tmp
 * @param {string} name
 * @param {string} [owner]
 */
function left (tmp, name, owner) {
  const dir = join(tmp, `hopbench-${name}`)
  mkdirSync(dir)
  if (owner !== undefined) writeFileSync(join(dir, 'owner'), owner)
  return dir
}

t.test('makes a root with its owner and removes it', async t => {
  const tmp = ownTmp(t)
  const root = makeTempRoot()
  t.ok(root.path.startsWith(join(tmp, 'hopbench-')))
  t.match(readFileSync(join(root.path, 'owner'), 'utf8'), new RegExp(`^${process.pid} `))
  t.equal(existsSync(join(makeTempDir(root.path, '3'), 'control')), true)
  root.remove()
  t.equal(existsSync(root.path), false)
})

t.test('removes only folders whose owner was killed', {
  skip: process.platform === 'linux' ? false : 'owners are distinguished by /proc'
}, async t => {
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
  t.equal(existsSync(orphan), false, 'the owner has ended')
  t.equal(existsSync(reused), false, 'the PID belongs to another process')
  for (const dir of kept) t.equal(existsSync(dir), true, dir)
  root.remove()
})

t.test('the inner process uses the folder of the outer process', async t => {
  inEnvironment(t, { HOPBENCH_TEMP: '/given' })
  const root = makeTempRoot()
  t.equal(root.path, '/given')
  t.doesNotThrow(() => root.remove())
})

t.test('rejects a path that is too long for a Unix socket and leaves no folder', async t => {
  const tmp = ownTmp(t)
  const long = join(tmp, 'n'.repeat(90))
  mkdirSync(long)
  process.env.TMPDIR = long
  t.throws(() => makeTempRoot(), { code: 'socket-path-too-long' })
  t.strictSame((await run(['ls', long])).stdout, '')
})

t.test('makes folders on tmpfs that are removed with their root', { skip: skipWithout('tmpfs') }, async t => {
  ownTmp(t)
  const root = makeTempRoot()
  const memory = memoryDir(makeTempDir(root.path, '3'))
  if (memory === null) return t.fail('nothing was made')
  t.match(memory, /^\/dev\/shm\/hopbench-\w{6}\/m-\w{6}$/)
  t.not(basename(dirname(memory)), basename(root.path), 'the name is random')
  t.equal(dirname(memoryDir(makeTempDir(root.path, '4')) ?? ''), dirname(memory), 'one folder for each root')
  const start = makeTempDir(root.path, 's0')
  t.equal(dirname(memoryDir(makeTempDir(start, '0')) ?? ''), dirname(memory), 'the same folder for nested folders')
  for (const path of [memory, dirname(memory), root.path]) t.equal(statSync(path).mode & 0o777, 0o700, path)
  t.equal(readFileSync(join(memory, '../owner'), 'utf8'), readFileSync(join(root.path, 'owner'), 'utf8'),
    'has the same owner')
  root.remove()
  t.equal(existsSync(join(memory, '..')), false)
  t.equal(memoryDir('/nowhere/3'), null, 'no folder without a root')
})

t.test('lets other accounts enter a folder without listing its parents', async t => {
  ownTmp(t)
  const root = makeTempRoot()
  const dir = makeTempDir(makeTempDir(root.path, 's0'), '0')
  t.equal(statSync(root.path).mode & 0o777, 0o700)
  letOthersPass(dir)
  for (const folder of [root.path, dirname(dir), dir]) t.equal(statSync(folder).mode & 0o777, 0o711, folder)
  t.not(statSync(dirname(root.path)).mode & 0o777, 0o711, 'folders above the root are unchanged')
  root.remove()
})

t.test('removes a folder on tmpfs whose owner was killed', { skip: skipWithout('tmpfs') }, async t => {
  ownTmp(t)
  const root = makeTempRoot()
  const memory = memoryDir(makeTempDir(root.path, '0'))
  if (memory === null) return t.fail('nothing was made')
  writeFileSync(join(memory, '../owner'), `${process.pid} 1 ${readlinkSync('/proc/self/ns/pid')}`)
  const next = makeTempRoot()
  t.equal(existsSync(memory), false)
  next.remove()
  root.remove()
})

t.test('does not follow, open or remove planted links and FIFOs', async t => {
  const tmp = ownTmp(t)
  const here = readlinkSync('/proc/self/ns/pid')
  const victim = join(tmp, 'victim')
  mkdirSync(victim)
  writeFileSync(join(victim, 'owner'), `1 0 ${here}`)
  writeFileSync(join(tmp, 'precious'), `1 0 ${here}`)
  // A link to a folder whose owner has ended, an owner file that is a link, and one that is a FIFO.
  symlinkSync(victim, join(tmp, 'hopbench-linked'))
  symlinkSync(join(tmp, 'precious'), join(left(tmp, 'owner-linked'), 'owner'))
  t.equal((await run(['mkfifo', join(left(tmp, 'fifo'), 'owner')])).exit, 0)
  const script = `import(${JSON.stringify(new URL('../../../bench/machine/files/temp.js', import.meta.url).href)})
    .then(({ makeTempRoot }) => makeTempRoot().remove())`
  t.match(await run([process.execPath, '-e', script], { env: { TMPDIR: tmp }, timeoutSeconds: 10 }),
    { exit: 0, timedOut: false }, 'does not block on a FIFO')
  t.strictSame(readdirSync(tmp).sort(), ['hopbench-fifo', 'hopbench-linked', 'hopbench-owner-linked', 'precious',
    'victim'])
  t.ok(existsSync(join(victim, 'owner')))
  t.equal(readFileSync(join(tmp, 'precious'), 'utf8'), `1 0 ${here}`)
})

t.test('does not reuse a link as the folder of a topology', async t => {
  ownTmp(t)
  const root = makeTempRoot()
  t.teardown(() => root.remove())
  symlinkSync(tmpdir(), join(root.path, '5'))
  t.throws(() => makeTempDir(root.path, '5'), { code: 'EEXIST' })
  t.equal(makeTempDir(root.path, '6'), makeTempDir(root.path, '6'), 'reuses a folder of this process')
  t.equal(statSync(join(root.path, '6')).mode & 0o777 & ~0o711, 0)
  t.equal(statSync(join(root.path, '6/control')).mode & 0o777, 0o700)
})

t.test('never removes files of another account', {
  skip: process.getuid?.() === 0 ? false : 'only root can give files away'
}, async t => {
  const tmp = ownTmp(t)
  const here = readlinkSync('/proc/self/ns/pid')
  const [folder, file] = [left(tmp, 'theirs', `1 0 ${here}`), left(tmp, 'mixed', `1 0 ${here}`)]
  chownSync(folder, 65534, 65534)
  chownSync(join(file, 'owner'), 65534, 65534)
  makeTempRoot().remove()
  t.ok(existsSync(folder), 'a folder of another account')
  t.ok(existsSync(file), 'an owner that another account has written')
})
