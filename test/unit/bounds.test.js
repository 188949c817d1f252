import { readFileSync } from 'node:fs'
import t from 'tap'
import { RATIOS } from '../../bench/report/answers/other-machine.js'
import { answerTo } from '../../bench/report/answers/answer.js'
import { QUESTIONS } from '../../bench/report/answers/questions.js'
import { boundClause, findBound, printRatio, printRatioShare } from '../../bench/report/bounds.js'
import { toAnswer } from '../../bench/report/answer.js'
import { ratioRows } from '../../bench/report/page/ratio-chart.js'
import { pageTable } from '../../bench/report/table.js'
import { contrastTable } from '../../bench/report/tables/arms.js'
import { estimateText } from '../../bench/shared/format.js'
import { makeArm, makeContrast, makeRecord } from '../support/record.js'

/** @import { ArmResult, Contrast } from '../../bench/types.js' */

/** @typedef {ArmResult['bound']} Bound */

/**
 * Makes two arms with these bottlenecks, and their contrast.
 * @param {Bound} armBound
 * @param {Bound} baselineBound
 * @param {Partial<Contrast>} [contrast]
 */
const make = (armBound, baselineBound, contrast) => ({
  arms: [makeArm({ name: 'uds', bound: armBound }), makeArm({ name: 'tcp', bound: baselineBound })],
  contrast: makeContrast({ arm: 'uds', baseline: 'tcp', ...contrast })
})
const slower = { verdict: /** @type {const} */ ('slower'), ratio: 0.8, low: 0.7, high: 0.9 }

t.test('finds the direction in which the true ratio may differ', async t => {
  /** @type {[Bound, Bound, Contrast['oneSided']][]} */
  const cases = [['none', 'server', 'at-least'], ['proxy', 'none', 'at-most'], ['none', 'none', null],
    ['server', 'proxy', null], ['load', 'server', null]]
  for (const [armBound, baselineBound, expected] of cases) {
    for (const verdict of [{}, slower]) {
      const { contrast, arms } = make(armBound, baselineBound, verdict)
      t.equal(findBound(contrast, arms), expected, `${armBound}, ${baselineBound}, ${contrast.verdict}`)
    }
  }
  const { contrast, arms } = make('none', 'server', { verdict: 'no-difference' })
  t.equal(findBound(contrast, arms), null, 'equal arms')
  t.equal(findBound({ ...contrast, oneSided: 'at-most' }, arms), 'at-most', 'a bound of the analysis')
})

t.test('prints bounds in sentences, tables and charts', async t => {
  const more = make('none', 'server')
  t.equal(printRatio(more.contrast, more.arms), 'at least 1.09')
  t.equal(boundClause(more.contrast, more.arms), ', and was not saturated itself')
  const most = make('server', 'none', slower)
  t.equal(printRatioShare(most.contrast, most.arms), 'at most 90 %')
  t.equal(boundClause(most.contrast, most.arms), ', which was not saturated')
  t.equal(boundClause(most.contrast, make('server', 'server').arms), '')
  const record = makeRecord({ arms: most.arms, contrasts: [most.contrast] })
  t.ok(pageTable(contrastTable(record)).rows[0].includes('≤ 0.90'))
  t.match(ratioRows(record), [{ low: null, high: 0.9 }])
})

t.test('words a bound of the answer of a run, also of a loss', async t => {
  /** @param {ReturnType<typeof make>} pair */
  const answer = ({ arms, contrast }) => toAnswer(makeRecord({ arms, contrasts: [contrast] }))
  t.match(answer(make('none', 'server')), /uds serves at least 9 % more than tcp/)
  t.match(answer(make('server', 'none')), /uds serves at most 15 % more than tcp/)
  t.match(answer(make('server', 'none', slower)), /uds serves at least 10 % less than tcp/)
  t.match(answer(make('none', 'server', slower)), /uds serves at most 30 % less than tcp/)
  t.match(answer(make('server', 'none', { ratio: 3, low: 2.8, high: 3.2 })), /uds serves at most 3\.20 times as much/)
})

t.test('compares with the other kind of machine, whose figures are those of docs/method.md', async t => {
  const method = readFileSync(new URL('../../docs/method.md', import.meta.url), 'utf8')
  for (const ratio of RATIOS) t.ok(method.includes(`| ${estimateText(ratio)} |`), estimateText(ratio))
  const question = QUESTIONS.find(({ id }) => id === 'cache') ?? QUESTIONS[0]
  const contrasts = [makeContrast({ arm: 'uds-keepalive-cache', baseline: 'uds-keepalive', ratio: 4, low: 3, high: 5 })]
  const record = makeRecord({ experiment: 'cache', contrasts })
  t.match(answerTo(question, { records: [record] }).more[0],
    /^On a machine of another kind \(Intel Xeon\): .*-cache ÷ .* is 4\.04 \(3\.77 to 4\.33\) there, 4\.00 \(3\.00 /)
  const environment = { ...record.environment, cpu: { ...record.environment.cpu, model: 'Intel Xeon' } }
  t.strictSame(answerTo(question, { records: [{ ...record, environment }] }).more, [])
})
