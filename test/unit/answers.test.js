import t from '../support/tap.js'
import { answerTo } from '../../bench/report/answers/answer.js'
import { answersPage, answersText, describeRun } from '../../bench/report/answers/page.js'
import { claimsPage } from '../../bench/report/claims-page.js'
import { IN_CLONE } from '../../bench/shared/commands.js'
import { makeArm, makeContrast, makeEnvironment, makeJudged, makePlan, makeRecord } from '../support/record.js'
import { sizing } from '../support/sizing.js'

/** @import { recommend } from '../../bench/judge/recommendation.js' */
/** @import { Experiment, RunRecord } from '../../bench/types.js' */
/** @import { Question } from '../../bench/report/answers/questions.js' */

/**
 * @param {Partial<Question>} [overrides]
 * @returns {Question}
 */
const question = (overrides = {}) => ({
  id: 'x',
  question: 'Which one?',
  experiment: 'uds',
  by: 'pairs',
  pairs: [['uds-keepalive', 'keepalive']],
  names: { 'uds-keepalive': 'a pooled Unix socket' },
  dependsOn: 'the app',
  configuration: 'nginx:uds-keepalive/express-json',
  pages: ['method.md'],
  ...overrides
})
/**
 * Answers the usual question from a record with this single contrast.
 * @param {Parameters<typeof makeContrast>[0]} contrast
 */
const pair = contrast =>
  answerTo(question(), { records: [makeRecord({ contrasts: [makeContrast(contrast)] })] }).sentence

t.test('words the answer by the verdict', async t => {
  t.equal(pair({}), 'A pooled Unix socket serves 1.12 (1.09 to 1.15) times as much as keepalive.')
  t.equal(pair({ verdict: 'slower', ratio: 0.8, low: 0.7, high: 0.9 }),
    'A pooled Unix socket reaches 80 % (70 to 90 %) of the throughput of keepalive.')
  t.equal(pair({ verdict: 'no-difference', ratio: 1, low: 0.98, high: 1.02 }),
    'A pooled Unix socket and keepalive have equal throughput: 1.00 (0.98 to 1.02).')
  t.equal(pair({ verdict: 'inconclusive', ratio: 1, low: 0.8, high: 1.2 }),
    'This measurement does not show whether a pooled Unix socket or keepalive serves more: 1.00 (0.80 to 1.20).')
  t.equal(pair({ verdict: 'invalid' }), 'A pooled Unix socket against keepalive could not be measured.')
})

t.test('says a bound where only one arm was not saturated, because it can serve more than it did', async t => {
  const slower = { ratio: 0.16, low: 0.14, high: 0.17 }
  const sentenceOf = (/** @type {Parameters<typeof makeArm>[0]} */ arm, /** @type {typeof arm} */ baseline) => {
    const arms = [makeArm({ ...arm, name: 'uds-keepalive' }), makeArm({ ...baseline, name: 'keepalive' })]
    return answerTo(question(), { records: [makeRecord({ contrasts: [makeJudged(arms, slower)], arms })] }).sentence
  }
  t.equal(sentenceOf({ bound: 'server' }, { bound: 'none' }),
    'A pooled Unix socket reaches at most 17 % of the throughput of keepalive, which was not saturated.')
  t.equal(sentenceOf({ bound: 'server' }, { bound: 'proxy' }),
    'A pooled Unix socket reaches 16 % (14 to 17 %) of the throughput of keepalive.')
  t.equal(sentenceOf({ bound: 'none' }, { bound: 'none' }),
    'A pooled Unix socket reaches 16 % (14 to 17 %, not saturated) of the throughput of keepalive.')
})

t.test('adds the result under an older release line of Node', async t => {
  const under = (/** @type {string} */ node, /** @type {number} */ ratio) => {
    const record = makeRecord({ contrasts: [makeContrast({ ratio })] })
    return { ...record, environment: { ...record.environment, node } }
  }
  t.match(answerTo(question(), { records: [under('26.10.0', 1.13), under('20.20.2', 1.08)] }), {
    sentence: /serves 1\.13 /, more: [/^Under Node 20: A pooled Unix socket serves 1\.08 /]
  })
})

