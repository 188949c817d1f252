/**
 * Coverage of intervals and errors of verdicts in simulated runs with a known truth. The limits are those of
 * docs/statistics.md, whose figures come from the same code with more rounds.
 */
import t from 'tap'
import { findEnd } from '../../bench/analysis/stopping-rule.js'
import { summarize } from '../../bench/analysis/summary.js'
import { planFor, samplesFor, cores } from '../support/samples.js'
import { autoregressive, coverageOf, methods, seriesOf, stoppedOf } from '../support/simulate.js'

const ROUNDS = 2000
/** Rounds of runs that end by the stopping rule, which take longer to simulate. */
const STOPPED_ROUNDS = 1000
const promised = ['white', 'drift of 1 sd', 'AR(1), 0.3']
/** @param {number} share */
const percent = share => `${(share * 100).toFixed(1)} %`
/** @param {{ verdicts: Record<string, number> }} run */
const decided = ({ verdicts }) => verdicts.faster + verdicts.slower

t.test('intervals of a fixed number of blocks cover at least 93 %, under each noise', async t => {
  for (const noise of promised) {
    for (const n of [6, 12, 20, 60]) {
      const { covered } = coverageOf({ noise, n, rounds: ROUNDS })
      t.ok(1 - covered <= 0.07, `${noise}, ${n} blocks: ${percent(covered)}`)
    }
  }
})

t.test('adjusted intervals miss the truth at most 1.5 times as often as their level allows', async t => {
  const level = 1 - 0.05 / 6
  for (const noise of promised) {
    for (const n of [8, 12, 20, 60]) {
      const { covered } = coverageOf({ noise, n, level, rounds: ROUNDS })
      t.ok(1 - covered <= 1.5 * (1 - level), `${noise}, ${n} blocks: ${percent(covered)}`)
    }
  }
})

t.test('intervals of heavy-tailed values cover at least 93 %', async t => {
  for (const n of [12, 60]) {
    const { covered } = coverageOf({ noise: 'heavy tails', n, rounds: ROUNDS })
    t.ok(1 - covered <= 0.07, `${n} blocks: ${percent(covered)}`)
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

t.test('equal arms with a fixed number of blocks are called different at most once in twenty runs', async t => {
  for (const noise of promised) {
    for (const n of [12, 20, 60]) {
      const { decided } = coverageOf({ noise, n, rounds: ROUNDS })
      t.ok(decided <= 0.05, `${noise}, ${n} blocks: ${percent(decided)}`)
    }
  }
})

t.test('equal arms that end by the stopping rule are called different at most once in twenty runs', async t => {
  for (const noise of ['white', 'AR(1), 0.3']) {
    for (const sd of [0.03, 0.05, 0.08]) {
      const run = stoppedOf({ noise, sd, rounds: STOPPED_ROUNDS })
      t.ok(decided(run) <= 0.05,
        `${noise}, sd ${percent(sd)}: ${percent(decided(run))} in ${run.blocks.toFixed(0)} blocks`)
    }
  }
})

t.test('the interval of a drifting ratio covers its mean over the measured blocks', async t => {
  const { covered } = stoppedOf({ noise: 'drift of 1 sd', sd: 0.05, rounds: 500 })
  t.ok(covered >= 0.95, percent(covered))
})

t.test('a true difference of 5 % is found in at least 95 % of runs, always in the right direction', async t => {
  for (const noise of ['white', 'AR(1), 0.3']) {
    for (const sd of [0.03, 0.05, 0.08]) {
      const run = stoppedOf({ noise, sd, truth: 1.05, rounds: 300 })
      t.ok(run.verdicts.faster >= 0.95, `${noise}, sd ${percent(sd)}: ${percent(run.verdicts.faster)}`)
      t.equal(run.verdicts.slower, 0)
    }
  }
})

/**
 * Simulates runs from plan to verdict on a machine that warms up and drifts by 30 %, equally for all arms.
 * @param {{ truth: number, rounds: number, rho: number }} setting
 */
function wholeRuns ({ truth, rounds, rho }) {
  const random = seriesOf('whole', truth, rho)
  const plan = planFor({ twin: 'uds' })
  const verdicts = { faster: 0, slower: 0, 'no-difference': 0, inconclusive: 0, invalid: 0 }
  for (let round = 0; round < rounds; round++) {
    const own = new Map(plan.arms.map(({ name }) => [name, autoregressive(rho)(120, random)]))
    const all = samplesFor(plan, 120, (name, block) => ({
      rps: 10_000 * (name === 'tcp' ? 1 : truth) * (1 + 0.3 * block / 120) * (block < 2 ? 0.7 : 1) *
        Math.exp(0.025 * (own.get(name)?.[block] ?? NaN))
    }))
    for (let blocks = 12; ; blocks++) {
      const summary = summarize({ plan, samples: all.slice(0, blocks * plan.arms.length), cores })
      if (!findEnd(summary, plan, { seconds: blocks * 2 })) continue
      verdicts[summary.contrasts[0].verdict] += 1 / rounds
      break
    }
  }
  return verdicts
}

t.test('runs on a machine that warms up and drifts keep the same error rates', async t => {
  for (const rho of [0, 0.3]) {
    const twins = wholeRuns({ truth: 1, rounds: 300, rho })
    t.ok(twins.faster + twins.slower <= 0.05, `equal arms called different: ${percent(twins.faster + twins.slower)}`)
    const found = wholeRuns({ truth: 1.05, rounds: 150, rho })
    t.ok(found.faster >= 0.95, `5 % found: ${percent(found.faster)}`)
  }
})
