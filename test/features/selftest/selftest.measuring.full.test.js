/** Parts of `hopbench selftest` with real programs. The whole command takes at least two minutes. */
import t from '../../support/tap.js'
import { splitCores } from '../../../bench/machine/cores.js'
import { localEngines } from '../../../bench/load/find-engine.js'
import { fetchResponses } from '../../../bench/measure/gate/gate.js'
import { labFacts } from '../../../bench/machine/network/lab.js'
import { armFrom } from '../../../bench/request/request.js'
import { measureByHand } from '../../../bench/features/selftest/study.js'
import { findOpenLoops, measureOpenLoop } from '../../../bench/features/selftest/open-loop.js'
import { writePlanted } from '../../../bench/features/selftest/planted.js'
import { makeTempDir } from '../../../bench/machine/files/temp.js'
import { staged, wordFor } from '../../support/stage.js'
import { tempFolder, tempRoot } from '../../support/temp.js'

t.test('a planted server passes the gate like the original', async t => {
  const arm = await staged(t, wordFor(writePlanted(t.testdir({}), 'more', 20)))
  const { running, network, arm: { load } } = arm
  const { answers } = await fetchResponses({ target: running.target, load, network, times: 4 })
  t.strictSame([...new Set(answers.map(({ answer }) => `${answer.status} ${answer.bytes}`))], ['200 1024'])
})

t.test('the suite and an engine started by hand agree on the rate of a topology', async t => {
  const temp = tempRoot(t)
  const { network } = await labFacts()
  const { ratio, pairs } = await measureByHand(await armFrom('http-json', { connections: 100 }), {
    engines: localEngines,
    pairs: 3,
    temp: makeTempDir(temp.path, 'h'),
    lab: network === 'namespaces',
    cores: splitCores(),
    printProgress: () => {}
  })
  t.equal(pairs.length, 3)
  // The median tolerates one turn that a busy machine halved. A wrong unit or a wrong count is off by more.
  const [, middle] = [...pairs].sort((a, b) => a - b)
  t.ok(middle > 0.6 && middle < 1 / 0.6, `${pairs.join(', ')}: the same engine, the same topology`)
  t.ok(ratio >= Math.min(...pairs) && ratio <= Math.max(...pairs), `${ratio} is within the range of the pairs`)
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
