/**
 * Compares two arms in ninety seconds of wall time on simulated machines whose true ratio is known: by one long run of
 * each arm, by windows of one arm after the other, and by alternating slices.
 */
import t from '../support/tap.js'
import { machines, getResultKind, slicedRun } from '../support/simulate-machine.js'
import { seriesOf } from '../support/simulate.js'

const ROUNDS = 200
const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`
const names = Object.keys(machines)
/** On this machine a slice needs a long time to settle, so alternating gains little. */
const SLOW = 'a machine that is slow to settle'

t.test('slices have the smallest error, and find a difference of equal arms in at most one of twenty runs', async t => {
  for (const machine of names) {
    const [slices, single, sequential] = ['slices', 'single', 'sequential']
      .map(way => getResultKind(way, machine, { rounds: ROUNDS }))
    const errors = [slices, single, sequential].map(({ error }) => percent(error)).join(', ')
    const limit = machine === SLOW ? 1 : 0.6
    t.ok(slices.error < limit * Math.min(single.error, sequential.error), `${machine}: ${errors}`)
    const shares = [slices, single, sequential].map(({ different }) => percent(different)).join(', ')
    t.ok(slices.different <= 0.05, `${machine}: ${shares}`)
    t.ok(Math.max(single.different, sequential.different) > 0.1, `${machine}: ${shares}`)
  }
})

t.test('--detect finds the difference in about four runs of five, or more', async t => {
  const random = seriesOf('detect')
  const options = { detect: 0.05, budgetSeconds: 1200 }
  const runs = Array.from({ length: 100 }, () => slicedRun(machines['a virtual machine'], 1.05, options, random))
  const found = runs.filter(({ interval: { low } }) => low > 1).length
  t.ok(found >= 75, `${found} of 100`)
  t.ok(runs.every(({ seconds }) => seconds < 1200), 'within the budget')
  const [half] = runs.map(({ seconds }) => seconds).sort((a, b) => a - b).slice(50)
  t.ok(half < 300, `half of them within ${half.toFixed(0)} s`)
})
