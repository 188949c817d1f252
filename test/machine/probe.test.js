import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from '../support/tap.js'
import { CpuMeter, deletedFilesMiB, groupMembers, memoryMiB, requireCpuTime } from '../../bench/machine/probe.js'
import { start } from '../../bench/machine/process.js'

/** @import { Test } from 'tap' */

/**
 * Starts a process that is killed at the end of the test.
 * @param {Test} t
 * @param {string[]} argv
 */
function child (t, argv) {
  const child = start({ name: 'the child', argv, log: join(t.testdir({}), 'log') })
  t.teardown(() => child.stop({ signal: 'SIGKILL' }))
  return child
}

/**
 * Reads a meter until its value has grown.
 * @param {CpuMeter} meter
 * @param {number} above
 */
async function growing (meter, above) {
  for (let tries = 0; meter.seconds() <= above && tries < 1000; tries++) await sleep(10)
  return meter.seconds()
}

t.test('the CPU time of a busy process grows, and stops while the process is paused', async t => {
  const busy = child(t, [process.execPath, '-e', 'while (true);'])
  const meter = new CpuMeter([busy.pid])
  const first = await growing(meter, 0)
  const second = await growing(meter, first)
  t.ok(second > first && first > 0, `${first}, then ${second}`)
  busy.pause()
  // A signal is delivered when the process is scheduled next.
  while (!/^\d+ \(.*\) T /.test(readFileSync(`/proc/${busy.pid}/stat`, 'utf8'))) await sleep(10)
  const paused = await standing(meter)
  await sleep(50)
  t.equal(meter.seconds(), paused)
  meter.close()
})

/**
 * Reads a meter until its value no longer changes.
 *
 * The state of a process is that of its first thread, which the kernel reports as stopped while threads still run.
 * @param {CpuMeter} meter
 */
async function standing (meter) {
  let last = NaN
  for (let tries = 0; tries < 100 && last !== meter.seconds(); tries++) {
    last = meter.seconds()
    await sleep(20)
  }
  return last
}

t.test('keeps the CPU time of a process that has ended', async t => {
  const busy = child(t, [process.execPath, '-e', 'while (true);'])
  const meter = new CpuMeter([busy.pid])
  const used = await growing(meter, 0)
  await busy.stop({ signal: 'SIGKILL' })
  t.ok(meter.seconds() >= used)
  t.equal(meter.seconds(), meter.seconds())
  meter.close()
})

t.test('reads 0 for processes that do not exist', async t => {
  const meter = new CpuMeter([2 ** 22 + 1])
  t.equal(meter.seconds(), 0)
  meter.close()
})

t.test('closes its files', async t => {
  const dir = t.testdir({ file: '' })
  const next = () => {
    const fd = openSync(join(dir, 'file'), 'r')
    closeSync(fd)
    return fd
  }
  const before = next()
  const meter = new CpuMeter([process.pid])
  t.ok(next() > before)
  meter.close()
  t.equal(next(), before)
})

t.test('adds the memory of all processes', async t => {
  const mib = memoryMiB([process.pid])
  t.ok(mib > 10, `${mib} MiB`)
  const other = child(t, ['sleep', '60'])
  t.ok(memoryMiB([process.pid, other.pid]) > 0)
  t.equal(memoryMiB([2 ** 22 + 1]), 0)
})

t.test('finds all members of a process group', async t => {
  const leader = child(t, ['sh', '-c', 'sleep 60 & sleep 60 & wait'])
  for (let tries = 0; groupMembers([leader.pid]).length < 3 && tries < 1000; tries++) await sleep(10)
  const members = groupMembers([leader.pid])
  t.equal(members.length, 3)
  t.ok(members.includes(leader.pid))
  t.notOk(members.includes(process.pid))
})

t.test('finds only the leader of a group without /proc', async t => {
  const leader = child(t, ['sleep', '60'])
  t.strictSame(groupMembers([leader.pid, 2 ** 22 + 1], { root: t.testdir({}) }), [leader.pid])
})

t.test('rejects features that require CPU time when no CPU time is available', async t => {
  t.throws(() => requireCpuTime({ proxy: 0, server: 0 }, 'a price'), {
    code: 'no-cpu-time',
    exit: 1,
    message: /there is no \/proc\), and a price requires it/
  })
  t.doesNotThrow(() => requireCpuTime({ proxy: 0.001, server: 0 }, 'a price'))
})

t.test('adds up deleted files that a process holds open, each of them once', {
  skip: process.platform === 'linux' ? false : 'there is no /proc'
}, async t => {
  const file = join(t.testdir({}), 'temporary')
  const before = deletedFilesMiB([process.pid])
  const descriptors = [openSync(file, 'w'), openSync(file, 'r')]
  t.teardown(() => descriptors.forEach(descriptor => closeSync(descriptor)))
  writeSync(descriptors[0], Buffer.alloc(2 * 1024 * 1024))
  t.equal(deletedFilesMiB([process.pid]), before, 'the file still has a name')
  rmSync(file)
  t.equal(deletedFilesMiB([process.pid]), before + 2)
})
