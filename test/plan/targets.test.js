/** Tests the length of a turn, which follows from the time that each turn loses. */
import t from '../support/tap.js'
import { computeTurnSeconds } from '../../bench/plan/targets.js'

t.test('a turn is so long that it loses 2 % at most, and no longer than a slice', async t => {
  const lengths = [null, -0.3, 0.4, 1, 1.01, 4.9, 40].map(lossMs => computeTurnSeconds(lossMs, 'split').toFixed(2))
  t.strictSame(lengths, ['0.10', '0.10', '0.10', '0.10', '0.10', '0.25', '0.50'])
  t.equal(computeTurnSeconds(1, 'shared'), 0.25)
  t.equal(computeTurnSeconds(6, 'shared').toFixed(2), '0.30')
})