t.test('adds the result of a second experiment and names its run', async t => {
  const second = { ...makeRecord({ contrasts: [makeContrast({ ratio: 2, low: 1.9, high: 2.1 })] }), run: 'other' }
  const query = question({ second: { experiment: 'brotli', pairs: [['uds-keepalive', 'keepalive']], names: {} } })
  t.match(answerTo(query, { records: [makeRecord()], second }), {
    sentence: /serves 1\.12 /,
    more: [/^uds-keepalive serves 2\.00 /],
    records: [{ run: makeRecord().run }, { run: 'other' }]
  })
  t.equal(answerTo(query, { records: [makeRecord()] }).more.length, 0)
})

t.test('names an offering of each class for several rates, then compares each with other providers', async t => {
  const [row] = sizing.table
  const vm = { ...row, offering: { ...row.offering, name: 'Two', class: /** @type {const} */ ('vm') }, total: 20 }
  const other = { ...row, offering: { ...row.offering, provider: 'Bcme', name: 'Three' }, total: 30 }
  const found = (/** @type {number} */ rate, table = [row, vm, other]) =>
    ({ ...makeRecord(), sizing: { ...sizing, goal: { ...sizing.goal, rate, spare: 1 }, table } })
  const query = question({ experiment: 'size', by: 'sizing' })
  const { sentence, more } = answerTo(query, { records: [found(500), found(2000)] })
  const offers = 'VM 2 × Acme $20; without a class 2 × Acme $14.'
  t.equal(sentence, 'nginx:uds/express-json, 100 MiB: instances and their total a month with traffic, at a p99 of ' +
    '50.0 ms, by prices read 2026-01. Of each instance, 30 % of the capacity is kept free; losing one still meets ' +
    'the goal. 1 of these 4 offerings was verified: an instance met the goal here under its limits.\n' +
    `500 req/s: ${offers}\n2,000 req/s: ${offers}`)
  const memory = [75, 77].map((memoryMiB, i) => {
    const { sizing: { topologies: [app], goal, ...rest }, ...record } = found([500, 2000][i])
    const memoryExtraMiB = { [app.spec]: 128 }
    return { ...record, sizing: { ...rest, topologies: [{ ...app, memoryMiB }], goal: { ...goal, memoryExtraMiB } } }
  })
  t.match(answerTo(query, { records: memory }).sentence, /^nginx:uds\/express-json, 75 to 77 \+ 128 MiB: inst/)
  t.match(more, [/^500 req\/s to .* a month: VM 2 × Acme \$20/, /^VM: 2 × Acme Two/, /^without a class: /,
    /^nginx:uds\/express-json: 100 MiB under load\.$/, /^Of each instance/, /^One instance .* the limits of Acme/,
    /^Not verified: Acme Two\.$/, /^Not verified, each the cheapest of its provider: Bcme Three\.$/,
    /other providers for 500, as estimated: 2 × Bcme Three \$30\.$/,
    /^2,000 req\/s to /, /^VM/, /^without/, /under load/, /^Of each/,
    /^One instance .* An instance of the answer must serve 2,000 requests a second, so this does not confirm it\.$/,
    /^Not verified: Acme .* and Acme Two\.$/, /Bcme Three\.$/, /for 2,000, as estimated/])
  const assumed = { ...row, offering: { ...row.offering, vcpu: null } }
  t.match(answerTo(query, { records: [found(500, [assumed, vm]), found(2000)] }).sentence,
    /^500 req\/s: VM .*; without a class none without reservations\.$/m, 'an assumed CPU is in no answer')
  const old = { ...vm, old: true, offering: { ...vm.offering, read: '2023-07-06' } }
  t.match(answerTo(query, { records: [found(500, [old]), found(2000)] }).sentence, /by prices read 2023-07 to 2026-01/)
  t.match(answerTo(query, { records: [found(500)] }).sentence, /^500 req\/s to nginx/)
  t.match(answerTo(query, { records: [found(500, [])] }).sentence, /^No offering can be recommended/)
})

t.test('answers "Not measured yet" when the experiment has no run', async t => {
  const { sentence, more, records } = answerTo(question(), { records: [] })
  t.strictSame({ sentence, more, records }, { sentence: 'Not measured yet.', more: [], records: [] })
})

t.test('reports every contrast by its verdict, the largest change first', async t => {
  const contrasts = [makeContrast({ arm: 'uds' }), makeContrast({ ratio: 2, low: 1.9, high: 2.1 }),
    makeContrast({ arm: 'tcp', baseline: 'direct', verdict: 'slower', ratio: 0.9, low: 0.85, high: 0.95 }),
    makeContrast({ arm: 'pool', verdict: 'inconclusive' }), makeContrast({ arm: 'twin', verdict: 'no-difference' })]
  const { sentence, more } = answerTo(question({ by: 'every' }), { records: [makeRecord({ contrasts })] })
  t.equal(sentence, 'With / over 100 connections throughput changes by +100 % (+90 to +110 %) with a pooled Unix ' +
    'socket; by +12 % (+9 to +15 %) with uds; by −10 % (−15 to −5 %) with tcp, against direct.')
  t.match(more, [/^No relevant change: by .* with twin/, /^Open on this machine: by .* with pool/])
})

