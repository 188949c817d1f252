import t from 'tap'
import { compareRuns } from '../../bench/analysis/compare-runs.js'
import { randomFrom } from '../../bench/plan/random.js'
import { comparisonMarkdown } from '../../bench/report/comparison-markdown.js'
import { renderComparison } from '../../bench/report/comparison.js'
import { makeArm, makeEnvironment, makePlan, makeRecord, makeContrast, makeSample } from '../support/record.js'

/** @import { RunRecord } from '../../bench/types.js' */

/**
 * A run whose arms vary by a few per cent around a rate, each against the first.
 * @param {Record<string, number>} rates
 * @param {Partial<RunRecord>} [overrides]
 * @param {{ blocks?: number, micros?: Record<string, number>, seed?: number }} [options] micros: CPU time of proxy
 *   and server for each request
 */
function runOf (rates, overrides = {}, { blocks = 30, micros = {}, seed = 7 } = {}) {
  const random = randomFrom(seed, ...Object.values(rates))
  const noise = () => 1 + (random() - 0.5) * 0.06
  const names = Object.keys(rates)
  const samples = names.flatMap(arm =>
    Array.from({ length: blocks }, (_, block) => {
      const seconds = (micros[arm] ?? 400) * 1e-6 * 1000 * noise()
      return makeSample({
        arm,
        block,
        requests: 1000,
        rps: rates[arm] * noise(),
        cpuSeconds: { load: 0.05, proxy: seconds / 4, server: seconds * 3 / 4, idle: 0 }
      })
    })
  )
  const arms = Object.entries(rates).map(([name, median]) =>
    makeArm({ name, rps: { median, low: median * 0.99, high: median * 1.01 } })
  )
  const plan = { ...makePlan(), arms: names.map(name => ({ ...makePlan().arms[0], name })), twin: null }
  const contrasts = names.slice(1).map(arm => makeContrast({ arm, baseline: names[0] }))
  return { record: makeRecord({ arms, plan, contrasts, ...overrides }), samples }
}

const elsewhere = {
  environment: makeEnvironment({ cpu: { model: 'Another CPU', cores: 2, governor: null, virtual: true } })
}

t.test('on one machine an arm that lost a tenth is slower, one that stayed is not, one that gained is ' +
  'faster', async t => {
  const { arms, slower, ratesApart } = compareRuns(runOf({ tcp: 1000, uds: 2000, keepalive: 3000 }),
    runOf({ tcp: 900, uds: 2010, keepalive: 3500 }, {}, { seed: 8 }))
  t.match(arms, [{ arm: 'tcp', verdict: 'slower' }, { arm: 'uds', verdict: 'no-difference' }, {
    arm: 'keepalive',
    verdict: 'faster'
  }])
  t.ok(
    arms.every(({ ratio, low, high }) =>
      low !== null && high !== null && ratio !== null && low < ratio && ratio < high
    )
  )
  t.ok(Math.abs(Number(arms[0].ratio) - 0.9) < 0.02)
  t.equal(slower, true)
  t.equal(ratesApart, null)
})

t.test('on another machine, half as fast, nothing is slower: rates do not decide, ratios within each run ' +
  'do', async t => {
  const [before, after] = [runOf({ yardstick: 4000, app: 2000 }),
    runOf({ yardstick: 2000, app: 1000 }, elsewhere, { seed: 8 })]
  const { arms, contrasts, costs, slower, open, ratesApart } = compareRuns(before, after)
  t.match(ratesApart, /the machines differ \(cpu model\)/)
  t.match(arms, [{ arm: 'yardstick', before: 4000, after: 2000, verdict: 'not-comparable', ratio: null }, {
    arm: 'app',
    verdict: 'not-comparable'
  }])
  t.match([contrasts, costs], [[{ arm: 'app', baseline: 'yardstick', verdict: 'no-difference' }], [{
    arm: 'app',
    baseline: 'yardstick',
    verdict: 'no-difference'
  }]])
  t.strictSame([slower, open], [false, false])
})

