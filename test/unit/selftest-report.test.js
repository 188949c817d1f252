import t from 'tap'
import { renderText } from '../../bench/report/text.js'
import { selftestAnswer } from '../../bench/report/selftest-text.js'
import { viewOf } from '../../bench/report/page/view.js'
import { faultOf } from '../../bench/store/record-format.js'
import { makeRecord } from '../support/record.js'

/** @import { SelfTest } from '../../bench/types.js' */

/** @type {SelfTest} */
const selftest = {
  resolution: {
    table: [{ minutes: 1, blocks: 10, difference: 0.12 }, { minutes: 5, blocks: 58, difference: 0.041 }, {
      minutes: 20,
      blocks: 238,
      difference: 0.02
    }],
    equal: { segments: 60, different: 3, blocks: 12 },
    planted: [
      { more: 0.03, expected: 0.971, ratio: 0.97, low: 0.93, high: 1.01, verdict: 'inconclusive', foundAfter: null },
      { more: 0.1, expected: 0.909, ratio: 0.91, low: 0.89, high: 0.93, verdict: 'slower', foundAfter: 14 }
    ]
  },
  microsPerRequest: 190,
  noise: { stealShare: 0.01, otherShare: 0.02, governor: null, virtual: true, generatorShare: 0.3 },
  counts: { arms: 6, disagreements: [] },
  engines: [
    {
      name: 'autocannon',
      rps: { median: 4000, low: 3900, high: 4100 },
      share: 0.97,
      bound: 'load',
      toMiddle: null,
      agrees: null
    },
    {
      name: 'wrk',
      rps: { median: 4800, low: 4700, high: 4900 },
      share: 0.2,
      bound: 'server',
      toMiddle: { ratio: 1.01, low: 0.99, high: 1.03 },
      agrees: 'yes'
    }
  ],
  byHand: { ratio: 0.991, pairs: [0.98, 0.991, 1.01] },
  openLoop: {
    capacity: 8000,
    accuracies: [{ engine: 'paced', rate: 100, kind: 'stall', figure: 'p95', measured: 151, calculated: 150 }],
    beyond: [5000]
  },
  seconds: 512
}
const record = makeRecord({ experiment: 'selftest', selftest })

t.test('what this machine can tell, in a terminal', async t => {
  const text = renderText(record)
  t.equal(faultOf('record', record), null)
  for (const says of [/1 minute +10 +12/, /5 minutes +58 +4\.1/, /called different in 3 of 60/,
    /10 % +0\.909 +0\.910 +0\.890 to 0\.930 +slower +14 blocks/, /not found/, /autocannon was\s+the bottleneck/,
    /99\.1 %/, /errors\s+of\s+up\s+to\s+0\.7 %/, /5,000 req\/s are beyond/]) t.match(text, says)
  t.notMatch(text, /Recommended configuration/, 'equal arms have no winner')
  for (const line of text.split('\n').filter(line => !line.includes('Results:'))) t.ok(line.length <= 80, line)
})

t.test('in a sentence, and on the page', async t => {
  t.match(selftestAnswer(selftest),
    /resolves 12(\.0)? % in a minute, 4\.1 % in 5 minutes and 2(\.0)? % in 20 minutes/)
  t.match(
    selftestAnswer({
      ...selftest,
      resolution: { ...selftest.resolution, table: [{ minutes: 1, blocks: 0, difference: NaN }] }
    }),
    /Too little/
  )
  const { answer, sections } = viewOf({ record, samples: [], configs: [], check: null })
  t.match(answer, /resolves/)
  t.strictSame(sections.slice(0, 3).map(({ id }) => id), ['resolution', 'planted', 'suite'])
})

t.test('what an interrupted one could not try is left out', async t => {
  const text = renderText({ ...record, selftest: { ...selftest, engines: null, byHand: null, openLoop: null } })
  t.notMatch(text, /by hand|open loop|Engines in turn/)
})

t.test('later reports quote it', async t => {
  t.match(
    renderText(makeRecord({ resolves: { run: '2026-01-01T00-00-00Z-selftest', minutes: 5, difference: 0.04 } }))
      .replace(/\s+/g, ' '),
    /This machine resolves 4(\.0)? % in 5 minutes \(2026-01-01T00-00-00Z-selftest\)\./
  )
})