t.test('leads with the CPU time that each arm adds to a request', async t => {
  const cpu = (/** @type {string} */ name, /** @type {number} */ proxy) => makeArm({
    name, cpuMicrosPerRequest: { load: 10, proxy, server: 100 }
  })
  const record = makeRecord({ contrasts: [makeContrast()], arms: [cpu('one', 0), cpu('two', 50), cpu('hop', 20)] })
  const shared = { ...record, plan: { ...record.plan, cores: /** @type {const} */ ('shared') } }
  const arms = ['one', 'two', 'hop', 'not measured']
  const toSentence = (/** @type {Partial<Question['costs']>} */ options = {}, contrasts = [makeContrast()]) => {
    const query = question({ costs: { arms, ...options }, names: { one: 'one process' } })
    return answerTo(query, { records: [{ ...shared, contrasts }] }).sentence
  }
  t.equal(toSentence({ hasShares: true }), 'CPU time per request, on 1 core, which the load shares: 100 µs with one ' +
    'process; +20 µs (20 %) with hop and +50 µs (50 %) with two (not separated).')
  const hopIsFaster = [makeContrast({ arm: 'hop', baseline: 'two' })]
  t.match(toSentence({ when: 'at full load' }, hopIsFaster), /^CPU time per request at full load, .* with hop, \+50 µs/)
  t.match(toSentence({ answer: 'One' }), /^One: CPU time/, 'the others cost more')
  const others = question({ costs: { arms: ['not measured', 'two'] } })
  t.notMatch(answerTo(others, { records: [shared] }).sentence, /CPU time/, 'nothing is compared with nothing')
})

t.test('adds the answers of experiments about behaviour', async t => {
  const record = makeRecord()
  const groups = [{ name: 'GET', requests: 100, counts: { ok: 90, reset: 10 } }]
  const arms = [makeArm({ name: 'one', plays: { plays: 1, groups, figures: [], evidence: [] } })]
  const plan = { ...record.plan, protocol: 'plays', result: /** @type {const} */ ('behaviour') }
  const played = { ...record, run: 'played', question: 'What fails?', arms, contrasts: [], plan }
  const { more, records } = answerTo(question(), { records: [record], behaviours: [played] })
  t.match(more.at(-1), /^What fails\? Of 10,000 requests fail: 1,000 .* with one\.$/)
  t.match(records.map(({ run }) => run), [record.run, 'played'])
  const own = answerTo(question({ by: 'behaviour' }), { records: [played] })
  t.match(own.sentence, /^Of 10,000 requests fail/)
  t.match(answersPage([own], { charts: [] }), /Outcomes of the requests:\n\n\| arm/)
})

t.test('begins with the default on one host, and calculates the rate that holds half of the local ports', async t => {
  const record = makeRecord()
  const sysctl = { 'net.ipv4.ip_local_port_range': '10000 21999' }
  const environment = { ...record.environment, sysctl }
  const query = question({ by: 'ports', sentences: 2 })
  const calculated = /To another host, by calculation, from 100 a second .* half of the 12,000 local ports are held\./
  t.match(answerTo(query, { records: [{ ...record, environment }] }).sentence, calculated)
  const lab = { sysctl: { 'net.ipv4.ip_local_port_range': '10000 10999' } }
  const off = makeArm({ name: 'reuse 0' })
  const arms = [makeArm({ name: 'reuse 2' }), { ...off, topology: { ...off.topology, lab } }]
  const { sentence, more } = answerTo(query, { records: [{ ...record, environment, arms, contrasts: [] }] })
  t.match(sentence, /^Not on one host .* 12,350 \(12,160 to 12,490\) new .* without an error, with 12,000 ports\. To/)
  t.match(sentence, calculated)
  t.equal(more[0], 'Measured without reuse (tcp_tw_reuse=0) and with 1,000 ports, where connections are slow by ' +
    'calculation from 8 a second on: 12,350 a second, at 21.5 µs of nginx\'s CPU time for each in place of 21.5 µs.')
})