t.test('on another machine, twice as fast, an app that lost a quarter against its yardstick is slower', async t => {
  const { contrasts, slower } = compareRuns(runOf({ yardstick: 4000, app: 2000 }),
    runOf({ yardstick: 8000, app: 3000 }, elsewhere, { seed: 8 }))
  t.match(contrasts, [{ verdict: 'slower' }])
  t.ok(Math.abs(Number(contrasts[0].ratio) - 0.75) < 0.02)
  t.ok(Math.abs(contrasts[0].before.ratio - 0.5) < 0.01)
  t.ok(Math.abs(contrasts[0].after.ratio - 0.375) < 0.01)
  t.equal(slower, true)
})

t.test('an app that costs more CPU time against its yardstick is costlier, though its rate stayed', async t => {
  const micros = { yardstick: 200, app: 400 }
  const { contrasts, costs, slower } = compareRuns(runOf({ yardstick: 4000, app: 2000 }, {}, { micros }),
    runOf({ yardstick: 4000, app: 2000 }, elsewhere, { micros: { ...micros, app: 460 }, seed: 8 }))
  t.match(contrasts, [{ verdict: 'no-difference' }])
  t.match(costs, [{ verdict: 'costlier' }])
  t.equal(slower, true)
  t.match(
    compareRuns(runOf({ yardstick: 4000, app: 2000 }, {}, { micros }),
      runOf({ yardstick: 4000, app: 2000 }, {}, { micros: { ...micros, app: 300 }, seed: 8 })),
    { costs: [{ verdict: 'cheaper' }], slower: false }
  )
})

t.test('rates can be left out on one machine, too', async t => {
  const comparison = compareRuns(runOf({ yardstick: 4000, app: 2000 }),
    runOf({ yardstick: 2000, app: 1000 }, {}, { seed: 8 }), { rates: false })
  t.match(comparison, { ratesApart: 'it was asked for without them', slower: false })
})

t.test('the margin decides what counts', async t => {
  const [before, after] = [runOf({ tcp: 1000 }), runOf({ tcp: 900 })]
  t.match(compareRuns(before, after, { margin: 0.2 }), {
    arms: [{ verdict: 'no-difference' }],
    slower: false,
    open: false
  })
  t.match(compareRuns(before, after, { margin: 0.11 }), {
    arms: [{ verdict: 'inconclusive' }],
    slower: false,
    open: true
  })
})

t.test('too little to tell is open, nothing valid is invalid', async t => {
  const few = compareRuns(runOf({ tcp: 1000 }, {}, { blocks: 2 }), runOf({ tcp: 500 }, {}, { blocks: 2 }))
  t.match(few, { arms: [{ low: null, verdict: 'inconclusive', sees: null }], slower: false, open: true, sees: null })
  t.match(renderComparison(few), /Cannot tell: tcp in req\/s\.[^]*too few blocks to find a slowdown of any size/)
  t.match(compareRuns(runOf({ tcp: 1000 }, {}, { blocks: 0 }), runOf({ tcp: 500 })), {
    arms: [{ ratio: null, verdict: 'invalid' }],
    open: true
  })
})

t.test('what it would have found is a slowdown that four comparisons in five do find, or more', async t => {
  const compared = (/** @type {number} */ i, /** @type {number} */ rate) =>
    compareRuns(runOf({ app: 1000 }, {}, { seed: 100 + i }), runOf({ app: rate }, {}, { seed: 500 + i }))
  const all = Array.from({ length: 100 }, (_, i) => i)
  const loss = all.map(i => Number(compared(i, 1000).sees)).reduce((a, b) => a + b) / all.length
  t.ok(loss > 0.05 && loss < 0.1, `${loss} lies beyond the margin`)
  const share = all.filter(i => compared(i, 1000 * (1 - loss)).slower).length / all.length
  t.ok(share >= 0.8 && share < 0.97, `${share} were found`)
})

