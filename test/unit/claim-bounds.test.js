/** Tests claims about a ratio of which one arm was not saturated. */
import t from '../support/tap.js'
import { claimsPage } from '../../bench/report/claims-page.js'
import { claimFigures, judgeClaimBound } from '../../bench/report/claim-sentences.js'
import { claimRows } from '../../bench/report/page/ratio-chart.js'
import { makeArm, makeClaim, makePlan, makeRecord } from '../support/record.js'

/** @import { ArmResult, ClaimResult } from '../../bench/types.js' */

/**
 * Returns a run with one claim about uds-keepalive against keepalive.
 * @param {[arm: ArmResult['bound'], baseline: ArmResult['bound']]} bounds
 * @param {Partial<ClaimResult>} claim
 */
const runWith = ([arm, baseline], claim) => makeRecord({
  arms: [makeArm({ name: 'uds-keepalive', bound: arm }), makeArm({ name: 'keepalive', bound: baseline })],
  claims: [makeClaim({ status: 'refuted', ...claim })]
})
const slower = { measured: 0.16, low: 0.14, high: 0.17 }

t.test('prints a bound in place of the interval', async t => {
  const record = runWith(['server', 'none'], { ...slower, published: 0.4 })
  t.match(claimFigures(record.claims[0], record), /, measured at most 0\.17$/)
  t.match(claimRows(record), [{ low: null, high: 0.17 }])
  const saturated = runWith(['server', 'proxy'], { ...slower, published: 0.4 })
  t.match(claimFigures(saturated.claims[0], saturated), /, measured 0\.16 \(0\.14 to 0\.17\)$/)
})

t.test('leaves a claim open unless the bound excludes the published ratio', async t => {
  const status = (/** @type {Parameters<typeof runWith>} */ ...args) => {
    const record = runWith(...args)
    return judgeClaimBound(record.claims[0], record).status
  }
  t.equal(status(['server', 'none'], { ...slower, published: 0.4 }), 'refuted')
  t.equal(status(['server', 'none'], { ...slower, published: 0.1 }), 'inconclusive')
  t.equal(status(['none', 'server'], { ...slower, published: 0.4 }), 'inconclusive')
  t.equal(status(['server', 'server'], { ...slower, published: 0.1 }), 'refuted')
  const record = runWith(['server', 'none'], { published: 0.8, measured: 1.2, low: 1.1, high: 1.29 })
  const [claim] = makePlan().claims
  const experiment = { title: 't', question: 'q', source: null, arms: {}, protocol: 'slices', unit: record.unit }
  const page = claimsPage([{ name: 'uds', experiment: { ...experiment, claims: [claim] }, record }])
  t.match(page, '| at most 1.29 | **inconclusive**: only a bound of the ratio is known, because keepalive was not')
})
