/** @import { Plan, Sample } from '../../bench/types.js' */
import { createServer } from 'node:http'
import { join } from 'node:path'
import t from '../support/tap.js'
import { judgeOpenLoop } from '../../bench/judge/open-loop.js'
import wrk from '../../bench/engines/wrk.js'
import { addOpenLoop, toOpenLoopPlan } from '../../bench/plan/open-loop.js'
import { loadExperiments } from '../../bench/plan/plugins.js'
import { tableCsv } from '../../bench/report/page/csv.js'
import { openLoopAnswer, openLoopSentences, openLoopTable, openLoopTitle } from '../../bench/report/open-loop.js'
import { pageTable } from '../../bench/report/table.js'
import { planFrom } from '../../bench/request/request.js'
import { listening } from '../support/listening.js'
import { makeRecord } from '../support/record.js'
import { sampleOf } from '../support/samples.js'
import { toAnswer } from '../support/rendered.js'

const WORDS = ['express-json', 'nginx:keepalive/express-json']
const options = { lab: false, rate: 800, seed: 1 }

/** @type {(rate?: number) => Promise<Plan>} */
const planAt = async (rate = 800) => toOpenLoopPlan(/** @type {any} */ (
  (await planFrom(WORDS, { ...options, rate })).plan))

/** @type {(arm: string, changes: Partial<Sample>) => Sample} */
const windowOf = (arm, changes) => ({
  ...sampleOf({ arm }),
  seconds: 4,
  requests: 3200,
  lagMs: { p50: 0.1, p99: 1, max: 2 },
  backlog: { middle: 1, end: 1, answered: 3200 },
  latencyMs: { p50: 1, p90: 2, p95: 3, p99: 4, max: 5, rate: 800, source: 'paced, open loop' },
  invalid: null,
  ...changes
})

t.test('plans every arm but the twin at the same rate', async t => {
  const { arms, contrasts, protocol } = await planAt()
  t.same(arms.map(({ name }) => name), WORDS)
  for (const { load } of arms) t.match(load, { rate: 800, engine: 'paced', connections: 400 })
  t.same(contrasts, [])
  t.equal(protocol, 'rates')
})

t.test('divides a typed budget, and extends the default one', async t => {
  const usual = (await planFrom(WORDS, { ...options, rate: undefined })).plan
  const extended = (await planFrom(WORDS, options)).plan
  t.equal(extended.targets.budgetSeconds, usual.targets.budgetSeconds)
  const divided = (await planFrom(WORDS, { ...options, quick: true, budget: 100 })).plan
  const { seconds = 0 } = divided.openLoop ?? {}
  t.ok(seconds > 0)
  t.equal(divided.targets.budgetSeconds, 100 - seconds)
  await t.rejects(planFrom(WORDS, { ...options, quick: true, budget: 20 }),
    { code: 'bad-option', message: /^--budget/ })
})

t.test('refuses --rate where it has no meaning, with the reason', async t => {
  const refused = ['latency', 'users', 'connections', 'blog-cache', 'tls-handshakes', 'time-wait']
  for (const name of refused) {
    await t.rejects(planFrom([name], options), { code: 'bad-option', message: /^--rate/ }, name)
  }
  await t.rejects(planFrom(['express-json'], { ...options, load: [{ name: 'me@load', ssh: ['ssh'] }] }),
    { code: 'bad-option', message: /^--rate/ })
  await t.rejects(planFrom(['nginx:keepalive+tls=ecdsa-p256+http2/express-json'], options), { code: 'engine-cannot' })
  t.throws(() => addOpenLoop({ ...makeRecord().plan, unit: 'bytes' }, 800, {}), { code: 'bad-option' })
})

t.test('accepts --rate in experiments that count requests', async t => {
  for (const name of ['uds', 'proxies', 'cache']) {
    const { plan } = await planFrom([name], options)
    t.equal(plan.openLoop?.rate, 800, name)
  }
})

t.test('claims no percentile of an arm whose queue grows', async t => {
  const part = await planAt()
  const [front, behind] = WORDS
  const arms = judgeOpenLoop(part, [
    windowOf(front, {}),
    // The trial has errors besides, because responses took longer than the limit.
    windowOf(behind, {
      backlog: { middle: 700, end: 1500, answered: 1700 },
      invalid: { code: 'errors', params: { errors: sampleOf({}).errors, requests: 1700 } }
    })
  ], new Map())
  t.match(arms[0], { name: front, sustained: true, answeredPerSecond: 800, latencyMs: { p99: 4 }, responses: 3200 })
  t.match(arms[1], { name: behind, sustained: false, answeredPerSecond: 425, latencyMs: null })
})

