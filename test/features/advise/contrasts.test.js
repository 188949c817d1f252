/** Tests the contrasts of an advice: ratios of arms that were not saturated. */
import t from '../../support/tap.js'
import { rule } from '../../../bench/features/advise/advice.js'
import { toContrasts } from '../../../bench/judge/advice-contrasts.js'
import { makeArm, makeJudged, makeRecord } from '../../support/record.js'

/** @import { ArmResult, Contrast } from '../../../bench/types.js' */

/**
 * @param {ArmResult['bound'][]} bounds of arm and baseline
 * @param {Partial<Contrast>} changes
 */
function toOne ([bound, baselineBound], changes) {
  const arms = [makeArm({ name: 'uds', bound }), makeArm({ name: 'keepalive', bound: baselineBound })]
  const contrast = makeJudged(arms, { measures: 'hand-off latency', ...changes })
  return toContrasts(makeRecord({ arms, contrasts: [contrast] }))[0]
}

/** @param {ReturnType<typeof toOne>} contrast */
const ruleOn = contrast => rule(contrast, 'use a socket', 'TCP')

t.test('rates of two arms that were not saturated decide nothing', async t => {
  for (const interval of [{ ratio: 1, low: 0.98, high: 1.02 }, { ratio: 1.4, low: 1.3, high: 1.5 }]) {
    const contrast = toOne(['none', 'none'], interval)
    t.match(contrast, { bound: 'neither', verdict: 'inconclusive' })
    t.match(ruleOn(contrast), { decision: 'open', text: /did not keep both .* busy/, changes: /--connections/ })
  }
})

t.test('a bound decides in its direction only, and is printed as one', async t => {
  const faster = toOne(['none', 'server'], { ratio: 1.4, low: 1.3, high: 1.5 })
  t.match(ruleOn(faster), { decision: 'do', text: /^Use a socket: at least 1\.30 times the throughput of TCP\.$/ })
  const bounded = toOne(['server', 'none'], { ratio: 1.4, low: 1.3, high: 1.5 })
  t.match(ruleOn(bounded), { decision: 'open', text: /^It is open whether to use a socket: at most 1\.50 times/ })
})

t.test('saturated arms have a ratio', async t => {
  const contrast = toOne(['server', 'server'], { measures: 'capacity' })
  t.notOk('bound' in contrast)
  t.equal(ruleOn(contrast).decision, 'do')
})

t.test('a ratio that decides nothing although its interval excludes 1 has its reason', async t => {
  const arms = [makeArm({ name: 'uds' }), makeArm({ name: 'keepalive' })]
  const why = /** @type {const} */ ({
    code: 'not-steady', params: { arm: 'uds', role: 'server', change: -0.2, seconds: 2 }
  })
  const contrasts = [{ ...makeJudged(arms, { ratio: 2.27, low: 1.94, high: 2.67 }), verdict: 'inconclusive', why }]
  const [contrast] = toContrasts(makeRecord({ arms, contrasts: /** @type {any} */ (contrasts) }))
  t.match(ruleOn(contrast),
    { decision: 'open', text: /: 2\.27 \(.*\) times the throughput of TCP, but after 2 s of warm-up the CPU time per/ })
  const wide = toOne(['server', 'server'], { measures: 'capacity', ratio: 1.1, low: 0.9, high: 1.3 })
  t.match(ruleOn(wide).text, /times the throughput of TCP\.$/)
})
