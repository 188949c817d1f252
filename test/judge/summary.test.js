import t from '../support/tap.js'
import { findEnd } from '../../bench/judge/stopping-rule.js'
import { summarize } from '../../bench/judge/summary.js'
import { invalid, speed, summaryOf } from '../support/noisy-arms.js'
import { cores, planFor, samplesFor } from '../support/samples.js'
import { normal, seriesOf } from '../support/simulate.js'
import { getContrastLevel } from '../../bench/plan/sample-size.js'

/** @import { Reason } from '../../bench/types.js' */

t.test('computes a contrast from ratios within blocks, independent of drift between blocks', async t => {
  const plan = planFor()
  const { contrasts: [contrast], noiseFloor } =
    summaryOf(plan, 12, (arm, block) => ({ rps: speed[arm] * (1 + 0.5 * Math.sin(block)) }))
  t.match(contrast, {
    arm: 'uds',
    baseline: 'tcp',
    blocks: 12,
    level: 0.95,
    verdict: 'faster',
    why: null,
    oneSided: null,
    secondsToSettle: null
  })
  t.ok(Math.abs(contrast.ratio - 1.1) < 1e-12)
  t.ok(contrast.high - contrast.low < 1e-9)
  t.ok(noiseFloor && Math.abs(noiseFloor.ratio - 1) < 1e-12)
})

t.test('adjusts the level for the number of contrasts, except in a quick run', async t => {
  const arms = { a: 'express-json', b: 'express-json', c: 'express-json' }
  const levelOfPlan = (/** @type {Parameters<typeof planFor>} */ ...args) => {
    const { contrasts, targets } = planFor(...args)
    return getContrastLevel(contrasts, targets)
  }
  t.equal(levelOfPlan({ arms }), 0.975)
  t.equal(levelOfPlan({ arms }, { quick: true }), 0.95)
  t.equal(levelOfPlan({ arms: { a: 'express-json' } }), 0.95)
})

t.test('uses only blocks in which both arms of a contrast are valid', async t => {
  const plan = planFor()
  const samples = samplesFor(plan, 14,
    (arm, block) => ({
      rps: speed[arm],
      invalid: (arm === 'uds' && block === 3) || (arm === 'tcp' && block === 5) ? invalid : null
    }))
    .filter(({ arm, block }) => !(arm === 'uds' && block === 13))
  const { contrasts: [contrast], arms } = summarize({ plan, samples, cores })
  t.equal(contrast.blocks, 11)
  t.match(arms.find(({ name }) => name === 'uds'), {
    trials: 13,
    invalidTrials: [{ block: 3, reason: invalid }],
    invalid: null
  })
})

t.test('an arm with more than half of its trials invalid makes its contrasts invalid, with the most frequent ' +
  'reason', async t => {
  const plan = planFor()
  const other = /** @type {const} */ ({ code: 'wrong-body', params: {} })
  const { arms, contrasts: [contrast] } = summaryOf(plan, 12, (arm, block) =>
    ({ rps: speed[arm], invalid: arm !== 'uds' ? null : block < 5 ? invalid : block < 8 ? other : null }))
  t.equal(arms[1].invalid?.code, 'errors')
  t.match(contrast, { verdict: 'invalid', secondsToSettle: null })
  t.match(contrast.why, {
    code: 'arm-invalid',
    params: { arm: 'uds', reason: { code: 'errors', most: { invalid: 8, trials: 12 } } }
  })
})

t.test('an arm is still valid with half of its trials invalid, or with all of very few', async t => {
  const plan = planFor()
  const half = summaryOf(plan, 12,
    (arm, block) => ({ rps: speed[arm], invalid: arm === 'uds' && block % 2 ? invalid : null }))
  t.equal(half.arms[1].invalid, null)
  const few = summaryOf(plan, 5, arm => ({ rps: speed[arm], invalid: arm === 'uds' ? invalid : null }))
  t.equal(few.arms[1].invalid, null)
  t.equal(few.arms[1].rps, null)
  t.equal(few.contrasts[0].verdict, 'inconclusive')
  t.match(few.contrasts[0].why, {
    code: 'too-few-blocks',
    params: { blocks: 0, needed: 6, lost: [{ arm: 'uds', invalid: 5, trials: 5, reason: { code: 'errors' } }] }
  })
})

