/** Tests the contrasts of an advice: ratios of arms that were not saturated. */
import t from '../support/tap.js'
import { rule } from '../../bench/analysis/advice.js'
import { toContrasts } from '../../bench/studies/advise/compare.js'
import { makeArm, makeContrast, makeRecord } from '../support/record.js'

/** @import { ArmResult, Contrast } from '../../bench/types.js' */

/**
 * @param {ArmResult['bound'][]} bounds of arm and baseline
 * @param {Partial<Contrast>} changes
 */
function toOne ([bound, baselineBound], changes) {
  const contrast = makeContrast({ arm: 'uds', baseline: 'keepalive', measures: 'hand-off latency', ...changes })
  const arms = [makeArm({ name: 'uds', bound }), makeArm({ name: 'keepalive', bound: baselineBound })]
  return toContrasts(makeRecord({ arms, contrasts: [contrast] })).contrasts[0]
}

/** @param {ReturnType<typeof toOne>} contrast */
const ruleOn = contrast => rule(contrast, { subject: 'a socket', arm: 'uds', baseline: 'keepalive' })

t.test('rates of two arms that were not saturated decide nothing', async t => {
  for (const verdict of /** @type {const} */ (['no-difference', 'faster'])) {
    const contrast = toOne(['none', 'none'], { verdict })
    t.match(contrast, { bound: 'neither', verdict: 'inconclusive' })
    t.match(ruleOn(contrast), { decision: 'open', text: /did not keep both .* busy/, changes: /--connections/ })
  }
})

t.test('a bound decides in its direction only, and is printed as one', async t => {
  const faster = toOne(['none', 'server'], { verdict: 'faster', ratio: 1.4, low: 1.3, high: 1.5 })
  t.match(ruleOn(faster), { decision: 'do', text: /has at least 1\.30 times/ })
  const bounded = toOne(['server', 'none'], { verdict: 'faster', ratio: 1.4, low: 1.3, high: 1.5 })
  t.match(ruleOn(bounded), { decision: 'open', text: /has at most 1\.50 times/ })
})

t.test('saturated arms have a ratio', async t => {
  const contrast = toOne(['server', 'server'], { verdict: 'faster', measures: 'capacity' })
  t.notOk('bound' in contrast)
  t.equal(ruleOn(contrast).decision, 'do')
})
