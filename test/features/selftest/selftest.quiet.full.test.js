/** Parts of `hopbench selftest` with real programs whose outcomes hold on a busy machine, too. */
import t from '../../support/tap.js'
import { splitCores } from '../../../bench/machine/cores.js'
import { localEngines } from '../../../bench/load/find-engine.js'
import { fetchResponses } from '../../../bench/measure/gate/gate.js'
import { findOpenLoops, measureOpenLoop } from '../../../bench/features/selftest/open-loop.js'
import { writePlanted } from '../../../bench/features/selftest/planted.js'
import { staged, wordFor } from '../../support/stage.js'
import { tempFolder } from '../../support/temp.js'

t.test('a planted server passes the gate like the original', async t => {
  const arm = await staged(t, wordFor(writePlanted(t.testdir({}), 'more', 20)))
  const { running, network, arm: { load } } = arm
  const { answers } = await fetchResponses({ target: running.target, load, network, times: 4 })
  t.strictSame([...new Set(answers.map(({ answer }) => `${answer.status} ${answer.bytes}`))], ['200 1024'])
})

t.test('compares open loops with calculated latencies, and excludes a rate beyond the capacity', async t => {
  const engines = await findOpenLoops()
  const { capacity, accuracies, beyond } = await measureOpenLoop({
    engines,
    closed: await localEngines.find('autocannon')
  }, {
    rates: [50, 10_000_000],
    turns: 1,
    cores: splitCores(),
    dir: tempFolder(t),
    printProgress: () => {}
  })
  t.ok(capacity > 0)
  t.strictSame(beyond, [10_000_000])
  for (const { name } of engines) {
    t.strictSame(accuracies.filter(({ engine }) => engine === name).map(({ kind, figure }) => `${kind} ${figure}`),
      ['stall p95', 'stall p99', 'stall max', 'delay p50'], name)
  }
  // On any machine a response takes at least the delay, and the first one in a stall at least the length of the stall.
  for (const { kind, figure, measured, calculated } of accuracies) {
    t.ok(measured > (kind === 'delay' ? 19 : 100), `${kind} ${figure}: ${measured} ms, calculated ${calculated}`)
  }
})