t.test('an arm that failed makes its contrasts invalid immediately', async t => {
  const plan = planFor()
  const samples = samplesFor(plan, 12, arm => ({ rps: speed[arm] })).filter(({ arm }) => arm !== 'tcp')
  /** @type {Record<string, Reason>} */
  const armFailures = { tcp: { code: 'gate-refused', params: { why: 'the body differs' } } }
  const { arms, contrasts: [contrast], noiseFloor } = summarize({ plan, samples, armFailures, cores })
  t.match(arms[0], { trials: 0, rps: null, cpuMicrosPerRequest: null, memoryMiB: null, invalid: armFailures.tcp })
  t.match(contrast, { verdict: 'invalid', why: { code: 'arm-invalid' }, blocks: 0, ratio: NaN })
  t.equal(noiseFloor, null, 'the twin has no valid arm to compare with')
})

t.test('sums an arm over its valid trials, and its errors over all trials', async t => {
  const plan = planFor()
  const samples = samplesFor(plan, 12, (arm, block) => ({
    rps: 10_000 + (block * 7 + 5) % 11,
    requests: 5000,
    cpuSeconds: { load: 0.1, proxy: 0.05, server: 0.4, idle: 0 },
    memoryMiB: { proxy: 10, server: 80 + (block * 7 + 5) % 11 },
    errors: { non2xx: block === 11 ? 99 : 1, timeouts: 0, resets: 0, mismatches: 0 },
    invalid: block === 11 ? invalid : null
  }))
  const [arm] = summarize({ plan, samples, cores }).arms
  t.match(arm, {
    trials: 12,
    latencyMs: null,
    bound: 'server',
    errors: { non2xx: 110 },
    memoryMiB: { proxy: 10, server: 85 }
  })
  t.ok(arm.rps && arm.rps.median === 10_005 && arm.rps.low < 10_005 && arm.rps.high > 10_005)
  const { load, proxy, server } = arm.cpuMicrosPerRequest ?? { load: 0, proxy: 0, server: 0 }
  for (const [found, expected] of [[load, 20], [proxy, 10], [server, 80]]) t.ok(Math.abs(found - expected) < 1e-9)
  t.match(arm.proof, { upstreamConnectionsPerRequest: 1, socketType: 'tcp' })
})

t.test('contrasts below the noise floor of a differing twin are inconclusive', async t => {
  const plan = planFor()
  const { noiseFloor, contrasts: [contrast] } =
    summaryOf(plan, 12, arm => ({ rps: arm === 'tcp (twin)' ? 12_000 : speed[arm] }))
  t.ok(noiseFloor && noiseFloor.low > 1)
  t.match(contrast, {
    verdict: 'inconclusive', why: { code: 'below-noise-floor' }, secondsToSettle: null
  })
})

t.test('estimates the time to a verdict from set-up time and required blocks', async t => {
  const plan = planFor()
  const random = seriesOf('settle')
  const samples = samplesFor(plan, 12, () => ({ rps: 10_000 * Math.exp(0.08 * normal(random)) }))
  const timing = { setupSeconds: 10, sliceWallSeconds: 30 }
  const { contrasts: [contrast] } = summarize({ plan, samples, cores, timing })
  t.equal(contrast.verdict, 'inconclusive')
  t.ok(contrast.secondsToSettle && contrast.secondsToSettle > 40 && contrast.secondsToSettle < 10_000)
  t.equal(summarize({ plan, samples, cores }).contrasts[0].secondsToSettle, null)
})

t.test('returns a summary without samples', async t => {
  const plan = planFor()
  const summary = summarize({ plan, samples: [], cores })
  t.match(summary, { blocks: 0, noiseFloor: null })
  t.match(summary.contrasts[0], { verdict: 'inconclusive', ratio: NaN, blocks: 0, pooled: 0, secondsToSettle: null })
  t.equal(findEnd(summary, plan, { seconds: 0 }), null)
})

t.test('without CPU time and memory there are no figures and no bottleneck', async t => {
  const plan = planFor()
  const unknown = { cpuSeconds: { load: 0, proxy: 0, server: 0, idle: 0 }, memoryMiB: { proxy: 0, server: 0 } }
  const { arms, contrasts } = summarize({ plan, samples: samplesFor(plan, 12, () => unknown), cores })
  t.match(arms, Array(3).fill({ cpuMicrosPerRequest: null, memoryMiB: null, bound: 'none' }))
  t.match(contrasts, [{ oneSided: null, verdict: 'no-difference' }])
})
