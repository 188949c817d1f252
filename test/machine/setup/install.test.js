import t from '../../support/tap.js'
import {
  chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, utimesSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { start, readLastLines, waitUntil } from '../../../bench/machine/process.js'
import {
  bringDependencies, findNpm, npmFolders, satisfies, whatIsMissing
} from '../../../bench/machine/setup/install.js'
import { withLock } from '../../../bench/machine/setup/lock.js'

/** @import { Test } from 'tap' */

// The tests wait most of their time, and run beside each other.
t.jobs = 4

const locked = {
  packages: {
    '': {},
    'node_modules/a': { version: '1.0.0', integrity: 'x' },
    'node_modules/b': { version: '2.0.0' },
    'node_modules/other-os': { version: '1.0.0', optional: true }
  }
}

/** Makes a project with the packages of its lock file installed, except for what `change` modifies. */
const project = (/** @type {Test} */ t, change = (/** @type {typeof locked.packages} */ installed) => {}) => {
  const installed = structuredClone(locked.packages)
  Reflect.deleteProperty(installed, 'node_modules/other-os')
  change(installed)
  return t.testdir({
    'package-lock.json': JSON.stringify(locked),
    node_modules: {
      '.package-lock.json': JSON.stringify({ packages: installed }),
      a: { 'package.json': '{}' },
      b: { 'package.json': '{}' }
    }
  })
}

/** Makes a program named npm that runs `script`, and returns an environment with its folder in PATH. */
const fakeNpm = (/** @type {string} */ dir, /** @type {string} */ script) => {
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'npm'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(bin, 'npm'), 0o755)
  return { PATH: `${bin}:/usr/bin:/bin`, HOME: dir }
}

t.test('compares versions of Node with a range', async t => {
  const range = '^20.19 || >=22.12'
  for (const version of ['v20.19.0', '20.20.2', '22.12.0', '23.0.0', '24.1.0']) t.ok(satisfies(version, range), version)
  for (const version of ['v18.20.4', '20.18.3', '21.7.0', '22.11.0', '']) t.notOk(satisfies(version, range), version)
})

t.test('finds what is missing, but not optional packages of other platforms', async t => {
  t.equal(whatIsMissing(project(t)), null)
  t.equal(whatIsMissing(t.testdir({})), null, 'without a lock file')
  /** @type {[string, RegExp][]} */
  const removals = [['node_modules', /no node_modules/], ['node_modules/.package-lock.json', /did not end/],
    ['node_modules/b', /^b is/]]
  for (const [path, what] of removals) {
    const dir = project(t)
    rmSync(join(dir, path), { recursive: true })
    t.match(whatIsMissing(dir), what, path)
  }
  /** @type {[(installed: typeof locked.packages) => void, RegExp][]} */
  const changes = [[installed => { installed['node_modules/a'].version = '0.9.0' }, /^a is/],
    [installed => { installed['node_modules/a'].integrity = 'y' }, /^a is/],
    [installed => {
      Reflect.deleteProperty(installed, 'node_modules/a')
      Reflect.deleteProperty(installed, 'node_modules/b')
    }, /^a and 1 more/]]
  for (const [change, what] of changes) t.match(whatIsMissing(project(t, change)), what, String(change))
})

t.test('does not run npm when nothing is missing', async t => {
  const dir = project(t)
  const env = fakeNpm(dir, 'touch called')
  await bringDependencies(dir, { env, printProgress: line => t.fail(line) })
  t.notOk(existsSync(join(dir, 'called')))
})

t.test('two concurrent starts install once', async t => {
  const dir = project(t)
  cpSync(join(dir, 'node_modules'), join(dir, 'complete'), { recursive: true })
  rmSync(join(dir, 'node_modules'), { recursive: true })
  const env = fakeNpm(dir, 'echo "$@" >> calls; sleep 0.3; cp -R complete node_modules')
  /** @type {string[]} */
  const messages = []
  const start = () => bringDependencies(dir, { env, printProgress: line => messages.push(line) })
  await Promise.all([start(), start()])
  const calls = readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n')
  t.equal(calls.length, 1)
  t.match(calls[0], /^ci --include=dev .*--ignore-scripts/)
  t.match(messages.join('\n'), /npm ci: there is no node_modules yet[^]*waiting/)
  t.notOk(existsSync(join(dir, '.tools/npm-ci.lock')))
})

t.test('reports an npm ci that exits with 0 and installs nothing', async t => {
  const dir = t.testdir({ 'package-lock.json': JSON.stringify(locked) })
  await t.rejects(bringDependencies(dir, { env: fakeNpm(dir, 'exit 0'), printProgress: () => {} }),
    { code: 'install-failed' })
})

t.test('uses the npm that started hopbench, but no other package manager', async t => {
  const dir = t.testdir({ 'npm-cli.js': '', 'yarn.js': '', npm: '' })
  t.same(findNpm({ npm_execpath: join(dir, 'npm-cli.js'), PATH: dir }), [process.execPath, join(dir, 'npm-cli.js')])
  t.same(findNpm({ npm_execpath: join(dir, 'yarn.js'), PATH: dir }), [join(dir, 'npm')])
  t.same(findNpm({ npm_execpath: join(dir, 'gone/npm-cli.js'), PATH: dir }), [join(dir, 'npm')])
})

