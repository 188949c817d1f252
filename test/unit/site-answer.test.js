/** The answer to "Should nginx serve the files?", from runs of the experiments site and site-latency. */
import t from '../support/tap.js'
import { findExperiment } from '../../bench/plan/plugins.js'
import { answerTo } from '../../bench/report/answers/answer.js'
import { answersPage } from '../../bench/report/answers/page.js'
import { QUESTIONS } from '../../bench/report/answers/questions.js'
import { makeArm, makeContrast, makePlan, makeRecord } from '../support/record.js'

/** @import { ArmResult, Contrast, RunRecord } from '../../bench/types.js' */
/** @import { Question } from '../../bench/report/answers/questions.js' */

const question = /** @type {Question} */ (QUESTIONS.find(({ id }) => id === 'nginx-files'))

/**
 * Returns a run of the experiment site.
 * @param {Partial<Contrast>} [contrast]
 * @param {Partial<ArmResult>} [nginx] differences of the arm whose files nginx serves
 */
const siteRun = (contrast = {}, nginx = {}) => makeRecord({
  experiment: 'site',
  run: '2026-01-02T03-04-05Z-site',
  unit: 'pages',
  arms: [
    makeArm({ name: 'app', cpuMicrosPerRequest: { load: 700, proxy: 0, server: 5000 }, bound: 'server' }),
    makeArm({
      name: 'nginx serves',
      cpuMicrosPerRequest: { load: 400, proxy: 500, server: 300 },
      memoryMiB: { proxy: 8, server: 80 },
      bound: 'proxy',
      ...nginx
    })
  ],
  contrasts: [makeContrast({ arm: 'nginx serves', baseline: 'app', ratio: 6.12, low: 5.9, high: 6.3, ...contrast })]
})

/**
 * Returns a run of the experiment site-latency.
 * @param {[share: number, app: number, nginx: number][]} p99s by share of the lower peak, in ms
 */
function latencyRun (p99s) {
  const step = (/** @type {string} */ of, /** @type {number} */ share, /** @type {number} */ ms) => makeArm({
    name: `${of} ${share}`,
    ladder: { of, step: 0 },
    load: { engine: 'paced', connections: 400, path: '/', headers: {}, share },
    rps: { median: 200 * share, low: 200 * share, high: 200 * share },
    bytesPerResponse: 560_000,
    latencyMs: { p50: 1, p90: 1, p95: 1, p99: 1, max: 1, rate: 1, source: 'paced, open loop' },
    latencyByKind: { app: { responses: 1200, p50: 5, p90: ms, p95: ms, p99: ms, max: ms }, files: null }
  })
  return makeRecord({
    experiment: 'site-latency',
    run: '2026-01-02T04-04-05Z-site-latency',
    unit: 'pages',
    plan: makePlan({ protocol: 'rates', result: 'latency' }),
    arms: p99s.flatMap(([share, app, nginx]) => [step('app serves', share, app), step('nginx serves', share, nginx)]),
    contrasts: []
  })
}
/** @type {(record: RunRecord, second?: RunRecord | null) => ReturnType<typeof answerTo>} */
const answer = (record, second = null) => answerTo(question, { records: [record], second })

t.test('response times that differ little are said to differ little', async t => {
  const { sentence } = answer(siteRun(), latencyRun([[0.5, 7.02, 7.1]]))
  t.match(sentence, 'at half load the p99 of the app\'s own requests differs by less than 10 %: 7.02 ms with the ' +
    'files at the app and 7.10 ms at nginx (p50 5.00 and 5.00 ms).')
})

t.test('answers by page views, and by response times at half load', async t => {
  const { sentence, more } = answer(siteRun(), latencyRun([[0.25, 6.3, 6], [0.5, 9, 6.1], [0.75, 17, 6.2]]))
  t.equal(sentence, 'Yes: with its files at nginx a site serves 6.12 times as many page views (5.90 to 6.30); at ' +
    'half load the p99 of the app\'s own requests is 9.00 ms with the files at the app and 6.10 ms at nginx (p50 ' +
    '5.00 and 5.00 ms).')
  t.match(more.join('\n'), 'one core serves 200 page views a second with the files at the app, and 1,250 with')
  t.match(more.join('\n'), 'memory: 107 and 88 MiB')
  t.match(more.join('\n'),
    '17.0 and 6.20 ms (p50 5.00 and 5.00 ms) at 75 % of the lower peak (150 page views a second, 84.0 MB/s)')
  t.match(more.join('\n'), 'Up to 50 page views a second, 28.0 MB/s it does not matter for the p99 of the app\'s own ' +
    'requests, which differs by less than 10 %; with the files at nginx the p50 changes by +0 %.')
})