t.test('does not call a pause of the generator an overload', async t => {
  const part = await planAt()
  const late = { lagMs: { p50: 1, p99: 300, max: 400 }, backlog: { middle: 1, end: 200, answered: 3000 } }
  const [arm] = judgeOpenLoop(part, [windowOf(WORDS[0], {
    ...late, invalid: { code: 'behind-schedule', params: { p99Ms: 300, limitMs: 10 } }
  })], new Map())
  t.match(arm, { sustained: null, latencyMs: null, why: { code: 'behind-schedule' } })
})

t.test('addresses and experiments of one\'s own that are measured in windows can have an open loop', async t => {
  const port = await listening(t, createServer((req, res) => res.end('x')))
  const urls = [`http://127.0.0.1:${port}/a`, `http://127.0.0.1:${port}/b`]
  const file = join(t.testdir({
    'windows.json': JSON.stringify({ question: 'q', protocol: 'window', arms: { a: 'express-json', b: 'http-json' } })
  }), 'windows.json')
  for (const words of [urls, [file]]) {
    const { plan } = await planFrom(words, options)
    t.match(plan, { protocol: 'window', openLoop: { rate: 800 } })
    t.equal(toOpenLoopPlan(/** @type {any} */ (plan)).arms.length, 2, 'without the twin')
  }
})

t.test('each experiment of hopbench takes --rate or refuses it in one sentence', async t => {
  for (const { name } of await loadExperiments()) {
    const why = await planFrom([name], options).then(() => null, error => error)
    if (why === null) continue
    t.match(why.code, /^(bad-option|engine-cannot)$/, name)
    t.match(why.message, /^[^.]+\.$/, name)
  }
})

t.test('the answer ends with the highest percentile that all arms have at the rate', async t => {
  const part = await planAt()
  const [front, behind] = WORDS
  const answerTo = (/** @type {Sample[]} */ windows) =>
    openLoopAnswer({ rate: 800, windowSeconds: 4, arms: judgeOpenLoop(part, windows, new Map()) })
  t.equal(answerTo([windowOf(front, {}), windowOf(behind, {})]),
    `At 800 req/s the p99 of response time is 4.00 ms with ${front} and 4.00 ms with ${behind}.`)
  t.match(answerTo([windowOf(front, { requests: 900 }), windowOf(behind, {})]), /^At 800 req\/s the p90 /)
  const overloaded = { backlog: { middle: 700, end: 1500, answered: 1700 } }
  t.equal(answerTo([windowOf(front, {}), windowOf(behind, overloaded)]),
    `At 800 req/s the p99 of response time is 4.00 ms with ${front}; the queue of ${behind} grows.`)
  t.equal(answerTo([]), null)
  const openLoop = { rate: 800, windowSeconds: 4, arms: judgeOpenLoop(part, [windowOf(front, {})], new Map()) }
  t.match(toAnswer(makeRecord({ openLoop })), /\. At 800 req\/s the p99 /)
})

t.test('prints one table with the rates of both loops, and says why a percentile is missing', async t => {
  const part = await planAt()
  const [front, behind] = WORDS
  const judged = judgeOpenLoop(part, [
    windowOf(front, { requests: 900 }), windowOf(behind, { backlog: { middle: 700, end: 1500, answered: 1700 } })
  ], new Map())
  const record = makeRecord()
  const arms = record.arms.slice(0, 2).map((arm, i) => ({ ...arm, name: WORDS[i] }))
  const openLoop = { rate: 800, windowSeconds: 4, arms: judged }
  t.match(openLoopTitle(openLoop), 'open loop, at 800 requests a second')
  const { head, rows } = pageTable(openLoopTable({ arms, unit: 'requests' }, openLoop))
  t.equal(rows.length, 2)
  const p99 = head.findIndex(({ text }) => text.startsWith('p99'))
  // 900 responses have only nine above their p99.
  t.equal(rows[0][p99], '–')
  t.equal(rows[1][p99], '–')
  const sentences = openLoopSentences(openLoop)
  t.ok(sentences.some(text => text.includes(`${behind} cannot sustain 800 req/s`)))
  const csv = tableCsv({ ...record, arms, openLoop }).split('\n')
  t.match(csv[0], /openLoopRate,openLoopSustained/)
  t.match(csv[1], /,800,.*/)
})

t.test('wrk gets whole seconds, because it prints its usage for others', async t => {
  const load = { engine: 'wrk', connections: 2, path: '/', headers: {} }
  const target = { url: 'http://127.0.0.1:1', socketPath: null, expectBody: null }
  const [{ argv }] = wrk.command(load, target, { program: 'wrk', dir: '/', maxSeconds: 1.5 }).processes
  t.ok(argv.includes('-d2s'))
  t.equal(argv[argv.indexOf('--timeout') + 1], '2s')
})
