/** The report of rollouts. */
import t from '../../support/tap.js'
import rolloutKind from '../../../bench/features/rollout/kind.js'
import { asForeign } from '../../../bench/plan/foreign.js'
import { renderText } from '../../../bench/report/text.js'
import { kindOf } from '../../../bench/run/kinds.js'
import { findFault } from '../../../bench/store/record-format.js'
import { makeLoss, makeResult, makeRolloutArm, makeRolloutRecord } from '../../support/rollouts.js'

/** @type {any} */
const kind = rolloutKind
const held = makeRolloutArm({ way: 'blue-green', title: 'blue-green by a reload of nginx' })
const lossy = makeRolloutArm({ rollouts: [30, 0, 0, 60, 10].map(lost => makeResult({ lost })) })

t.test('answers with the way that loses the least, and with what the others lose', async t => {
  const record = makeRolloutRecord([lossy, held])
  t.equal(kindOf(record), kind)
  t.equal(kind.answer(record).text, 'Blue-green by a reload of nginx loses 0 of 20,000 requests in 5 rollouts (if ' +
    'independent, at most 1.8 of 10,000). Of 10,000 requests stop-start loses 50.')
})

t.test('an interrupted run is reported with the rollouts that it has', async t => {
  const record = makeRolloutRecord([held])
  const timing = { ...record.timing, blocks: 12 }
  const { text } = kind.answer({ ...record, timing, complete: false })
  t.match(text, /^The run was interrupted after 12 rollouts\. Blue-green/)
  t.equal(kind.answer(makeRolloutRecord([makeRolloutArm({ rollouts: [] })])).text, 'There is no valid measurement.')
  const failed = makeRolloutArm({ rollouts: [makeResult({ failure: 'The new build ended' })] })
  t.equal(kind.answer(makeRolloutRecord([failed])).text, 'There is no valid rollout: The new build ended.')
  const late = makeRolloutArm({ rollouts: [makeResult({ lagMs: 70 })] })
  t.match(kind.answer(makeRolloutRecord([late])).text, /^There is no valid rollout: the clients were late/)
})

t.test('prints a row for each arm, the limits of the figures and the causes of losses within 80 columns', async t => {
  const failed = makeRolloutArm({ way: 'pm2-reload', rollouts: [makeResult({ failure: 'the new build ended.' })] })
  const text = renderText(makeRolloutRecord([lossy, held, failed]), kind, { columns: 80 })
  t.match(text, /stop-start +20,000 +100 +50 \([\d.]+ to \d+\) +0 +0 +40 ms +0\.1 s/)
  t.match(text, /pm2-reload +the new build ended\./)
  t.match(text, /Of 4 files of the old build the new one does not have 2\./)
  t.match(text, /stop-start: connection refused, 100 × pages: in the 1\.2 s in which no process\s+listened\./)
  t.match(text, /Bounds without a loss are over requests/)
  t.ok(text.split('\n').every(line => line.length <= 80))
})

t.test('states that a single rollout shows no variation', async t => {
  const text = renderText(makeRolloutRecord([makeRolloutArm({ rollouts: [makeResult()] })]), kind)
  t.match(text, /One rollout does not show the variation/)
  t.notMatch(text, /Bounds without a loss/)
})

t.test('prints commands that show the losses, and none of a foreign run', async t => {
  const gone = makeLoss({ client: 'late-file', path: "/assets/it's-1a2b3c4d.js", outcome: 'gone', build: 'old' })
  const record = makeRolloutRecord([makeRolloutArm({ rollouts: [makeResult({ losses: [gone, makeLoss()] })] })])
  t.match(kind.next(record, 'r').map((/** @type {{ command: string[] }} */ { command }) => command.join(' ')), [
    /^curl -sI 'http:\/\/localhost:3000\/assets\/it'\\''s-1a2b3c4d\.js'$/, /^while sleep 0\.05; do curl /
  ])
  t.strictSame(kind.next({ ...record, plan: asForeign(record.plan) }, 'r'), [])
})

t.test('prints what the new build does wrong at SIGTERM, with the lines of its framework', async t => {
  const toText = (/** @type {any} */ app) => renderText(makeRolloutRecord([held], { app }), kind)
  const faults = [{ code: 'cuts', text: 'SIGTERM cuts requests in flight.' }]
  t.match(toText({ faults, framework: 'express' }),
    /The new build at SIGTERM\nSIGTERM cuts requests in flight\.\nLines for express, after: .*\n {4}const open = /)
  t.notMatch(toText({ faults, framework: 'constructor' }), /Lines for/)
  const whole = toText({ faults: [], framework: null })
  t.match(whole, /At SIGTERM the new build completes its requests/)
})

t.test('reports how streams and WebSockets end', async t => {
  const clients = makeResult().clients.concat({ client: 'stream', requests: 4, counts: { ok: 1, reset: 3 } })
  const text = renderText(makeRolloutRecord([makeRolloutArm({ rollouts: [makeResult({ clients })] })]), kind)
  t.match(text, /stop-start: 1 stream kept and 3 streams reset\./)
})

t.test('exports the share of lost requests with its interval', async t => {
  const [metric] = kind.metrics(makeRolloutRecord([lossy]))
  t.match(metric, { subject: 'stop-start', measure: 'lost', better: 'smaller', value: 0.005 })
  t.ok(Number(metric.low) < 0.005 && Number(metric.high) > 0.005)
})

t.test('a stored record has the format of the schema', async t => {
  const record = makeRolloutRecord([lossy, held])
  t.equal(findFault('record', JSON.parse(JSON.stringify(record))), null)
  t.match(findFault('record', { ...record, rollout: { ...record.rollout, rate: -1 } }), /rate/)
})

t.test('the answer names the policy for files and the reload of the best way', async t => {
  const best = makeRolloutArm({ title: 'blue-green by a reload of nginx', policy: 'kept', retries: true })
  t.match(kind.answer(makeRolloutRecord([best])).text,
    /^Blue-green by a reload of nginx with kept files with a reload of the page loses 0 /)
})
