import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from './tap.js'
import { QUESTIONS } from '../../bench/features/publish/questions.js'
import { loadExperiments } from '../../bench/plan/plugins.js'
import { fileRun, listLines, main } from '../perf/reference.js'
import {
  estimateSeconds, findFault, getCheckState, getDue, getState, isOf, listNeeds, listNewest, orderMissing
} from '../perf/reference-needs.js'
import { makeArm, makeContrast, makePlan, makeRecord } from './record.js'

/** @import { Need } from '../perf/reference-needs.js' */
/** @import { RunRecord, Warning } from '../../bench/types.js' */

const question = { question: '', dependsOn: '', runs: [], check: [] }
const questions = [
  { ...question, id: 'small', measure: ['run b --release current', 'size app --rps 500'] },
  { ...question, id: 'large', headline: true, lines: [24, 26], measure: ['run a --release current'] },
  { ...question, id: 'same', headline: true, measure: ['run a --release current'] }
]
const claim = /** @type {any} */ ({ id: 'x' })
const experiments = [{ name: 'a', experiment: {} }, { name: 'b', experiment: {} }, { name: 'c', experiment: {} },
  { name: 'd', experiment: { claims: [claim] } }]

t.test('lists runs of headlines three times, then those of questions, claims and other experiments', async t => {
  t.strictSame(listNeeds(experiments, questions, 26).map(({ experiment, line, times, pages }) =>
    [experiment, line, times, ...pages]), [
    ['a', 24, 3, 'answers.md#large'],
    ['a', 26, 3, 'answers.md#large', 'answers.md#same'],
    ['b', 26, 1, 'answers.md#small'],
    ['size', 26, 1, 'answers.md#small'],
    ['d', 26, 1, 'claims.md'],
    ['c', 26, 1, 'experiments.md']
  ])
})

t.test('every experiment and every run of a question is needed', async t => {
  const all = await loadExperiments()
  const needed = new Set(listNeeds(all, QUESTIONS, 26).map(({ experiment }) => experiment))
  t.strictSame(all.filter(({ name }) => !needed.has(name)), [])
  t.strictSame(QUESTIONS.flatMap(({ runs }) => runs).filter(name => !needed.has(name)), ['rollout'],
    'rollouts of an app are made by hand')
})

/** @type {Need} */
const need = { experiment: 'uds', words: ['run', 'uds'], line: 26, times: 3, pages: ['answers.md#uds'] }
const plan = makePlan({ warmUp: { limitSeconds: 90 } })
const environment = { ...makeRecord().environment, node: '26.10.0' }
const contrasts = [makeContrast({ starts: 3 })]
/** @type {(overrides?: Partial<RunRecord>) => RunRecord} */
const makeRun = overrides => makeRecord({
  experiment: 'uds', complete: true, plan, environment, tools: { nginx: '1.30.6' }, contrasts, ...overrides
})
const newest = { versions: new Map([['nginx', '1.30.6']]), nodes: new Map([[26, '26.10.0']]) }
const conditions = { plan, ...newest }

