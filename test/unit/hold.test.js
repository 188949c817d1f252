import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { acquireRunLock } from '../../bench/machine/machine-lock.js'
import { hold } from '../../bench/machine/hold.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { project } from '../support/cli.js'

/** @import { Test } from 'tap' */

/** A name that no other test has. @param {Test} t */
const nameOf = t => `a test, ${t.testdirName}`

/** @param {Awaited<ReturnType<typeof hold>>} got */
const holderOf = got => 'holder' in got ? got.holder : null

t.test('a name is held by one at a time, and the next one learns by whom', async t => {
  const first = await hold(nameOf(t), { pid: 42, command: 'hopbench run uds' })
  t.equal(holderOf(first), null)
  const second = await hold(nameOf(t), {})
  t.match(holderOf(second)?.about, { pid: 42, command: 'hopbench run uds' })
  holderOf(second)?.leave()
  t.equal(holderOf(await hold(`${nameOf(t)}, another`, {})), null, 'another name is another thing')
  if ('release' in first) first.release()
})

t.test('who waits goes on when the name is let go of', async t => {
  const first = await hold(nameOf(t), {})
  const second = holderOf(await hold(nameOf(t), {}))
  if ('release' in first) first.release()
  await second?.gone
  const third = await hold(nameOf(t), {})
  t.equal(holderOf(third), null)
  if ('release' in third) third.release()
})

t.test('the name of a process that is killed is free at once, and one that is stopped holds on', async t => {
  const log = join(t.testdir({}), 'log')
  const script = `import(${
    JSON.stringify(new URL('../../bench/machine/hold.js', import.meta.url).href)
  }).then(async ({ hold }) => {
    await hold(${JSON.stringify(nameOf(t))}, { pid: process.pid })
    console.log('held')
    setInterval(() => {}, 1000)
  })`
  const child = start({ name: 'the holder', argv: [process.execPath, '-e', script], log, cwd: project })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  await waitUntil(child, () => readFileSync(log, 'utf8').includes('held'))
  child.freeze()
  const holder = holderOf(await hold(nameOf(t), {}))
  t.strictSame(holder?.about, {}, 'it cannot say who it is')
  child.signal('SIGKILL')
  await holder?.gone
  t.equal(holderOf(await hold(nameOf(t), {})), null)
})

t.test('a run is written by one at a time', async t => {
  const dir = t.testdir({})
  const release = await acquireRunLock(dir)
  await t.rejects(acquireRunLock(join(dir, '.')), {
    code: 'run-in-use',
    exit: 1,
    message: `Another hopbench is writing the run ${join(dir, '.')}.`
  })
  release()
  ;(await acquireRunLock(dir))()
})