t.test('names the servers that fail safety probes beside the recommended ones', async t => {
  /** @type {ReturnType<typeof recommend>} */
  const recommended = {
    advice: [{ code: 'not-checked', params: { servers: ['st'] } }],
    arms: ['nginx', 'connect'],
    alike: ['express'],
    unsafe: ['st']
  }
  const query = question({ by: 'recommendation', sentences: 2, names: { connect: 'serve-static' } })
  t.match(answerTo(query, { records: [makeRecord()], recommended }), {
    sentence: new RegExp('^nginx; among the Node servers, serve-static \\(not separated from express\\): no other .* ' +
      'Not recommended, .* safety probes: st\\.$'),
    more: [/^Not checked yet, and so not recommended: st/]
  })
})

t.test('describes a run by its load and by the runtime of its servers', async t => {
  const record = makeRecord()
  t.match(describeRun(record), /^Run .*: .*, the served side on \d cores?; autocannon with 100 connections and nginx /)
  const [arm] = record.arms
  const server = { name: 'express-json', manager: 'node', instances: 1, options: { runtime: 'bun' } }
  const under = { ...arm, topology: { ...arm.topology, server } }
  const arms = /** @type {any} */ ([under])
  t.match(describeRun({ ...record, arms, tools: { bun: '1.2.3' } }), /; Bun 1\.2\.3\.$/)
  const files = { ...record, arms: [makeArm({ spec: 'nginx/files' })] }
  t.match(describeRun(files), /and nginx 1\.22\.1\.$/, 'no arm has a server')
})

t.test('reports that no arm is faster than the baseline, with the share that each other arm reaches', async t => {
  const behind = makeContrast({ arm: 'tcp', verdict: 'slower', ratio: 0.5, low: 0.45, high: 0.55 })
  const level = makeContrast({ arm: 'uds', verdict: 'inconclusive', ratio: 0.95, low: 0.89, high: 1.01 })
  /** @type {[string, string][]} */
  const pairs = [['tcp', 'keepalive'], ['uds', 'keepalive']]
  const query = question({ by: 'choice', pairs, names: { uds: 'a socket' } })
  const sentence = (/** @type {ReturnType<typeof makeContrast>[]} */ ...contrasts) =>
    answerTo(query, { records: [makeRecord({ contrasts })] }).sentence
  t.equal(sentence(behind, level), 'No other arm is shown to be faster than keepalive. A socket reaches 95 % (89 to ' +
    '101 %) and tcp 50 % (45 to 55 %) of its throughput; no difference to a socket was shown.')
  t.equal(sentence(behind), 'No other arm is shown to be faster than keepalive. tcp reaches 50 % (45 to 55 %) of its ' +
    'throughput.')
  const ahead = { ...level, verdict: /** @type {const} */ ('faster'), ratio: 1.5, low: 1.4, high: 1.6 }
  t.equal(sentence(behind, ahead), 'A socket serves 1.50 (1.40 to 1.60) times as much as keepalive; tcp reaches 50 % ' +
    '(45 to 55 %) of the throughput of keepalive.')
  t.equal(sentence({ ...level, arm: 'tcp' }, ahead), 'A socket serves 1.50 (1.40 to 1.60) times as much as ' +
    'keepalive; no difference was shown for tcp: 0.95 (0.89 to 1.01).')
  t.equal(sentence({ ...behind, verdict: 'invalid' }), 'tcp against keepalive could not be measured.')
})

t.test('begins with yes or no, and adds the projection to one core each where it reverses the verdict', async t => {
  const query = question({ pairs: [['uds', 'direct']], names: {}, lead: { faster: 'Yes', slower: 'No' } })
  const arm = (/** @type {string} */ name, /** @type {number} */ proxy, /** @type {number} */ server) => makeArm({
    name,
    cpuMicrosPerRequest: { load: 20, proxy, server },
    topology: { ...makeArm().topology, proxy: proxy ? { name: 'nginx', transport: 'uds', options: {} } : null }
  })
  /**
   * @param {Parameters<typeof makeContrast>[0]} contrast
   * @param {number[]} [served] cores
   */
  const sentence = (contrast, served = [1]) => {
    const record = makeRecord({
      arms: [arm('direct', 0, 100), arm('uds', 80, 60)],
      contrasts: [makeContrast({ arm: 'uds', baseline: 'direct', ...contrast })]
    })
    const environment = { ...record.environment, cores: { ...record.environment.cores, served } }
    return answerTo(query, { records: [{ ...record, environment }] }).sentence
  }
  const slower = { verdict: /** @type {const} */ ('slower'), ratio: 0.8, low: 0.7, high: 0.9 }
  t.equal(sentence({}, [1, 2]), 'Yes: uds serves 1.12 (1.09 to 1.15) times as much as direct.')
  t.equal(sentence({}), 'Yes: uds serves 1.12 (1.09 to 1.15) times as much as direct. With one core each for proxy ' +
    'and app, uds would serve about 0.63 times as much per core as direct (1.25 times in total, with two cores ' +
    'instead of one). This is projected from the CPU time per request. If the app runs one process per core, both ' +
    'alone and behind the proxy, the measured ratio holds instead.')
  t.match(sentence(slower), /^No: uds reaches 80 % .* about 0\.63 times as much per core as direct/)
  t.match(sentence({ verdict: 'inconclusive', ratio: 1, low: 0.8, high: 1.2 }, [1, 2]), /whether uds or direct serves/)
})