t.test('npm uses its default cache, or one in the project when HOME is not writable', async t => {
  const dir = t.testdir({ file: '' })
  t.same(npmFolders('/project', { HOME: dir }), {})
  for (const env of [{ HOME: join(dir, 'file') }, { HOME: dir, npm_config_cache: join(dir, 'file/.npm') }]) {
    t.same(npmFolders('/project', env), {
      npm_config_cache: '/project/.tools/npm-cache',
      npm_config_logs_dir: '/project/.tools/npm-cache/_logs'
    })
  }
})

t.test('takes over a lock that is no longer touched, and waits for one that is touched, independent of its ' +
  'date', async t => {
  const [left, touched] = ['left', 'touched'].map(name => join(t.testdir({ left: '1', touched: '1' }), name))
  const touch = (/** @type {string} */ file, /** @type {number} */ secondsAgo) =>
    utimesSync(file, new Date(Date.now() - secondsAgo * 1000), new Date(Date.now() - secondsAgo * 1000))
  touch(left, 60)
  // Touches the lock with a date one hour ago, as after the clock was set forward.
  const touching = setInterval(() => touch(touched, 3600), 200)
  let held = true
  setTimeout(() => {
    held = false
    clearInterval(touching)
    rmSync(touched)
  }, 3600)
  const [took] = await Promise.all([withLock(left, async () => 'worked'),
    withLock(touched, async () => t.equal(held, false))])
  t.equal(took, 'worked')
})

/**
 * Starts a process that acquires a lock and keeps it.
 * @param {Test} t
 * @param {string} file
 */
async function holder (t, file) {
  const script = `import(${JSON.stringify(new URL('../../../bench/machine/setup/lock.js', import.meta.url).href)})
    .then(({ withLock }) => withLock(${JSON.stringify(file)}, async () => {
      console.log('held')
      await new Promise(resolve => setTimeout(resolve, 60_000))
    }))`
  const log = join(t.testdirName, 'holder.log')
  const child = start({ name: 'the holder', argv: [process.execPath, '-e', script], log })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  await waitUntil(child, () => readLastLines(log) === 'held')
  return child
}

t.test('a stopped holder keeps its lock and a killed holder loses it', async t => {
  const file = join(t.testdir({}), 'lock')
  const child = await holder(t, file)
  child.pause()
  utimesSync(file, new Date(Date.now() - 3600_000), new Date(Date.now() - 3600_000))
  await t.rejects(withLock(file, async () => t.fail('two holders at the same time'), { limitSeconds: 5 }), {
    code: 'still-installing',
    message: new RegExp(`process ${child.pid}\\) has been installing for 5 s`)
  })
  child.signal('SIGKILL')
  t.equal(await withLock(file, async () => 'mine'), 'mine')
})

t.test('a holder that lost its lock aborts, keeps the new lock of the other, and retries', async t => {
  const file = join(t.testdir({}), 'lock')
  let times = 0
  const done = await withLock(file, async ({ lost }) => {
    if (times++ > 0) return 'the second time'
    // Replaces the lock as another machine does that takes this holder for dead.
    rmSync(file)
    writeFileSync(file, '{}')
    await new Promise(resolve => lost.addEventListener('abort', resolve))
    setTimeout(() => {
      t.equal(readFileSync(file, 'utf8'), '{}', 'the lock still belongs to the other')
      rmSync(file)
    }, 1000)
    throw new Error('cut off')
  })
  t.equal(done, 'the second time')
  t.notOk(existsSync(file))
})

t.test('an npm that continues after its parent ended keeps the lock', async t => {
  const file = join(t.testdir({ lock: '' }), 'lock')
  const npm = start({ name: 'npm', argv: ['sleep', '60'], log: join(t.testdirName, 'log') })
  t.teardown(() => npm.stop({ signal: 'SIGKILL' }))
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  const namespace = readlinkSync('/proc/self/ns/pid')
  writeFileSync(file, JSON.stringify({ pid: 2 ** 22 + 1, started: '1', namespace, boot, writer: npm.pid }))
  utimesSync(file, new Date(0), new Date(0))
  await t.rejects(withLock(file, async () => {}, { limitSeconds: 4 }), { code: 'still-installing' })
})

t.test('kills an npm ci that exceeds its limit, with its child processes', async t => {
  const dir = project(t)
  rmSync(join(dir, 'node_modules'), { recursive: true })
  const env = fakeNpm(dir, 'sleep 60 & echo $! > pid; sleep 60')
  const from = performance.now()
  await t.rejects(bringDependencies(dir, { env, printProgress: () => {}, limitSeconds: 0.5 }), {
    code: 'install-failed',
    message: /npm ci did not end within 0\.5 s/
  })
  t.ok(performance.now() - from < 5000)
  const state = () => /\) (\w) /.exec(readLastLines(`/proc/${readLastLines(join(dir, 'pid'))}/stat`))?.[1] ?? 'Z'
  for (let tries = 0; state() !== 'Z' && tries < 100; tries++) await new Promise(resolve => setTimeout(resolve, 20))
  t.equal(state(), 'Z')
})

t.test('releases the lock after a failure', async t => {
  const file = join(t.testdir({}), 'deep/lock')
  await t.rejects(withLock(file, async () => { throw new Error('no') }), { message: 'no' })
  t.notOk(existsSync(file))
})
