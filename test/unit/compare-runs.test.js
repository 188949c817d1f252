import t from 'tap'
import { compareRuns } from '../../bench/compare.js'
import { randomFrom } from '../../bench/stats/random.js'
import { renderComparison } from '../../bench/report/compare.js'
import { makeArm, makeContrast, makeEnvironment, makeRecord, makeSample } from '../support/record.js'

/** @typedef {import('../../bench/types.d.ts').RunRecord} RunRecord */

/**
 * A run whose arms vary by a few per cent around a rate.
 * @param {Record<string, number>} rates
 * @param {Partial<RunRecord>} [overrides]
 * @param {number} [blocks]
 */
function runOf (rates, overrides = {}, blocks = 30) {
  const random = randomFrom(7, ...Object.values(rates))
  const samples = Object.entries(rates).flatMap(([arm, rps]) => Array.from({ length: blocks }, (_, block) => makeSample({ arm, block, rps: rps * (1 + (random() - 0.5) * 0.06) })))
  return { record: makeRecord({ arms: Object.entries(rates).map(([name, median]) => makeArm({ name, rps: { median, low: median * 0.99, high: median * 1.01 } })), ...overrides }), samples }
}

t.test('an arm that lost a tenth is slower, one that stayed is not, one that gained is faster', async t => {
  const { arms, slower } = compareRuns(runOf({ tcp: 1000, uds: 2000, keepalive: 3000 }), runOf({ tcp: 900, uds: 2010, keepalive: 3500 }))
  t.match(arms, [{ arm: 'tcp', verdict: 'slower' }, { arm: 'uds', verdict: 'no-difference' }, { arm: 'keepalive', verdict: 'faster' }])
  t.ok(arms.every(({ ratio, low, high }) => low !== null && high !== null && ratio !== null && low < ratio && ratio < high))
  t.ok(Math.abs(Number(arms[0].ratio) - 0.9) < 0.02)
  t.equal(slower, true)
})

t.test('the margin decides what counts', async t => {
  const [before, after] = [runOf({ tcp: 1000 }), runOf({ tcp: 900 })]
  t.match(compareRuns(before, after, { margin: 0.2 }), { arms: [{ verdict: 'no-difference' }], slower: false })
  t.match(compareRuns(before, after, { margin: 0.11 }), { arms: [{ verdict: 'inconclusive' }], slower: false })
})

t.test('too little to tell is open, nothing valid is invalid', async t => {
  t.match(compareRuns(runOf({ tcp: 1000 }, {}, 2), runOf({ tcp: 500 }, {}, 2)), { arms: [{ low: null, verdict: 'inconclusive' }], slower: false })
  t.match(compareRuns(runOf({ tcp: 1000 }, {}, 0), runOf({ tcp: 500 })), { arms: [{ ratio: null, verdict: 'invalid' }] })
})

t.test('what just one run has is named, and the twin is no arm', async t => {
  const plan = { ...makeRecord().plan, twin: { arm: 'twin', of: 'tcp' } }
  const { arms, only } = compareRuns(runOf({ tcp: 1000, uds: 1, twin: 1000 }, { plan }), runOf({ tcp: 1000, keepalive: 1, twin: 1000 }, { plan }))
  t.strictSame(arms.map(({ arm }) => arm), ['tcp'])
  t.strictSame(only, { before: ['uds'], after: ['keepalive'] })
})

t.test('what differs between machines and set-ups is told leaf by leaf; how busy they were is not', async t => {
  const before = runOf({ tcp: 1000 }, { environment: makeEnvironment({ busy: { loadAverage: 1, stealShare: 0 } }) })
  const after = runOf({ tcp: 1000 }, { environment: makeEnvironment({ kernel: '6.2' }), tools: { ...makeRecord().tools, nginx: '1.30.0' } })
  t.strictSame(compareRuns(before, after).differences, [
    { what: 'tools nginx', before: '1.22.1', after: '1.30.0' },
    { what: 'environment kernel', before: '6.1.0-18-amd64', after: '6.2' }
  ])
})

t.test('configurations are compared line by line', async t => {
  const [before, after] = ['worker_processes 1;', 'worker_processes 2;'].map(line => ({ ...runOf({ tcp: 1000 }), configs: { 'tcp/nginx.conf': `${line}\nevents {}\n`, same: 'a\n' } }))
  const comparison = compareRuns(before, after)
  t.strictSame(comparison.configs, [{ file: 'tcp/nginx.conf', removed: ['worker_processes 1;'], added: ['worker_processes 2;'] }])
  t.match(renderComparison(comparison), /tcp\/nginx\.conf\n- worker_processes 1;\n\+ worker_processes 2;/)
  t.strictSame(compareRuns(before, { ...after, configs: {} }).configs, [], 'of a run that kept none nothing is said')
})

t.test('contrasts stand side by side, each within its own run', async t => {
  const of = (/** @type {Partial<import('../../bench/types.d.ts').Contrast>} */ contrast) => runOf({ keepalive: 1000, 'uds-keepalive': 1100 }, { contrasts: [makeContrast(contrast)] })
  const { contrasts } = compareRuns(of({}), of({ ratio: 1.3, low: 1.28, high: 1.32 }))
  t.match(contrasts, [{ arm: 'uds-keepalive', baseline: 'keepalive', before: { ratio: 1.1234 }, after: { ratio: 1.3 }, apart: true }])
})

t.test('it reads well at 80 columns', async t => {
  const text = renderComparison(compareRuns(runOf({ tcp: 1000, uds: 2000 }), runOf({ tcp: 900, uds: 2000, other: 1 }, { environment: makeEnvironment({ kernel: '6.2' }) })))
  t.ok(text.split('\n').every(line => line.length <= 80), text)
  t.match(text, /tcp +1,000 +900 +0\.90/)
  t.match(text, /Only in .*: other\./)
  t.match(text, /environment kernel: 6\.1\.0-18-amd64 → 6\.2/)
  t.match(text, /Slower by more than 5 %: tcp\./)
  t.match(renderComparison(compareRuns(runOf({ a: 1 }), runOf({ b: 1 }))), /no arm in common/)
})