t.test('states why a run is no reference run', async t => {
  const getFault = (/** @type {Partial<RunRecord>} */ overrides) => findFault(makeRun(overrides), conditions)
  t.equal(getFault({}), null)
  t.equal(getFault({ complete: false }), 'interrupted')
  t.equal(getFault({ plan: { ...plan, quick: true } }), 'quick')
  t.equal(getFault({ plan: makePlan() }), 'older than the measured warm-up')
  t.equal(getFault({ tools: { nginx: '1.29.10 (sid, 1.29.10-1)' } }), 'older nginx')
  t.equal(getFault({ tools: { nginx: '1.30.10' } }), null, 'a newer version')
  t.equal(getFault({ environment: { ...environment, node: '26.9.0' } }), 'older Node')
  t.equal(getFault({ plan: { ...plan, contrasts: plan.contrasts.slice(1) } }), 'the experiment has changed')
  t.equal(getFault({ contrasts: [makeContrast({ starts: 2 })] }), null)
  t.equal(getFault({ contrasts: [makeContrast({ starts: undefined })] }), 'uds-keepalive / keepalive has 1 start of 2')
  t.equal(getFault({ contrasts: [makeContrast({ verdict: 'invalid' })] }), null, 'an arm without a measurement')
  const windows = makePlan({ ...plan, protocol: 'window', windowSeconds: 3 })
  const getWindowed = (/** @type {number} */ blocks) => findFault(makeRun({
    plan: windows, contrasts: [makeContrast({ starts: undefined, blocks })]
  }), { ...conditions, plan: windows })
  t.strictSame([7, 1].map(getWindowed), [null, 'uds-keepalive / keepalive has 1 start of 2'], 'each window is a start')
  const load = /** @type {any} */ ({ scenario: { name: 'websockets', options: {} } })
  const playing = (/** @type {number | undefined} */ plays) => getFault({
    plan: { ...plan, targets: { ...plan.targets, minBlocks: 2 } },
    arms: [makeArm({ name: 'direct', load, ...plays && { plays: { plays, groups: [], figures: [], evidence: [] } } })]
  })
  t.strictSame([2, 1, undefined].map(playing),
    [null, 'direct has 1 play of 2', 'direct has 0 plays of 2'], 'a disturbed play counts none')
  const warnings = /** @type {Warning[]} */ ([{ code: 'few-blocks', params: { blocks: 1, needed: 3 } }])
  t.equal(getFault({ warnings }), '1 block of 3')
  const drifting = makeContrast({ starts: 3, drift: { change: 0.1, p: 0.001 } })
  t.equal(getFault({ contrasts: [drifting] }), 'uds-keepalive / keepalive depends on the position in a start')
  t.equal(getFault({ contrasts: [makeContrast({ starts: 3, drift: { change: 0.1, p: 0.1 } })] }), null, 'by chance')
  const rare = makeContrast({ starts: 3, drift: { change: 0.1, p: 0.005 } })
  t.match(getFault({ contrasts: [rare] }), /depends on the position/)
  t.equal(getFault({ contrasts: [rare, ...Array(15).fill(makeContrast({ starts: 3 }))] }), null, 'one of sixteen')
})

t.test('the newest version of a program is known from runs, but for clients on Node', async t => {
  /** @type {Record<string, string>[]} */
  const tools = [{ nginx: '1.9.2', wrk: '4.1.0-3+b2' }, { nginx: '1.10.1 (sid, 1.10.1-1)', plays: '26.1.0' }]
  t.strictSame([...listNewest(tools)], [['nginx', '1.10.1 (sid, 1.10.1-1)'], ['wrk', '4.1.0-3+b2']])
})

t.test('a run is of a need by its experiment, the line of Node, and the rate of a sizing', async t => {
  t.equal(isOf(need, makeRun()), true)
  t.equal(isOf({ ...need, line: 24 }, makeRun()), false)
  t.equal(isOf({ ...need, line: 24 }, makeRun({ tools: { node: '24.21.0' } })), true, 'a Node of the servers only')
  t.equal(isOf(need, makeRun({ experiment: 'cache' })), false)
  const size = { ...need, experiment: 'size', words: ['size', 'app', '--rps', '500'] }
  const sizing = (/** @type {number} */ rate) =>
    makeRun({ experiment: 'size', sizing: /** @type {any} */ ({ goal: { rate } }) })
  t.strictSame([500, 2000].map(rate => isOf(size, sizing(rate))), [true, false])
})

const at = (/** @type {string} */ time) =>
  makeRun({ startedAt: `2026-11-29T${time}:00Z`, endedAt: '2026-11-29T23:00:00Z' })

