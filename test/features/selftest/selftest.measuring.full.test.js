/**
 * The part of `hopbench selftest` that compares rates, with real programs. Other parts: selftest.quiet.full.test.js.
 * The whole command takes at least two minutes.
 */
import t from '../../support/tap.js'
import { splitCores } from '../../../bench/machine/cores.js'
import { localEngines } from '../../../bench/load/find-engine.js'
import { labFacts } from '../../../bench/machine/network/lab.js'
import { armFrom } from '../../../bench/request/request.js'
import { measureByHand } from '../../../bench/features/selftest/study.js'
import { makeTempDir } from '../../../bench/machine/files/temp.js'
import { tempRoot } from '../../support/temp.js'

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
