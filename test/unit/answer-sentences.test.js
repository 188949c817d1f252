/** Tests sentences of answers that follow from CPU time, from sizes of files, and from plays. */
import t from '../support/tap.js'
import { findExperiment } from '../../bench/plan/plugins.js'
import { bottleneckSentence, bytesSentence, costSentence } from '../../bench/report/answers/costs.js'
import { behaviourSentences, relatedSentence } from '../../bench/report/answers/behaviour.js'
import { everySentences } from '../../bench/report/answers/every.js'
import { QUESTIONS } from '../../bench/report/answers/questions.js'
import { makeArm, makeContrast, makeRecord } from '../support/record.js'

/** @import { ArmResult, AnswerWords } from '../../bench/types.js' */

/** @type {(name: string, cpu: { proxy: number, server: number }, spec?: string) => ArmResult} */
const arm = (name, cpu, spec = `${name}:uds-keepalive/express-json`) =>
  makeArm({ name, spec, cpuMicrosPerRequest: { load: 10, ...cpu } })

t.test('names the proxies that would limit the rate of the app with a core each', async t => {
  const names = { nginx: 'nginx', caddy: 'Caddy', varnish: 'Varnish' }
  const arms = [arm('nginx', { proxy: 70, server: 120 }), arm('caddy', { proxy: 140, server: 132 }),
    arm('varnish', { proxy: 234, server: 142 })]
  t.strictSame(bottleneckSentence({ names }, makeRecord({ arms })), ['With a core each for proxy and app the app is ' +
    'the bottleneck behind nginx; Caddy and Varnish would limit the rate, with more CPU time per request than this ' +
    'app uses.'])
  t.strictSame(bottleneckSentence({ names }, makeRecord({ arms: arms.slice(0, 1) })), [], 'nothing to compare')
})

t.test('marks arms as not separated where intervals against the same baseline overlap', async t => {
  const against = (/** @type {string} */ name, /** @type {[number, number]} */ [low, high]) =>
    makeContrast({ arm: name, baseline: 'nginx', ratio: (low + high) / 2, low, high, verdict: 'slower' })
  const arms = [arm('direct', { proxy: 0, server: 100 }, 'express-json'), arm('nginx', { proxy: 60, server: 100 }),
    arm('apache', { proxy: 170, server: 120 }), arm('caddy', { proxy: 150, server: 120 })]
  const costs = { arms: arms.map(({ name }) => name) }
  const sentence = (/** @type {[number, number]} */ apache) => costSentence({ costs },
    makeRecord({ arms, contrasts: [against('caddy', [0.5, 0.6]), against('apache', apache)] }))[0]
  t.match(sentence([0.55, 0.65]), /with nginx, \+170 µs with caddy and \+190 µs with apache \(not separated\)\.$/)
  t.match(sentence([0.4, 0.45]), /\+170 µs with caddy, \+190 µs with apache\.$/)
})

t.test('names the base configuration and the effect of a directive by the size of the files', async t => {
  const off = (/** @type {string} */ size, /** @type {Partial<ReturnType<typeof makeContrast>>} */ overrides) =>
    makeContrast({ arm: `${size}, off`, baseline: size, ...overrides })
  const contrasts = [off('1 KB', {}), off('10 KB', { verdict: 'inconclusive' }),
    off('100 KB', { verdict: 'slower', ratio: 0.6, low: 0.5, high: 0.7 }), off('1 MB', { verdict: 'inconclusive' })]
  const [question] = QUESTIONS
  const bySize = { directive: 'sendfile', without: contrasts.map(({ arm }) => arm) }
  const [change, pays] = everySentences({ ...question, base: 'sendfile on', bySize, names: {} },
    makeRecord({ contrasts }))
  t.match(change, /^With \/ over 100 connections, against sendfile on, throughput changes by /)
  t.equal(pays, 'By the size of the files, sendfile pays at 100 KB; costs throughput at 1 KB; its effect is open at ' +
    '10 KB and 1 MB. It begins to pay between 1 KB and 100 KB.')
  const [small, , large] = contrasts
  const again = everySentences({ ...question, bySize, names: {} }, makeRecord({
    contrasts: [{ ...large, baseline: '0 KB' }, small, large]
      .map((contrast, i) => ({ ...contrast, arm: bySize.without[i] }))
  }))
  t.match(again[1], 'It begins to pay between 1 KB and 100 KB.', 'the last size at which it costs')
  const never = everySentences({ ...question, bySize, names: {} }, makeRecord({ contrasts: contrasts.slice(0, 2) }))
  t.equal(never[1], 'By the size of the files, sendfile costs throughput at 1 KB; its effect is open at 10 KB.')
})

t.test('prints the effect of an arm in the clause of the one that it belongs to', async t => {
  const contrasts = [makeContrast({ arm: 'log', baseline: 'base', verdict: 'slower', ratio: 0.8, low: 0.7, high: 0.9 }),
    makeContrast({ arm: 'log buffered', baseline: 'base', verdict: 'inconclusive', ratio: 1, low: 0.9, high: 1.1 })]
  const [question] = QUESTIONS
  const names = { log: 'a log', 'log buffered': 'a buffer' }
  const [change, ...more] = everySentences({ ...question, names, beside: { log: 'log buffered' } },
    makeRecord({ contrasts }))
  t.ok(change.endsWith(' by −20 % (−30 to −10 %) with a log, and by +0 % (−10 to +10 %) with a buffer, which is open.'))
  t.strictSame(more, [], 'and not again')
  const alone = everySentences({ ...question, names, beside: { gone: 'log buffered' } }, makeRecord({ contrasts }))
  t.match(alone[1], /^Open on this machine: by \+0 % .* with a buffer\.$/)
})