t.test('the page and the terminal contain the same answer, command and run', async t => {
  const made = [answerTo(question(), { records: [makeRecord()] })]
  const page = answersPage(made, { charts: [] })
  const text = answersText(made, { columns: 80, colors: /** @type {any} */ ({ bold: String, dim: String }) })
  for (const part of ['A pooled Unix socket serves 1.12 (1.09 to 1.15)', '2024-05-06T07-08-09Z-uds']) {
    t.ok(page.includes(part), part)
    t.ok(text.replace(/\s+/g, ' ').includes(part), part)
  }
  t.match(page, '`hopbench run uds`')
  t.match(text, `${IN_CLONE} run uds`)
})

t.test('an answer and the pages say once that runs are from several machines', async t => {
  const elsewhere = makeEnvironment({ kernel: '5.15.0' })
  const records = [makeRecord({ run: '2024-05-06T07-08-09Z-uds' }),
    makeRecord({ run: '2024-05-07T07-08-09Z-uds', environment: elsewhere })]
  const sentence = /These are 2 runs on 2 machines \(Example CPU @ 2\.80GHz with 2 cores, Linux 6\.1 and /g
  const several = answerTo(question(), { records })
  t.equal(several.more.filter(text => text.match(sentence)).length, 1)
  t.equal(answersPage([several], { charts: [] }).match(sentence)?.length, 2, 'of the page, and of the answer')
  const single = records.map(record => answerTo(question(), { records: [record] }))
  t.equal(single.flatMap(({ more }) => more).some(text => text.match(sentence)), false)
  t.equal(answersPage(single, { charts: [] }).match(sentence)?.length, 1)
  t.equal(answersPage(single.slice(1), { charts: [] }).match(sentence), null)
  const experiment = /** @type {Experiment} */ ({
    title: 't', question: 'q', source: null, arms: {}, protocol: 'slices', unit: 'requests'
  })
  const experiments = records.map(record => ({ name: 'uds', experiment, record }))
  t.equal(claimsPage(experiments).match(sentence)?.length, 1)
})

t.test('the pages and the terminal say once that figures of Node are older than the measured warm-up', async t => {
  const warm = makeRecord({ run: '2024-05-07T07-08-09Z-uds', plan: makePlan({ warmUp: { limitSeconds: 60 } }) })
  const experiment = /** @type {Experiment} */ ({
    title: 't', question: 'q', source: null, arms: {}, protocol: 'slices', unit: 'requests', claims: warm.plan.claims
  })
  const style = { columns: 200, colors: /** @type {any} */ ({ bold: String, dim: String }) }
  const print = (/** @type {RunRecord[]} */ records) => {
    const made = records.map(record => answerTo(question(), { records: [record] }))
    return [
      answersPage(made, { charts: [] }), answersText(made, style),
      claimsPage(records.map(record => ({ name: 'uds', experiment, record })))
    ]
  }
  const start = 'The figures of Node'
  const linked = `${start} on this page are older than the measured warm-up ([method](method.md#warm-up)): they ` +
    'contain time in which V8 was compiling, and will be measured anew.'
  const sentences = [
    linked, `${start} are older than the measured warm-up: they contain time in which V8 was compiling.`, linked
  ]
  for (const [i, text] of print([makeRecord(), makeRecord(), warm]).entries()) {
    t.strictSame(text.split('\n').filter(line => line.startsWith(start)), [sentences[i]])
  }
  for (const text of print([warm])) t.notOk(text.includes(start))
})
