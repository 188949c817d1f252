/** Tests which tables docs/answers.md has below an answer. */
import t from '../support/tap.js'
import { answerTo } from '../../bench/report/answers/answer.js'
import { answersPage } from '../../bench/report/answers/page.js'
import { makeArm, makeContrast, makeRecord } from '../support/record.js'

/** @import { RunRecord } from '../../bench/types.js' */
/** @import { Question } from '../../bench/report/answers/questions.js' */

/** @type {Question} */
const question = {
  id: 'x',
  question: 'Which one?',
  experiment: 'uds',
  by: 'pairs',
  pairs: [['uds-keepalive', 'keepalive']],
  second: { experiment: 'brotli', pairs: [['uds-keepalive', 'keepalive']] },
  dependsOn: 'the app',
  configuration: 'nginx:uds-keepalive/express-json',
  pages: ['method.md']
}
/** @type {(run: string, overrides?: Partial<RunRecord>) => RunRecord} */
const record = (run, overrides) => makeRecord({ run, ...overrides })

t.test('prints the contrasts of every run of an answer, once on the page', async t => {
  const answer = answerTo(question, { records: [record('first'), record('older')], second: record('second') })
  const page = answersPage([answer, { ...answer, question: { ...question, id: 'y' } }], { charts: [] })
  const captions = page.split('\n').filter(line => /^Relative throughput.*:$/.test(line))
  t.strictSame(captions, ['Relative throughput:', 'Relative throughput in the run older:',
    'Relative throughput in the run second:'])
  t.match(page, /Tables: under \[Which one\?\]\(#x\)/)
})

t.test('prints all tables of a run whose contrasts alone are above', async t => {
  const answer = answerTo(question, { records: [record('first')], second: record('second') })
  const other = answerTo({ ...question, id: 'y' }, { records: [record('second')] })
  const page = answersPage([answer, other], { charts: [] })
  t.equal(page.split('\n').filter(line => line.startsWith('Throughput, ')).length, 2)
  t.notMatch(page, 'Tables: under')
})

t.test('notes that the rates of arms contradict their ratio, where these are from different blocks', async t => {
  const contrasts = [makeContrast({ arm: 'uds', baseline: 'tcp', ratio: 1.2, low: 1.1, high: 1.3 })]
  const arm = (/** @type {string} */ name, /** @type {number} */ median, /** @type {number} */ trials) =>
    makeArm({ name, trials, rps: { median, low: median, high: median } })
  const page = (/** @type {ReturnType<typeof makeArm>[]} */ ...arms) =>
    answersPage([answerTo(question, { records: [record('first', { arms, contrasts })] })], { charts: [] })
  const note = /own blocks, 17 to 178: .* compare two arms by their ratio\. The rates contradict .* uds against tcp\.$/m
  t.match(page(arm('uds', 1500, 178), arm('tcp', 1000, 17)), note)
  t.notMatch(page(arm('uds', 1200, 178), arm('tcp', 1000, 17)), /own blocks/, 'the rates agree with the ratio')
  t.notMatch(page(arm('uds', 1500, 178), arm('tcp', 1000, 178)), /own blocks/, 'the same blocks')
})
