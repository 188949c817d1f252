import t from 'tap'
import { compareRuns } from '../../bench/analysis/compare-runs.js'
import { randomFrom } from '../../bench/shared/random.js'
import { comparisonMarkdown } from '../../bench/report/comparison-markdown.js'
import { renderComparison } from '../../bench/report/comparison.js'
import { makeEnvironment, makeRecord } from '../support/record.js'
import { runOf } from '../support/compared-runs.js'

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
  const [before, after] = [runOf({ reference: 4000, app: 2000 }),
    runOf({ reference: 2000, app: 1000 }, elsewhere, { seed: 8 })]
  const { arms, contrasts, costs, slower, open, ratesApart } = compareRuns(before, after)
  t.match(ratesApart, /the machines differ \(cpu model\)/)
  t.match(arms, [{ arm: 'reference', before: 4000, after: 2000, verdict: 'not-comparable', ratio: null }, {
    arm: 'app',
    verdict: 'not-comparable'
  }])
  t.match([contrasts, costs], [[{ arm: 'app', baseline: 'reference', verdict: 'no-difference' }], [{
    arm: 'app',
    baseline: 'reference',
    verdict: 'no-difference'
  }]])
  t.strictSame([slower, open], [false, false])
})

t.test('on another machine, twice as fast, an app that lost a quarter against its reference is slower', async t => {
  const { contrasts, slower } = compareRuns(runOf({ reference: 4000, app: 2000 }),
    runOf({ reference: 8000, app: 3000 }, elsewhere, { seed: 8 }))
  t.match(contrasts, [{ verdict: 'slower' }])
  t.ok(Math.abs(Number(contrasts[0].ratio) - 0.75) < 0.02)
  t.ok(Math.abs(contrasts[0].before.ratio - 0.5) < 0.01)
  t.ok(Math.abs(contrasts[0].after.ratio - 0.375) < 0.01)
  t.equal(slower, true)
})

t.test('an app that costs more CPU time against its reference is costlier, though its rate stayed', async t => {
  const micros = { reference: 200, app: 400 }
  const { contrasts, costs, slower } = compareRuns(runOf({ reference: 4000, app: 2000 }, {}, { micros }),
    runOf({ reference: 4000, app: 2000 }, elsewhere, { micros: { ...micros, app: 460 }, seed: 8 }))
  t.match(contrasts, [{ verdict: 'no-difference' }])
  t.match(costs, [{ verdict: 'costlier' }])
  t.equal(slower, true)
  t.match(
    compareRuns(runOf({ reference: 4000, app: 2000 }, {}, { micros }),
      runOf({ reference: 4000, app: 2000 }, {}, { micros: { ...micros, app: 300 }, seed: 8 })),
    { costs: [{ verdict: 'cheaper' }], slower: false }
  )
})

t.test('rates can be left out on one machine, too', async t => {
  const comparison = compareRuns(runOf({ reference: 4000, app: 2000 }),
    runOf({ reference: 2000, app: 1000 }, {}, { seed: 8 }), { rates: false })
  t.match(comparison, { ratesApart: '--no-rates was given', slower: false })
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
  t.match(renderComparison(few), /Inconclusive: tcp in req\/s\.[^]*too few blocks to detect a slowdown of any size/)
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
  const [before, after] = [runOf({ reference: 4000, app: 2000 }), runOf({ reference: 4000, app: 1000 })]
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
  const [before, after] = [runOf({ reference: 4000, app: 2000 }), runOf({ reference: 4000, app: 1000 })]
  after.record.arms = after.record.arms.map(arm => ({ ...arm, bound: 'load' }))
  t.match(compareRuns(before, after), {
    contrasts: [{ verdict: 'not-comparable', why: /the load was the bottleneck in app/ }],
    costs: [{ verdict: 'no-difference' }]
  })
})

t.test('an arm that is invalid as a whole is not measured', async t => {
  const [before, after] = [runOf({ reference: 4000, app: 2000 }), runOf({ reference: 4000, app: 1000 })]
  after.record.arms = after.record.arms.map(arm =>
    arm.name === 'app' ? { ...arm, invalid: { code: 'gate-refused', text: 'its body differs' } } : arm
  )
  t.match(compareRuns(before, after), {
    contrasts: [{ verdict: 'invalid', why: 'app: its body differs' }],
    slower: false,
    open: true
  })
})

t.test('what differs between machines and set-ups is reported leaf by leaf; how busy they were is not', async t => {
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
  t.match(text, /Detectable slowdown of any figure at 80 % power: \d/)
  t.match(renderComparison(compareRuns(runOf({ a: 1 }), runOf({ b: 1 }))), /no arm in common[^]*nothing to compare/)
})

t.test('a comparison of single arms says what would travel better', async t => {
  const text = renderComparison(compareRuns(runOf({ app: 1000 }), runOf({ app: 500 }, elsewhere)))
  t.match(text.replace(/\s+/g, ' '),
    /Rates did not decide, because the machines differ \(cpu model\).*give it a second one that does not change/)
})

t.test('as Markdown it is a table with both intervals, the change and the verdict, and no name is markup', async t => {
  const text = comparisonMarkdown(
    compareRuns(runOf({ reference: 4000, 'a|<b>': 2000 }),
      runOf({ reference: 8000, 'a|<b>': 3000 }, elsewhere, { seed: 8 }))
  )
  const lines = text.split('\n')
  t.equal(lines[0], '**Slower by more than 5 %: a\\|&lt;b\\> ÷ reference.**')
  t.equal(lines[2], '| what | before | now | change | verdict | detectable |')
  const interval = String.raw`\(0\.\d+ to 0\.\d+\)`
  t.match(lines[4], new RegExp(
    String.raw`^\| a\\\|&lt;b\\> ÷ reference, relative throughput \| 0\.50\d* ${interval} \| 0\.37\d* ${interval} ` +
    String.raw`\| 0\.7\d+ ${interval} \| slower \| \d+(\.\d)? % \|$`))
  t.match(text,
    /\| reference, req\/s \| 4,000 \(3,960 to 4,040\) \| 8,000 \(7,920 to 8,080\) \| – \| not compared \| – \|/)
  t.match(text, /<details><summary>What differs between them \(1\)<\/summary>\n\n- environment cpu model: /)
})

t.test('the family pays for a rate and its CPU time as far as they are two measurements', async t => {
  const rates = { reference: 4000, app: 2000 }
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
