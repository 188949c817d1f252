import { setTimeout as sleep } from 'node:timers/promises'
import t from '../../support/tap.js'
import { loadPlugin } from '../../../bench/plan/plugins.js'
import { SliceScheduler } from '../../../bench/measure/rigs/slice-scheduler.js'
import { staged, startOn } from '../../support/stage.js'

t.test('invalidates a slice in which a worker dies, and measures its successor in the next slices', async t => {
  const arm = await staged(t, 'http-json@cluster:2')
  const { default: plugin } = await loadPlugin('engine', 'autocannon')
  const frozenLoad = async (/** @type {string} */ name) => {
    const program = { plugin, program: '', env: {} }
    const generator = startOn(program, arm, { load: arm.arm.load, dir: name, maxSeconds: 60 })
    t.teardown(() => generator.kill())
    await sleep(1500) // In the first second a death counts as a failed start.
    await generator.pause()
    return generator
  }
  const loaded = { staged: arm, generator: await frozenLoad('load'), frontBefore: 0, unsteady: null, warmCost: 0 }
  const slicer = new SliceScheduler(new Map([['a', loaded]]))
  t.teardown(() => slicer.close())
  const kill = async () => {
    const counts = await arm.running.origin()
    process.kill(counts?.pids[0] ?? 0, 'SIGKILL')
  }

  const before = await slicer.measureSlice('a', 0)
  t.equal(before.invalid, null)
  t.ok(before.requests > 0 && before.cpuSeconds.server > 0)

  const [during] = await Promise.all([slicer.measureSlice('a', 1), sleep(300).then(kill)])
  t.match(during.invalid, { code: 'worker-died', params: { workers: 1 } })
  t.ok(during.requests >= 0, 'totals do not go back')

  // Connections that were passed to the dead worker hang, so the next slice needs a new generator.
  await loaded.generator.kill()
  loaded.generator = await frozenLoad('load-2')
  const after = await slicer.measureSlice('a', 2)
  t.equal(after.invalid, null)
  t.ok(after.memoryMiB.server > before.memoryMiB.server * 0.8, 'the memory of the new worker counts')

  // A worker that dies between two slices is replaced before the next one.
  await kill()
  await sleep(1000)
  const later = await slicer.measureSlice('a', 3)
  t.equal(later.invalid, null)
  t.ok(later.memoryMiB.server > before.memoryMiB.server * 0.8)
  t.equal(slicer.lost.size, 0, 'the arm is not lost')
})
