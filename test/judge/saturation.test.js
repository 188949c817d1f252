/** Tests how verdicts between arms that are not saturated are recorded and reported. */
import t from '../support/tap.js'
import { summarize } from '../../bench/judge/summary.js'
import { findWarnings } from '../../bench/judge/warnings.js'
import { saturationSentence } from '../../bench/report/sentences/contrast-sentences.js'
import { findFault } from '../../bench/store/record-format.js'
import { makeContrast, makeRecord } from '../support/record.js'
import { cores, planFor, samplesFor } from '../support/samples.js'
import { renderText } from '../support/rendered.js'

/** @import { Sample } from '../../bench/types.js' */

/** @param {Partial<Record<string, Sample['cpuSeconds']>>} cpu by arm, in half a second */
const summaryOf = cpu => {
  const plan = planFor()
  return summarize({
    plan,
    cores,
    samples: samplesFor(plan, 12, (arm, block) => ({
      rps: (arm === 'uds' ? 12_000 : 10_000) * (1 + 0.001 * (block % 3)),
      cpuSeconds: cpu[arm] ?? { load: 0.2, proxy: 0.15, server: 0.33, idle: 0 }
    }))
  })
}
const idle = { load: 0.1, proxy: 0.05, server: 0.1, idle: 0 }

t.test('a contrast compares capacities only when both arms are saturated', async t => {
  t.match(summaryOf({}).contrasts, [{ verdict: 'faster', measures: 'capacity' }])
  t.match(summaryOf({ uds: idle }).contrasts, [{ verdict: 'faster', measures: 'hand-off latency' }])
  t.match(summaryOf({ uds: idle, tcp: idle }).contrasts, [{ measures: 'hand-off latency' }])
  const limited = { load: 0.49, proxy: 0.1, server: 0.35, idle: 0 }
  t.match(summaryOf({ uds: limited, tcp: limited }).contrasts,
    [{ oneSided: null, verdict: 'inconclusive', why: { code: 'generator-bound-both' }, secondsToSettle: null }])
  const unknown = { load: 0, proxy: 0, server: 0, idle: 0 }
  t.notOk('measures' in summaryOf({ uds: unknown, tcp: unknown }).contrasts[0], 'unknown without CPU time')
})

t.test('an arm on which both sides waited has no bottleneck and a warning', async t => {
  const { arms, contrasts } = summaryOf({ uds: idle })
  const uds = arms.find(({ name }) => name === 'uds')
  t.match(uds, { bound: 'none', boundWhy: 'both-waited' })
  t.match(contrasts[0], { oneSided: 'at-least', verdict: 'faster', why: null }, 'it can serve more than it did')
  t.notOk('boundWhy' in arms[0], 'a saturated arm has no reason')
  const record = makeRecord({ arms, contrasts, claims: [] })
  const codes = findWarnings(record).map(({ code }) => code)
  t.ok(codes.includes('both-waited') && !codes.includes('generator-bound'))
  t.notMatch(renderText({ ...record, warnings: findWarnings(record) }), /may be faster than this shows|lower bound/)
})

t.test('explains hand-off latency, and recommends more connections', async t => {
  const record = makeRecord({ contrasts: [makeContrast({ verdict: 'faster', measures: 'hand-off latency' })] })
  t.equal(findFault('record', record), null)
  t.match(renderText(record).replace(/\s+/g, ' '),
    /hand-off latency, not capacity, .*more connections \(--connections 200\)/)
  t.strictSame(saturationSentence({ ...record, contrasts: [makeContrast({ verdict: 'faster' })] }), [],
    'absent in an older run')
  t.strictSame(saturationSentence({
    ...record, contrasts: [makeContrast({ verdict: 'inconclusive', measures: 'hand-off latency' })]
  }), [], 'no verdict')
})
