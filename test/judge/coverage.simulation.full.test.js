/**
 * Coverage of intervals and errors of verdicts in simulated runs with a known truth. The limits are those of
 * docs/statistics.md, whose figures come from the same code with more rounds.
 */
import t from '../support/tap.js'
import { coverageOf, methods, stoppedOf } from '../support/simulate.js'

const ROUNDS = 2000
/** Rounds of runs that end by the stopping rule, which take longer to simulate. */
const STOPPED_ROUNDS = 1000
/** Standard deviation of a log-ratio in one block. */
const SD = 0.05
const promised = ['white', 'drift of 1 sd', 'AR(1), 0.3']
/** @param {number} share */
const percent = share => `${(share * 100).toFixed(1)} %`
/** @param {{ verdicts: Record<string, number> }} run */
const decided = ({ verdicts }) => verdicts.faster + verdicts.slower

t.test('intervals of a fixed number of blocks cover at least 93 %, and equal arms are called different at most ' +
  'once in twenty runs, under each noise', async t => {
  for (const noise of [...promised, 'heavy tails']) {
    for (const n of noise === 'heavy tails' ? [12, 60] : [6, 12, 20, 60]) {
      const { covered, decided } = coverageOf({ noise, n, rounds: ROUNDS })
      t.ok(1 - covered <= 0.07, `${noise}, ${n} blocks: ${percent(covered)}`)
      // Six blocks are those of a quick run, whose intervals are not adjusted.
      t.ok(n === 6 || decided <= 0.05, `${noise}, ${n} blocks: ${percent(decided)}`)
    }
  }
})

t.test('without the allowance for dependence, or with pooling alone, intervals cover less than 93 %', async t => {
  for (const method of ['plain', 'pooled above 0.15']) {
    const { covered } = coverageOf({ noise: 'AR(1), 0.3', n: 20, rounds: 2000, method: methods[method] })
    t.ok(covered < 0.93, `${method}: ${percent(covered)}`)
  }
})

t.test('the allowance widens intervals at most 1.6 times at 12 blocks and 1.35 times at 60', async t => {
  for (const [n, limit] of [[12, 1.6], [60, 1.35]]) {
    const { width } = coverageOf({ noise: 'white', n, rounds: 1000 })
    const plain = coverageOf({ noise: 'white', n, rounds: 1000, method: methods.plain })
    t.ok(width / plain.width < limit, `${n} blocks: ${(width / plain.width).toFixed(2)}`)
  }
})

t.test('equal arms that end by the stopping rule are called different at most once in twenty runs', async t => {
  for (const noise of ['white', 'AR(1), 0.3']) {
    const run = stoppedOf({ noise, sd: SD, rounds: STOPPED_ROUNDS })
    t.ok(decided(run) <= 0.05, `${noise}: ${percent(decided(run))} in ${run.blocks.toFixed(0)} blocks`)
  }
})

t.test('the interval of a drifting ratio covers its mean over the measured blocks', async t => {
  const { covered } = stoppedOf({ noise: 'drift of 1 sd', sd: SD, rounds: 500 })
  t.ok(covered >= 0.95, percent(covered))
})

t.test('a true difference of 5 % is found in at least 95 % of runs, always in the right direction', async t => {
  for (const noise of ['white', 'AR(1), 0.3']) {
    const run = stoppedOf({ noise, sd: SD, truth: 1.05, rounds: 300 })
    t.ok(run.verdicts.faster >= 0.95, `${noise}: ${percent(run.verdicts.faster)}`)
    t.equal(run.verdicts.slower, 0)
  }
})