t.test('equal runs are called slower in no more than a few of a hundred, however many figures there are', async t => {
  const called = Array.from({ length: 100 },
    (_, i) =>
      compareRuns(runOf({ a: 1000, b: 900, c: 800 }, {}, { seed: 100 + i }),
        runOf({ a: 1000, b: 900, c: 800 }, {}, { seed: 500 + i }), { margin: 0.001 }))
  t.ok(called.filter(({ slower }) => slower).length <= 5)
})

t.test('what just one run has is named, and the twin is no arm', async t => {
  const twin = { arm: 'twin', of: 'tcp' }
  const [first, second] = [runOf({ tcp: 1000, uds: 1, twin: 1000 }), runOf({ tcp: 1000, keepalive: 1, twin: 1000 })]
  for (const { record } of [first, second]) record.plan.twin = twin
  const { arms, only } = compareRuns(first, second)
  t.strictSame(arms.map(({ arm }) => arm), ['tcp'])
  t.strictSame(only, { before: ['uds'], after: ['keepalive'] })
})

t.test('an arm with another load is another arm, and is not compared', async t => {
  const [before, after] = [runOf({ yardstick: 4000, app: 2000 }), runOf({ yardstick: 4000, app: 1000 })]
  after.record.arms = after.record.arms.map(arm =>
    arm.name === 'app' ? { ...arm, load: { ...arm.load, connections: 7 } } : arm
  )
  const comparison = compareRuns(before, after)
  t.match(comparison, {
    contrasts: [{ verdict: 'not-comparable', why: 'app is another arm than before' }],
    arms: [{ verdict: 'no-difference' }, { verdict: 'not-comparable' }],
    slower: false
  })
  t.match(comparison.differences, [{ what: 'arms app load connections', before: '100', after: '7' }])
})

t.test('a rate that was the generator\'s is not compared, and its CPU time is', async t => {
  const [before, after] = [runOf({ yardstick: 4000, app: 2000 }), runOf({ yardstick: 4000, app: 1000 })]
  after.record.arms = after.record.arms.map(arm => ({ ...arm, bound: 'load' }))
  t.match(compareRuns(before, after), {
    contrasts: [{ verdict: 'not-comparable', why: /the load was the bottleneck of app/ }],
    costs: [{ verdict: 'no-difference' }]
  })
})

t.test('an arm that does not count as a whole is not measured', async t => {
  const [before, after] = [runOf({ yardstick: 4000, app: 2000 }), runOf({ yardstick: 4000, app: 1000 })]
  after.record.arms = after.record.arms.map(arm =>
    arm.name === 'app' ? { ...arm, invalid: { code: 'gate-refused', text: 'its body differs' } } : arm
  )
  t.match(compareRuns(before, after), {
    contrasts: [{ verdict: 'invalid', why: 'app: its body differs' }],
    slower: false,
    open: true
  })
})

t.test('what differs between machines and set-ups is told leaf by leaf; how busy they were is not', async t => {
  const before = runOf({ tcp: 1000 }, { environment: makeEnvironment({ busy: { loadAverage: 1, stealShare: 0 } }) })
  const after = runOf({ tcp: 1000 }, {
    environment: makeEnvironment({ kernel: '6.2' }),
    tools: { ...makeRecord().tools, nginx: '1.30.0' }
  })
  t.strictSame(compareRuns(before, after).differences, [
    { what: 'tools nginx', before: '1.22.1', after: '1.30.0' },
    { what: 'environment kernel', before: '6.1.0-18-amd64', after: '6.2' }
  ])
})

t.test('another version of Node or of a program is no other machine', async t => {
  const after = runOf({ tcp: 800 }, { environment: makeEnvironment({ node: '22.12.0' }), tools: { nginx: '1.30.0' } })
  t.match(compareRuns(runOf({ tcp: 1000 }), after), { ratesApart: null, slower: true })
})

t.test('configurations are compared line by line', async t => {
  const [before, after] = ['worker_processes 1;', 'worker_processes 2;'].map(line => ({
    ...runOf({ tcp: 1000 }),
    configs: { 'tcp/nginx.conf': `${line}\nevents {}\n`, same: 'a\n' }
  })
  )
  const comparison = compareRuns(before, after)
  t.strictSame(comparison.configs, [{
    file: 'tcp/nginx.conf',
    removed: ['worker_processes 1;'],
    added: ['worker_processes 2;']
  }])
  t.match(renderComparison(comparison), /tcp\/nginx\.conf\n- worker_processes 1;\n\+ worker_processes 2;/)
  t.strictSame(compareRuns(before, { ...after, configs: {} }).configs, [], 'of a run that kept none nothing is said')
})

