import t from './tap.js'
import { findInconsistent } from '../perf/consistency.js'
import { simulateSet } from './simulated-sets.js'

t.test('at least 95 % of a thousand consistent sets pass', async t => {
  const passed = Array.from({ length: 1000 }, (_, i) => findInconsistent(simulateSet(`set ${i}`)))
    .filter(({ found }) => found.length === 0).length
  t.ok(passed >= 950, `${passed}`)
})
