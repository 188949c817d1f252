import t from '../support/tap.js'
import { findSlower } from '../../bench/judge/ahead.js'
import { canBlocksDecide } from '../../bench/judge/verdict.js'
import { contrastSentences } from '../../bench/report/sentences/contrast-sentences.js'
import { printRatio } from '../../bench/report/phrases.js'
import { ratioRows } from '../../bench/report/ratio-rows.js'
import { pageTable } from '../../bench/report/table.js'
import { contrastTable } from '../../bench/report/tables/arms.js'
import { listRunVerdicts } from '../../bench/report/verdicts.js'
import { makeArm, makeJudged, makeRecord } from '../support/record.js'
import { toAnswer } from '../support/rendered.js'

/** @import { ArmResult, Contrast } from '../../bench/types.js' */

/** @typedef {ArmResult['bound']} Bound */

/**
 * Makes two arms with these bottlenecks, and their contrast as it is judged.
 * @param {Bound} armBound
 * @param {Bound} baselineBound
 * @param {Partial<Contrast>} [contrast]
 */
function make (armBound, baselineBound, contrast) {
  const arms = [makeArm({ name: 'uds', bound: armBound }), makeArm({ name: 'tcp', bound: baselineBound })]
  return { arms, contrast: makeJudged(arms, contrast) }
}
const slower = { ratio: 0.8, low: 0.7, high: 0.9 }
const undecided = { ratio: 1.02, low: 0.97, high: 1.07 }
const equal = { ratio: 1, low: 0.98, high: 1.02 }

t.test('finds the direction in which the true ratio may differ', async t => {
  /** @type {[Bound, Bound, Contrast['oneSided']][]} */
  const cases = [
    ['none', 'server', 'at-least'], ['proxy', 'none', 'at-most'], ['none', 'none', null], ['server', 'proxy', null],
    ['load', 'server', 'at-least'], ['proxy', 'network', 'at-most'], ['none', 'network', null], ['load', 'none', null],
    ['load', 'load', null]
  ]
  for (const [armBound, baselineBound, expected] of cases) {
    for (const interval of [{}, slower, undecided]) {
      const { contrast } = make(armBound, baselineBound, interval)
      t.equal(contrast.oneSided, expected, `${armBound}, ${baselineBound}, ${contrast.ratio}`)
    }
  }
  t.equal(make('none', 'server', equal).contrast.oneSided, null, 'equal arms')
  t.equal(make('none', 'server', { low: 0, high: Infinity }).contrast.oneSided, null, 'too few blocks')
  t.equal(make('server', 'none', { low: 0, high: Infinity }).contrast.oneSided, null, 'too few blocks')
})

t.test('leaves a verdict open on the side of 1 that the bound does not exclude', async t => {
  const { contrast, arms } = make('none', 'server', slower)
  t.strictSame(contrast.why, { code: 'not-saturated', params: { arm: 'uds' } })
  const record = makeRecord({ arms, contrasts: [contrast] })
  const [row] = pageTable(contrastTable(record)).rows
  for (const cell of ['≥ 0.70', 'inconclusive', 'only a bound of the ratio is known, because uds was not saturated']) {
    t.ok(row.includes(cell), cell)
  }
  t.match(ratioRows(record), [{ low: 0.7, high: null, title: 'uds against tcp: inconclusive' }])
  t.match(contrastSentences(record).join(' '), /Whether uds serves more or less than tcp is open: at least 0\.70\./)
  t.strictSame(listRunVerdicts(record).map(({ outcome }) => outcome), ['open'])
})

t.test('further blocks decide a bound only if the estimate is on its side of 1', async t => {
  /** @type {[Bound, Bound, number, boolean][]} */
  const cases = [['none', 'server', 1.02, true], ['none', 'server', 0.98, false], ['server', 'none', 1.02, false],
    ['server', 'none', 0.98, true], ['load', 'load', 1.02, false], ['server', 'server', 1.02, true]]
  for (const [armBound, baselineBound, ratio, expected] of cases) {
    const { contrast } = make(armBound, baselineBound, { ...undecided, ratio })
    t.equal(contrast.verdict, 'inconclusive')
    t.equal(canBlocksDecide(contrast), expected, `${armBound}, ${baselineBound}, ${ratio}`)
  }
})

t.test('an arm with only a lower bound of its ratio is not shown to be slower', async t => {
  const { arms, contrast } = make('none', 'server', slower)
  t.strictSame([...findSlower(arms[1], arms, [contrast])], [])
  const saturated = make('server', 'server', slower)
  t.strictSame([...findSlower(saturated.arms[1], saturated.arms, [saturated.contrast])], ['uds'])
  // The third arm is the baseline of both, and only its ratio to `uds` has an upper end.
  const third = makeArm({ name: 'third', bound: 'server' })
  const pairs = [makeJudged([arms[0], third], slower), makeJudged([arms[1], third], { ratio: 2, low: 1.9, high: 2.1 })]
  t.strictSame([...findSlower(arms[1], [...arms, third], pairs)], ['third'])
})

t.test('prints an inconclusive ratio as a bound if one arm was not saturated', async t => {
  const { contrast, arms } = make('none', 'server', undecided)
  const record = makeRecord({ arms, contrasts: [contrast] })
  t.match(contrastSentences(record).join(' '), /is open: at least 0\.97\. .* because uds was not saturated\.$/)
  t.match(toAnswer(record), /is open \(at least 0\.97 times as much, because uds was not saturated\)/)
})

t.test('explains why a decided ratio is a bound', async t => {
  const sentence = (/** @type {ReturnType<typeof make>} */ { contrast, arms }) =>
    contrastSentences(makeRecord({ arms, contrasts: [contrast] })).at(-1)
  t.equal(sentence(make('none', 'server')), 'uds serves at least 9 % more than tcp, because uds was not saturated.')
  t.equal(sentence(make('server', 'load', slower)),
    'uds serves at least 10 % less than tcp, because the load generator was the bottleneck in tcp.')
  t.equal(sentence(make('none', 'server', { low: 1.003 })),
    'uds serves at least 0.3 % more than tcp, because uds was not saturated.')
})

t.test('marks a ratio of arms of which neither was saturated', async t => {
  const { contrast, arms } = make('none', 'none', { measures: 'hand-off latency' })
  t.equal(printRatio(contrast, { arms }), '1.12 (1.09 to 1.15, not saturated)')
  const record = makeRecord({ arms, contrasts: [contrast] })
  t.match(toAnswer(record), 'uds serves 12 % more than tcp (9 to 15 %, not saturated)')
  t.ok(pageTable(contrastTable(record)).rows[0].includes('not saturated'))
  const same = make('none', 'server', equal)
  t.equal(printRatio(same.contrast, same), '1.00 (0.98 to 1.02, not saturated)')
  const unknown = arms.map(arm => ({ ...arm, cpuMicrosPerRequest: null }))
  t.equal(printRatio(contrast, { arms: unknown }), '1.12 (1.09 to 1.15)', 'the bottleneck is unknown')
})

t.test('prints bounds in sentences, tables and charts', async t => {
  const more = make('none', 'server')
  t.equal(printRatio(more.contrast, more), 'at least 1.09')
  const most = make('server', 'none', slower)
  t.equal(printRatio(most.contrast, most), 'at most 0.90')
  const record = makeRecord({ arms: most.arms, contrasts: [most.contrast] })
  const [cells] = pageTable(contrastTable(record)).rows
  t.ok(cells.includes('≤ 0.90'))
  t.notOk(cells.some(cell => cell.includes('0.80')), 'no estimate')
  t.match(ratioRows(record), [{ low: null, high: 0.9 }])
})