t.test('a headline is complete after three runs in different hours on machines of one kind', async t => {
  const get = (/** @type {[string | null, string][]} */ ...runs) => {
    const stored = runs.map(([set, time]) => ({ set, record: at(time) }))
    const { done, why } = getState(need, stored, { set: 'x', ...conditions })
    return [done, why]
  }
  t.strictSame(get(), [0, 'never measured'])
  t.strictSame(get([null, '10:00']), [0, 'not filed for this machine'])
  t.strictSame(get(['y', '10:00'], ['x', '12:00']), [1, '1 of 3 runs'])
  t.strictSame(get(['x', '10:00'], ['x', '10:30'], ['x', '11:00']), [2, '2 of 3 runs'])
  t.strictSame(get(['x', '10:00'], ['x', '11:00'], ['x', '12:00'], ['x', '13:00']), [3, null])
  const state = getState(need, [{ set: 'x', record: at('10:00') }], { set: 'x', ...conditions })
  t.equal(getDue(state), Date.parse('2026-11-29T11:00:00Z'))
  t.equal(getDue({ ...state, valid: [] }), 0)
})

t.test('first runs are made before further ones', async t => {
  const states = [1, 0, 3, 2, 0].map((done, i) =>
    ({ need: { ...need, experiment: `${i}` }, valid: [], done, why: done === 3 ? null : 'x' }))
  t.strictSame(orderMissing(states).map(({ need }) => need.experiment), ['1', '4', '0', '3'])
})

t.test('a run takes as long as the last one, or as its budget', async t => {
  const stored = [{ record: at('22:00') }]
  t.equal(estimateSeconds({ ...need, line: 24 }, stored, 290), 3600)
  t.equal(estimateSeconds(need, stored, 4000), 4000)
  t.equal(estimateSeconds(need, [], 290), 290)
})

t.test('the check of servers is repeated for newer programs', async t => {
  const check = (/** @type {string} */ nginx, /** @type {string} */ node, results = [1, 2]) =>
    ({ tools: { nginx }, probes: ['a', 'b'], servers: [{ node, chains: [{ error: null, results }] }] })
  const getWhy = (/** @type {ReturnType<typeof check> | null} */ stored) => getCheckState(need, stored, newest).why
  t.equal(getWhy(check('1.30.6', '26.10.0')), null)
  t.equal(getWhy(check('1.30.5', '26.9.1')), 'older nginx and Node')
  t.equal(getWhy(check('1.30.6', '26.10.0', [1])), 'fewer probes')
  t.equal(getWhy(null), 'never measured')
})

t.test('prints what is missing with its minutes, in at most 80 columns', async t => {
  const state = { need, valid: [], done: 1, why: '1 of 3 runs' }
  const lines = listLines({
    set: 'x', states: [state], getSeconds: () => 300, getWords: () => [], findFault: () => null
  })
  t.match(lines[1], /^uds +26 +2 × 5 +1 of 3 runs +answers\.md#uds$/)
  t.ok(lines.every(line => line.length <= 80))
  t.strictSame(lines.slice(-2),
    ['1 reference run of 3; the others take about 10 minutes.', 'Machine: x'])
})

t.test('files a run without its seals and its page', async t => {
  const dir = t.testdir({
    keep: {
      '2026-11-29T10-00-00Z-uds': {
        'plan.json': '{"command":["run","uds","--results","/a/b"],"cwd":"/apps/next"}',
        'run.json': 'r',
        'samples.jsonl': 's',
        'run.seal': 'x',
        'report.html': 'h'
      }
    }
  })
  const filed = fileRun(join(dir, 'keep/2026-11-29T10-00-00Z-uds'), join(dir, 'reference/x'), '/apps')
  t.equal(filed, join(dir, 'reference/x/2026-11-29T10-00-00Z-uds'))
  t.strictSame(readdirSync(filed).sort(), ['plan.json', 'run.json', 'samples.jsonl'])
  t.equal(readFileSync(join(filed, 'run.json'), 'utf8'), 'r')
  t.equal(readFileSync(join(filed, 'plan.json'), 'utf8'), '{"command":["run","uds"],"cwd":"/next"}',
    'no path of this machine')
  t.notOk(existsSync(join(dir, 'keep/2026-11-29T10-00-00Z-uds')))
})

t.test('rejects a call without a time, or with a time beside --list', async t => {
  t.equal(await main([]), 2)
  t.equal(await main(['--minutes', 'x']), 2)
  t.equal(await main(['--minutes', '0']), 2)
  t.equal(await main(['--list', '--minutes', '5']), 2)
})