t.test('it reads well at 80 columns', async t => {
  const text = renderComparison(
    compareRuns(runOf({ tcp: 1000, uds: 2000 }),
      runOf({ tcp: 900, uds: 2000, other: 1 }, { tools: { nginx: '1.30.0' } }, { seed: 8 }))
  )
  t.ok(text.split('\n').every(line => line.length <= 80), text)
  t.match(text, /tcp +1,000 +900 +0\.90/)
  t.match(text, /uds ÷ tcp +2\.0\d +2\.2\d +1\.1\d/)
  t.match(text, /Only in .*: other\./)
  t.match(text, /tools nginx: 1\.22\.1 → 1\.30\.0/)
  t.match(text, /Slower by more than 5 %: tcp in req\/s\./)
  t.match(text, /It would have found a slowdown of \d/)
  t.match(renderComparison(compareRuns(runOf({ a: 1 }), runOf({ b: 1 }))), /no arm in common[^]*nothing to compare/)
})

t.test('who has only one arm is told what would travel', async t => {
  const text = renderComparison(compareRuns(runOf({ app: 1000 }), runOf({ app: 500 }, elsewhere)))
  t.match(text.replace(/\s+/g, ' '),
    /Rates did not decide, for the machines differ \(cpu model\).*give it a second one that does not change/)
})

t.test('as Markdown it is a table with both intervals, the change and the verdict, and no name is markup', async t => {
  const text = comparisonMarkdown(
    compareRuns(runOf({ yardstick: 4000, 'a|<b>': 2000 }),
      runOf({ yardstick: 8000, 'a|<b>': 3000 }, elsewhere, { seed: 8 }))
  )
  const lines = text.split('\n')
  t.equal(lines[0], '**Slower by more than 5 %: a\\|&lt;b\\> ÷ yardstick.**')
  t.equal(lines[2], '| what | before | now | change | verdict | would have found |')
  const interval = String.raw`\(0\.\d+ to 0\.\d+\)`
  t.match(lines[4], new RegExp(
    String.raw`^\| a\\\|&lt;b\\> ÷ yardstick, times as fast \| 0\.50\d* ${interval} \| 0\.37\d* ${interval} ` +
    String.raw`\| 0\.7\d+ ${interval} \| slower \| \d+(\.\d)? % \|$`))
  t.match(text,
    /\| yardstick, req\/s \| 4,000 \(3,960 to 4,040\) \| 8,000 \(7,920 to 8,080\) \| – \| not compared \| – \|/)
  t.match(text, /<details><summary>What differs between them \(1\)<\/summary>\n\n- environment cpu model: /)
})

t.test('the family pays for a rate and its CPU time as far as they are two measurements', async t => {
  const rates = { yardstick: 4000, app: 2000 }
  const level = (/** @type {ReturnType<typeof runOf>} */ before, /** @type {ReturnType<typeof runOf>} */ after) =>
    compareRuns(before, after, { rates: false }).contrasts[0].level
  const apart = [runOf(rates), runOf(rates, {}, { seed: 8 })]
  t.ok(level(apart[0], apart[1]) > 0.974, 'noise of their own: two figures')
  /** A served side that is saturated, but for `idle` of its time: the rest is what its requests cost. */
  const saturated = (/** @type {number} */ idle) => apart.map((run, i) => {
    const random = randomFrom(9, idle, i)
    return {
      ...run,
      samples: run.samples.map(sample => ({
        ...sample,
        cpuSeconds: { load: 0.05, proxy: 0, server: sample.requests / sample.rps * (1 - idle * random()), idle: 0 }
      }))
    }
  })
  const [full, nearly] = [saturated(0), saturated(0.05)]
  t.ok(Math.abs(level(full[0], full[1]) - 0.95) < 1e-6, 'one figure')
  const between = level(nearly[0], nearly[1])
  t.ok(between > 0.955 && between < 0.973, `${between}: more than one, less than two`)
  t.ok(level(full[0], apart[1]) > 0.974, 'in one of the runs only')
})