t.test('says that file traffic matters at every measured load, or at none', async t => {
  const always = answer(siteRun(), latencyRun([[0.25, 9, 6], [0.5, 9, 6]])).more.join('\n')
  t.match(always, /It matters at the lowest measured load already, 50 page views[^:]*: there the p99 differs by 50 %/)
  const never = answer(siteRun(), latencyRun([[0.25, 6, 6], [0.5, 6.2, 6]])).more.join('\n')
  t.match(never, 'Up to 100 page views a second')
})

t.test('compares no response times from the rate on at which the generator itself was late', async t => {
  const run = latencyRun([[0.25, 6, 6], [0.5, 9, 6], [0.75, 9, 9]])
  const files = { responses: 1200, p50: 1, p90: 1, p95: 1, p99: 1, max: 1 }
  const answerWith = (/** @type {number[]} */ lags) => answer(siteRun(), {
    ...run,
    arms: run.arms.map((arm, i) => ({
      ...arm,
      lagP99Ms: lags[i],
      latencyByKind: { app: arm.latencyByKind?.app ?? null, files: { ...files, p99: i % 2 === 0 ? 2 : 1 } }
    }))
  })
  // At each rate the app is before nginx. At the second rate only the app's generator was late.
  const { sentence, more } = answerWith([0.1, 0.1, 3, 0.1, 0.1, 0.1])
  t.notMatch(sentence, 'at half load')
  t.notMatch(more.join('\n'), '9.00')
  t.match(more.join('\n'), 'with the files at nginx the p50 changes by +0 %, and the p99 of the files changes by ' +
    '−50 %.\nFrom 100 page views a second, 56.0 MB/s on the load generator itself was late (p99 3.00 ms), so ' +
    'response times are not compared there.')
  t.notMatch(answerWith([3, 0.1, 0.1, 0.1, 0.1, 0.1]).more.join('\n'), 'it does not matter')
  const punctual = answerWith([0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
  t.match(punctual.sentence, 'at half load')
  t.notMatch(punctual.more.join('\n'), 'was late')
})

t.test('says a lower bound where nginx was not saturated, or the generator limited it', async t => {
  t.match(answer(siteRun({ oneSided: 'at-least' }, { bound: 'none' })).sentence,
    'serves at least 5.90 times as many page views.')
  t.match(answer(siteRun({ oneSided: 'at-least' }, { bound: 'load' })).sentence, 'at least 5.90 times')
})

t.test('words the other verdicts, and answers without response times', async t => {
  const slower = siteRun({ verdict: 'slower', ratio: 0.8, low: 0.7, high: 0.9 })
  t.match(answer(slower).sentence, /^Not for throughput: .*0.80/)
  t.match(answer(siteRun({ verdict: 'no-difference' })).sentence, /^Throughput is equal/)
  t.match(answer(siteRun({ verdict: 'inconclusive' })).sentence, /open on this machine\.$/)
  const unmeasured = answerTo(question, { records: [makeRecord({ unit: 'pages' })] })
  t.equal(unmeasured.sentence, 'There is no valid measurement.')
})

t.test('the page has the tables of both runs, in page views', async t => {
  const page = answersPage([answer(siteRun(), latencyRun([[0.5, 9, 6]]))], { charts: [] })
  t.match(page, 'CPU time per page view in µs')
  t.match(page, 'Response time in ms of requests to the app, by offered rate')
})

t.test('names arms of the experiments, and has an answer until they were run', async t => {
  const latency = await findExperiment('site-latency')
  for (const name of question.second?.steps ?? []) t.ok(latency && name in latency.arms, name)
  t.equal(question.fallback?.id, question.id)
  t.equal(question.fallback?.experiment, 'static-html')
})
