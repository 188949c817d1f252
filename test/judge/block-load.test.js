/** Tests stolen time and run queue of blocks. */
import t from '../support/tap.js'
import { computeBlockLoad, computeMeanLoad } from '../../bench/judge/block-load.js'
import { readCpuTicks } from '../../bench/machine/environment/environment.js'
import { makeSample } from '../support/record.js'
import { apart, measured } from '../support/measured-run.js'
import { planFor } from '../support/samples.js'

const ticks = { total: 1000, idle: 800, steal: 10, running: 1 }

t.test('reads the ticks of all cores and the run queue', async t => {
  const stat = 'cpu  100 1 50 800 40 2 3 4 9 9\ncpu0 100 1 50 800 40 2 3 4 9 9\nctxt 5\n'
  t.strictSame(readCpuTicks(t.testdir({ proc: { stat: `${stat}procs_running 3\n` } })),
    { total: 1000, idle: 840, steal: 4, running: 3 })
  t.strictSame(readCpuTicks(t.testdir({ proc: { stat } })), { total: 1000, idle: 840, steal: 4, running: null })
  t.equal(readCpuTicks(t.testdir({})), null)
})

t.test('computes stolen share and run queue between two readings, without the reading thread', async t => {
  const after = { total: 1200, idle: 900, steal: 60, running: 4 }
  t.strictSame(computeBlockLoad(ticks, after), { stealShare: 0.25, runQueue: 1.5 })
  t.strictSame(computeBlockLoad(ticks, { ...after, running: null }), { stealShare: 0.25 })
  t.strictSame(computeBlockLoad(ticks, { ...after, steal: 9 }), { stealShare: 0, runQueue: 1.5 })
  for (const [before, later] of [[null, after], [ticks, null], [ticks, ticks]]) {
    t.strictSame(computeBlockLoad(before, later), {})
  }
})

t.test('computes the mean over blocks, and not over arms', async t => {
  const samples = [
    makeSample({ arm: 'a', block: 0, stealShare: 0.1, runQueue: 1 }),
    makeSample({ arm: 'a', block: 1, stealShare: 0.4, runQueue: 2 }),
    makeSample({ arm: 'b', block: 1, stealShare: 0.4, runQueue: 2 }),
    makeSample({ arm: 'a', block: 2 })
  ]
  t.strictSame(computeMeanLoad(samples), { stealShare: 0.25, runQueue: 1.5 })
  t.strictSame(computeMeanLoad([makeSample()]), {})
})

t.test('each sample of a block has the load since the block before', async t => {
  let reads = 0
  // The reading before the first block, then one after each block.
  const readCpuTicks = () => {
    const n = reads++
    return { total: 1000 * n, idle: 0, steal: 50 * n * n, running: n + 1 }
  }
  const { record, stored } = await measured(t, planFor(), {
    script: apart, interrupted: blocks => blocks === 2, readCpuTicks
  })
  const loads = stored.samples.map(({ block, stealShare, runQueue }) => [block, stealShare, runQueue])
  t.strictSame([...new Set(loads.map(load => load.join(' ')))], ['0 0.05 0.5', '1 0.15 1.5'])
  t.equal(loads.length, 6)
  t.equal(record.timing.stealShare, 0.1)
  t.equal(record.timing.runQueue, 1)
})