/**
 * The same arms, their processes replaced after every six blocks; each start of an arm has a luck of its own.
 * @param {Record<string, number>} rates
 * @param {{ starts: number, luck: number, seed: number }} how luck: the largest, as a share
 */
function runOfStarts (rates, { starts, luck, seed }) {
  const run = runOf(rates, {}, { blocks: starts * 6, seed })
  const random = randomFrom(seed, 'luck')
  const lucks = Array.from({ length: starts }, () =>
    new Map(Object.keys(rates).map(arm => [arm, 1 + (random() - 0.5) * 2 * luck])))
  const samples = run.samples.map(sample => {
    const start = Math.floor(sample.block / 6)
    return { ...sample, start, rps: sample.rps * Number(lucks[start].get(sample.arm)) }
  })
  return { ...run, samples }
}

t.test('the luck of starts is in the intervals, where both runs have several', async t => {
  const rates = { tcp: 1000, uds: 2000 }
  const [before, after] = [1, 2].map(seed => runOfStarts(rates, { starts: 5, luck: 0.1, seed }))
  const found = compareRuns(before, after, { rates: false })
  const blind = compareRuns(...(/** @type {[any, any]} */ ([before, after].map(run => (
    { ...run, samples: run.samples.map(({ start, ...sample }) => sample) })))), { rates: false })
  const width = (/** @type {typeof found} */ { contrasts: [{ low, high }] }) => Number(high) / Number(low)
  t.strictSame(found.starts, { before: 5, after: 5 })
  t.strictSame(blind.starts, { before: 1, after: 1 })
  const [first, second] = [1, 2].map(seed => runOfStarts(rates, { starts: 5, luck: 0.01, seed }))
  t.ok(Math.log(width(found)) > 3 * Math.log(width(compareRuns(first, second, { rates: false }))))
  t.ok(Number(found.contrasts[0].low) < 1 && Number(found.contrasts[0].high) > 1)
  t.ok(found.contrasts[0].before.low < 2 && found.contrasts[0].before.high > 2)
  t.match(renderComparison(found), /over starts: 5 before, 5 now/)
  t.match(renderComparison(blind).replace(/\s+/g, ' '), /Both runs have one start/)
})

t.test('a slower arm is found over starts, in rates, ratios and cost', async t => {
  const calm = { starts: 6, luck: 0.01 }
  const before = runOfStarts({ tcp: 1000, uds: 2000 }, { ...calm, seed: 1 })
  const after = runOfStarts({ tcp: 1000, uds: 1600 }, { ...calm, seed: 2 })
  const { contrasts, arms, costs, slower } = compareRuns(before, after)
  t.match(contrasts, [{ verdict: 'slower' }])
  t.match(arms, [{ verdict: 'no-difference' }, { verdict: 'slower' }])
  t.match(costs, [{ verdict: 'no-difference' }])
  t.equal(slower, true)
})

t.test('an old run of one start borrows what starts differ by from the other run, and says so', async t => {
  const rates = { tcp: 1000, uds: 2000 }
  const after = runOfStarts(rates, { starts: 5, luck: 0.1, seed: 2 })
  const old = runOf(rates, {}, { seed: 3 })
  const found = compareRuns(old, after, { rates: false })
  t.strictSame(found.starts, { before: 1, after: 5 })
  t.match(renderComparison(found).replace(/\s+/g, ' '), /has one start: how far another one may be from it is taken/)
  const calm = compareRuns(old, runOfStarts(rates, { starts: 5, luck: 0.01, seed: 2 }), { rates: false })
  const width = (/** @type {typeof found} */ { contrasts: [{ low, high }] }) => Math.log(Number(high) / Number(low))
  t.ok(width(found) > 3 * width(calm))
})
