/** Coverage of adjusted intervals, and errors of whole runs on a machine that warms up and drifts, simulated. */
import t from '../support/tap.js'
import { findEnd } from '../../bench/judge/stopping-rule.js'
import { summarize } from '../../bench/judge/summary.js'
import { planFor, samplesFor, cores } from '../support/samples.js'
import { autoregressive, coverageOf, seriesOf } from '../support/simulate.js'

const ROUNDS = 2000
const promised = ['white', 'drift of 1 sd', 'AR(1), 0.3']
/** @param {number} share */
const percent = share => `${(share * 100).toFixed(1)} %`

t.test('adjusted intervals miss the truth at most 1.5 times as often as their level allows', async t => {
  const level = 1 - 0.05 / 6
  for (const noise of promised) {
    for (const n of [8, 12, 20, 60]) {
      const { covered } = coverageOf({ noise, n, level, rounds: ROUNDS })
      t.ok(1 - covered <= 1.5 * (1 - level), `${noise}, ${n} blocks: ${percent(covered)}`)
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
