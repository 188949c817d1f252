import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { hold } from '../../bench/machine/hold.js'
import { start, waitUntil } from '../../bench/machine/process.js'
import { project } from '../support/cli.js'

/** @import { Test } from 'tap' */

/**
 * Returns a name that is unique to this test.
 * @param {Test} t
 */
const nameOf = t => `a test, ${t.testdirName}`

/** @param {Awaited<ReturnType<typeof hold>>} result */
const holderOf = result => 'holder' in result ? result.holder : null

t.test('rejects a second holder of a name and identifies the first', async t => {
  const first = await hold(nameOf(t), { pid: 42, command: 'hopbench run uds' })
  t.equal(holderOf(first), null)
  const second = await hold(nameOf(t), {})
  t.match(holderOf(second)?.about, { pid: 42, command: 'hopbench run uds' })
  holderOf(second)?.leave()
  t.equal(holderOf(await hold(`${nameOf(t)}, another`, {})), null, 'another name is free')
  if ('release' in first) first.release()
})

t.test('a waiting holder acquires the name after its release', async t => {
  const first = await hold(nameOf(t), {})
  const second = holderOf(await hold(nameOf(t), {}))
  if ('release' in first) first.release()
  await second?.gone
  const third = await hold(nameOf(t), {})
  t.equal(holderOf(third), null)
  if ('release' in third) third.release()
})

t.test('a stopped process keeps the name and a killed process releases it', async t => {
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
  child.pause()
  const holder = holderOf(await hold(nameOf(t), {}))
  t.strictSame(holder?.about, {}, 'a stopped process cannot identify itself')
  child.signal('SIGKILL')
  await holder?.gone
  t.equal(holderOf(await hold(nameOf(t), {})), null)
})