t.test('lists the bytes of responses, without arms that were not measured', async t => {
  const bytes = ['ahead', 'plain', 'unknown']
  const arms = [makeArm({ name: 'plain', bytesPerResponse: 8798 }), makeArm({ name: 'ahead', bytesPerResponse: 3500 }),
    makeArm({ name: 'unknown', bytesPerResponse: null })]
  t.strictSame(bytesSentence({ bytes, names: { ahead: 'files compressed ahead' } }, makeRecord({ arms })),
    ['Bytes per response: 3,500 with files compressed ahead and 8,798 with plain.'])
  t.strictSame(bytesSentence({}, makeRecord({ arms })), [])
})

t.test('computes the share of the added CPU time for an app that uses more', async t => {
  const arms = [arm('direct', { proxy: 0, server: 100 }, 'express-json'), arm('nginx', { proxy: 60, server: 95 }),
    arm('caddy', { proxy: 150, server: 115 })]
  const costs = { arms: arms.map(({ name }) => name), addedMicros: 1000 }
  t.equal(costSentence({ costs, names: { nginx: 'NGINX' } }, makeRecord({ arms, contrasts: [] }))[1],
    'By calculation, if the added time stayed the same, an app that uses 1,000 µs more would need 5 % more CPU time ' +
    'with NGINX and 15 % with caddy; at a lower rate a request costs more.')
})

t.test('questions name arms of their experiments in costs, sizes and forms', async t => {
  for (const { id, experiment, costs, beside = {}, bySize, forms = [], second } of QUESTIONS) {
    const arms = (await findExperiment(experiment))?.arms ?? {}
    const formNames = forms.flatMap(({ names = {} }) => Object.keys(names))
    const names = [...costs?.arms ?? [], ...bySize?.without ?? [], ...Object.entries(beside).flat(), ...formNames]
    for (const name of names) t.ok(name in arms, `${id}: ${name}`)
    const secondArms = second ? (await findExperiment(second.experiment))?.arms ?? {} : {}
    for (const name of second?.costs?.arms ?? []) t.ok(name in secondArms, `${id}: ${name}`)
  }
})

/**
 * Returns a run with plays.
 * @param {Record<string, Record<string, [requests: number, failures: number]>>} counted by arm and kind of request
 * @param {AnswerWords} answer
 * @param {{ name: string, unit: string, values: number[] }} [figure] with a value for each arm
 */
function played (counted, answer, figure) {
  const record = makeRecord({ experiment: 'reload-kill', question: 'What fails?', contrasts: [] })
  const arms = Object.entries(counted).map(([name, kinds], i) => makeArm({
    name,
    plays: {
      plays: 1,
      groups: Object.entries(kinds).map(([kind, [requests, failures]]) =>
        ({ name: kind, requests, counts: { ok: requests - failures, reset: failures } })),
      figures: figure
        ? [{ name: figure.name, unit: figure.unit, value: figure.values[i], low: 0, high: 0 }]
        : [],
      evidence: []
    }
  }))
  return { ...record, arms, plan: { ...record.plan, protocol: 'plays', answer } }
}

t.test('answers in each form of the question, with the failure rate that no failure does not exclude', async t => {
  const record = played({
    nginx: { GET: [450, 0], POST: [450, 13] }, haproxy: { GET: [450, 3], POST: [450, 4] }, longer: { POST: [50, 0] }
  }, { by: 'behaviour', group: 'POST' })
  const forms = [
    { group: 'POST', requests: 'POSTs at that moment', names: { longer: 'a longer timeout' } },
    { group: 'GET' }
  ]
  t.strictSame(behaviourSentences({ forms }, record), [
    'Of 10,000 POSTs at that moment fail: 289 (170 to 488) with nginx and 89 (35 to 226) with HAProxy (not ' +
      'separated). No request (POST) failed with a longer timeout (of 50), which does not exclude 713 of 10,000.',
    'Of 10,000 requests (GET) fail: 67 (23 to 194) with HAProxy. No request (GET) failed with nginx (of 450), which ' +
      'does not exclude 85 of 10,000.'
  ])
  const without = played({ nginx: { POST: [450, 0] }, longer: { POST: [50, 0] } }, { by: 'behaviour', group: 'POST' })
  t.match(behaviourSentences({}, without)[0], 'does not exclude 85 to 713 of 10,000.')
})

t.test('prints failed requests with those behind them, and marks neighbours that are not separated', async t => {
  const figure = { name: 'failed requests', unit: 'per release', values: [3, 1 / 3, 1 / 6] }
  const record = played({ apache: { GET: [3466, 180] }, haproxy: { GET: [2531, 2] }, nginx: { GET: [2470, 1] } },
    { by: 'behaviour', figure: 'failed requests' }, figure)
  t.strictSame(behaviourSentences({}, record), ['Failed requests, per release: 3 (180 of 3,466) with Apache, 0.33 (2 ' +
    'of 2,531) with HAProxy and 0.17 (1 of 2,470) with nginx (not separated).'])
  t.match(relatedSentence(record), /^What fails\? Failed requests, per kill: 3 /, 'in the form of its own question')
})

t.test('leads with the share of slow requests, where a percentile does not separate the arms', async t => {
  const figure = { name: 'slow ones', unit: '%', values: [18.37, 0] }
  const record = played({ one: { others: [1584, 0] }, four: { others: [1584, 0] } }, { by: 'behaviour' }, figure)
  t.strictSame(behaviourSentences({ forms: [{ figure: 'slow ones' }] }, record),
    ['Slow ones: 18 % with one and 0 % with four.'])
})
