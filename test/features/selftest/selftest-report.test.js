import t from '../../support/tap.js'
import { findFault } from '../../../bench/store/record-format.js'
import { makeRecord } from '../../support/record.js'
import { renderText, toAnswer } from '../../support/rendered.js'
import { toView } from '../../support/rendered-page.js'

/** @import { SelfTest } from '../../../bench/types.js' */

/** @type {SelfTest} */
const selftest = {
  resolution: {
    table: [{ minutes: 1, starts: 5, blocks: 20, difference: 0.12 },
      { minutes: 5, starts: 30, blocks: 120, difference: 0.041 },
      { minutes: 20, starts: 120, blocks: 480, difference: 0.02 }],
    variances: { sliceSd: 0.051, startSd: 0.017, runSd: 0, starts: 20, runs: 5 },
    equal: { segments: 5, different: 1, runs: 5 },
    late: { requests: 100_000, more: 0.4, ratio: 1.004, low: 0.988, high: 1.021, verdict: 'no-difference' },
    planted: [
      {
        more: 0.05,
        expected: 0.952,
        ratio: 0.95,
        low: 0.93,
        high: 1.01,
        verdict: 'inconclusive',
        runs: 5,
        held: 5,
        found: 0
      },
      { more: 0.1, expected: 0.909, ratio: 0.91, low: 0.89, high: 0.93, verdict: 'slower', runs: 5, held: 4, found: 3 }
    ]
  },
  microsPerRequest: 190,
  noise: { stealShare: 0.01, otherShare: 0.02, governor: null, virtual: true, generatorShare: 0.3 },
  counts: { arms: 6, disagreements: [] },
  byHand: { ratio: 0.991, pairs: [0.98, 0.991, 1.01] },
  openLoop: {
    capacity: 8000,
    accuracies: [
      { engine: 'paced', rate: 100, kind: 'stall', figure: 'p95', measured: 151, calculated: 150 },
      { engine: 'oha', rate: 100, kind: 'stall', figure: 'p95', measured: 165, calculated: 150 }
    ],
    beyond: [5000]
  },
  seconds: 512
}
const record = makeRecord({ experiment: 'selftest', selftest })
/** Returns the record with another resolution. @param {Partial<SelfTest['resolution']>} change */
const withResolution = change =>
  ({ ...record, selftest: { ...selftest, resolution: { ...selftest.resolution, ...change } } })

t.test('prints the resolution of the machine in a terminal', async t => {
  const text = renderText(record)
  t.equal(findFault('record', record), null)
  for (const pattern of [/1 minute +5 +20 +12/, /5 minutes +30 +120 +4\.1/, /different in 1 of 5 independent runs/,
    /10 % +0\.909 +0\.910 +0\.890 to 0\.930 +slower +4 of 5 +3 of 5/,
    /99\.1 %/, /5,000 req\/s are beyond/,
    /errors\s+of\s+up\s+to\s+0\.7 %\s+\(paced\)\s+and\s+10 %\s+\(oha\)/]) t.match(text, pattern)
  t.notMatch(text, /Recommended configuration/, 'equal arms have no winner')
  t.match(text.replace(/\s+/g, ' '),
    /by 5\.1 % from block to block, 1\.7 % from start to start and no more from run to run than starts explain/)
  for (const line of text.split('\n').filter(line => !line.includes('Results:'))) t.ok(line.length <= 80, line)
})

t.test('summarizes the resolution in a sentence and on the page', async t => {
  t.match(toAnswer(record),
    /resolves 12(\.0)? % in a minute, 4\.1 % in 5 minutes and 2(\.0)? % in 20 minutes/)
  t.match(toAnswer(withResolution({ table: [{ minutes: 1, blocks: 0, difference: NaN }] })), /Too little/)
  const { answer, sections } = toView({ record, samples: [], configs: [], check: null })
  t.match(answer, /resolves/)
  t.strictSame(sections.slice(0, 3).map(({ id }) => id), ['resolution', 'planted', 'suite'])
})

t.test('prints whether a server with a planted warm-up was found equal, and reports a failure first', async t => {
  const { late } = selftest.resolution
  if (!late) return t.fail('the selftest has the result')
  const print = (/** @type {Partial<typeof late>} */ change) =>
    renderText(withResolution({ late: { ...late, ...change } })).replace(/\s+/g, ' ')
  const line = /Equal after 100,000 requests that cost 40 % more: ratio (.*?)\. /
  t.equal(line.exec(print({}))?.[1], '1.00 (0.99 to 1.02), found equal')
  t.equal(line.exec(print({ low: 0.9, high: 1.1, verdict: 'inconclusive' }))?.[1], '1.00 (0.90 to 1.10), not decided')
  t.notMatch(print({}), /failed|FAILED/)
  const failed = print({ ratio: 0.72, low: 0.7, high: 0.74, verdict: 'slower' })
  t.match(failed, /^The selftest failed: two equal servers were called different/)
  t.match(line.exec(failed)?.[1] ?? '', /^0\.72 \(0\.70 to 0\.74\), FAILED: found different/)
})

t.test('omits parts that an interrupted selftest did not measure', async t => {
  const text = renderText({ ...record, selftest: { ...selftest, byHand: null, openLoop: null } })
  t.notMatch(text, /by hand|open loop/i)
})

t.test('later reports print the resolution', async t => {
  t.match(
    renderText(makeRecord({ resolves: { run: '2026-01-01T00-00-00Z-selftest', minutes: 5, difference: 0.04 } }))
      .replace(/\s+/g, ' '),
    /This machine resolves 4(\.0)? % in 5 minutes \(2026-01-01T00-00-00Z-selftest\)\./
  )
})
