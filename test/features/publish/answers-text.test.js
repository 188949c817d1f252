/** Tests that the page and the terminal print the answers of runs, with their tables, by question. */
import t from '../../support/tap.js'
import { answersPage, answersText } from '../../../bench/features/publish/answers-text.js'
import { claimsPage } from '../../../bench/features/publish/claims-page.js'
import { toStyle } from '../../../bench/report/wrap.js'
import { answerTo, toAnswer } from '../../support/rendered.js'
import { makeArm, makeContrast, makeEnvironment, makePlan, makeRecord } from '../../support/record.js'

/** @import { Experiment, RunRecord } from '../../../bench/types.js' */
/** @import { Question } from '../../../bench/features/publish/questions.js' */

/** @type {Question} */
const question = {
  id: 'x', question: 'Which one?', runs: ['uds', 'brotli'], dependsOn: 'the app', check: ['run uds --release current']
}
const style = toStyle(200)
const NO_ERRORS = { non2xx: 0, timeouts: 0, resets: 0, mismatches: 0 }
const open = makeRecord({
  run: '2024-05-07T07-08-09Z-brotli',
  experiment: 'brotli',
  contrasts: [makeContrast({ arm: 'uds', baseline: 'tcp', verdict: 'inconclusive', ratio: 1, low: 0.8, high: 1.2 })]
})

t.test('prints the answer of the only run, or the first sentence of each', async t => {
  const record = makeRecord()
  t.strictSame(answerTo(question, [record]).sentences, [toAnswer(record)])
  t.strictSame(answerTo(question, [record, open]).sentences, [
    toAnswer(record), 'Whether uds serves more or less than tcp is open (−20 to +20 %).'
  ])
  const plan = makePlan({ answer: { by: 'errors' } })
  const failing = makeRecord({ plan, arms: [makeArm({ name: 'uds', errors: { ...NO_ERRORS, resets: 2 } }), makeArm()] })
  t.equal(toAnswer(failing), 'Requests failed with uds (2 errors). No request failed with keepalive.')
  t.strictSame(answerTo(question, [failing, open]).sentences[0], 'Requests failed with uds (2 errors).')
  const unanswered = answerTo({ ...question, chart: true }, [])
  t.strictSame(unanswered.sentences, ['Not measured yet.'])
  t.notMatch(answersPage([unanswered]), '![Chart]', 'its chart does not exist')
})

t.test('conditions name the CPU time of the app in the lowest and the highest run', async t => {
  const costing = (/** @type {number} */ server) => makeRecord({
    arms: [makeArm({ name: 'uds', cpuMicrosPerRequest: { load: 9, proxy: 9, server } })]
  })
  const asked = { ...question, dependsOn: 'the app (#)', costOf: 'uds' }
  const print = (/** @type {RunRecord[]} */ ...records) => answerTo(asked, records).question.dependsOn
  t.strictSame([print(costing(36.4)), print(costing(112), costing(36.4)), print()],
    ['the app (36 µs)', 'the app (36 to 112 µs)', 'the app (not measured)'])
})

t.test('a contrast of which nothing is known is left out, and the others keep their ratios', async t => {
  const why = { code: /** @type {const} */ ('generator-bound-both'), params: {} }
  const record = makeRecord({
    contrasts: [
      makeContrast({ arm: 'keepalive', baseline: 'tcp', verdict: 'inconclusive', why }),
      makeContrast({ arm: 'uds', baseline: 'keepalive', verdict: 'slower', ratio: 0.8, low: 0.787, high: 0.813 })
    ]
  })
  const rows = answersPage([answerTo(question, [record])]).split('\n').filter(line => /^\| (keepalive|uds) /.test(line))
  t.strictSame(rows, ['| uds | keepalive | 0.80 | 0.79 to 0.81 | slower |'])
})

t.test('prints the ratios of the first run, once on the page', async t => {
  const record = makeRecord()
  const older = makeRecord({ run: '2024-05-05T07-08-09Z-uds' })
  const answers = [answerTo(question, [record, older, open]), answerTo({ ...question, id: 'y' }, [record])]
  const page = answersPage(answers)
  t.ok(page.includes(`; runs ${record.run}, ${older.run}, ${open.run}\n`), 'the set of runs of the question')
  t.notMatch(page, /-uds:\n/, 'one table needs no heading')
  t.strictSame(page.split('\n').filter(line => line.startsWith('| uds ')),
    ['| uds | 0.800 | 0.787 to 0.813 | slower |'])
  const text = answersText(answers, style)
  t.equal(text.split('\n').filter(line => /^uds .*slower$/.test(line)).length, 1)
})

t.test('the page and the terminal contain the answer, its conditions, the command and the run', async t => {
  const record = makeRecord()
  const made = [answerTo(question, [record])]
  const [page, text] = [answersPage(made), answersText(made, style)].map(printed => printed.replace(/\s+/g, ' '))
  for (const part of [toAnswer(record), 'It depends on the app.', record.run]) {
    t.ok(page.includes(part), part)
    t.ok(text.includes(part), part)
  }
  t.ok(page.includes('`hopbench run uds --release current`'))
  t.ok(text.includes('npm run hopbench -- run uds --release current'))
})

/** @type {Experiment} */
const experiment = {
  title: 't', question: 'q', source: null, arms: {}, protocol: 'slices', unit: 'requests', claims: makePlan().claims
}
/**
 * Prints the page of answers, the terminal and the page of claims.
 * @param {RunRecord[]} records
 */
const print = records => {
  const made = records.map(record => answerTo(question, [record]))
  return [
    answersPage(made), answersText(made, style),
    claimsPage(records.map(record => ({ name: 'uds', experiment, record })))
  ]
}

t.test('the pages and the terminal report once that runs are from several machines', async t => {
  const records = [makeRecord({ run: '2024-05-06T07-08-09Z-uds' }),
    makeRecord({ run: '2024-05-07T07-08-09Z-uds', environment: makeEnvironment({ kernel: '5.15.0' }) })]
  const sentence = /These are 2 runs on 2 machines \(Example CPU @ 2\.80GHz with 2 cores, Linux 6\.1 and /g
  for (const text of print(records)) t.equal(text.match(sentence)?.length, 1)
  for (const text of print(records.slice(1))) t.equal(text.match(sentence), null)
})

t.test('the pages and the terminal report once that figures of Node are older than the measured warm-up', async t => {
  const plan = makePlan({ warmUp: { limitSeconds: 60 } })
  const warm = makeRecord({ run: '2024-05-07T07-08-09Z-uds', startedAt: '2024-05-07T07:08:09.000Z', plan })
  const start = 'The figures of Node'
  const others = ' Those of runs since 2024-05-07 do not.'
  const linked = `${start} here predate the [measured warm-up](method.md#warm-up).${others}`
  const plain = `${start} are older than the measured warm-up: they contain time in which V8 was compiling.${others}`
  const sentences = [linked, plain, linked]
  t.notMatch(print([makeRecord()])[0], others)
  for (const [i, text] of print([makeRecord(), makeRecord(), warm]).entries()) {
    t.strictSame(text.split('\n').filter(line => line.startsWith(start)), [sentences[i]])
  }
  for (const text of print([warm])) t.notOk(text.includes(start))
})
