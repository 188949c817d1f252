import t from '../../support/tap.js'
import { compareRuns } from '../../../bench/judge/runs/compare-runs.js'
import { randomFrom } from '../../../bench/shared/random.js'
import { comparisonAnswer } from '../../../bench/report/comparison-words.js'
import { reportMarkdown } from '../../../bench/report/markdown.js'
import { printReport } from '../../../bench/report/terminal.js'
import kind from '../../../bench/features/compare/kind.js'
import { REFERENCE_DIR } from '../../../bench/store/store.js'
import { storedRun } from '../../../bench/run/stored-run.js'
import { makeEnvironment, makeRecord } from '../../support/record.js'
import { runOf } from '../../support/compared-runs.js'

const elsewhere = {
  environment: makeEnvironment({ cpu: { model: 'Another CPU', cores: 2, governor: null, virtual: true } })
}

/**
 * Returns a run whose app has other properties.
 * @param {ReturnType<typeof runOf>} run
 * @param {object} changes
 */
const withApp = ({ record, ...run }, changes) => ({
  ...run, record: { ...record, arms: record.arms.map(arm => arm.name === 'app' ? { ...arm, ...changes } : arm) }
})
/** Runs in which the app has half of the reference's rate, and then a quarter. */
const halved = () => [runOf({ reference: 4000, app: 2000 }), runOf({ reference: 4000, app: 1000 })]

/** A change of figures that are not comparable. */
const apart = { verdict: 'inconclusive', decides: false, ratio: null }

t.test('classifies arms of two runs on one machine as slower, equal or faster', async t => {
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

t.test('compares runs of different machines by ratios within each run, not by rates', async t => {
  const [before, after] = [runOf({ reference: 4000, app: 2000 }),
    runOf({ reference: 2000, app: 1000 }, elsewhere, { seed: 8 })]
  const { arms, contrasts, costs, slower, open, ratesApart } = compareRuns(before, after)
  t.strictSame(ratesApart, { code: 'machines-differ', params: { differences: ['cpu model'] } })
  t.match(arms, [{ arm: 'reference', before: 4000, after: 2000, ...apart }, { arm: 'app', ...apart }])
  t.match([contrasts, costs], [[{ arm: 'app', baseline: 'reference', verdict: 'no-difference' }], [{
    arm: 'app',
    baseline: 'reference',
    verdict: 'no-difference'
  }]])
  t.strictSame([slower, open], [false, false])
})

t.test('reports an app as slower when its ratio to the reference fell on a faster machine', async t => {
  const { contrasts, slower } = compareRuns(runOf({ reference: 4000, app: 2000 }),
    runOf({ reference: 8000, app: 3000 }, elsewhere, { seed: 8 }))
  t.match(contrasts, [{ verdict: 'slower' }])
  t.ok(Math.abs(Number(contrasts[0].ratio) - 0.75) < 0.02)
  t.ok(Math.abs(contrasts[0].before.ratio - 0.5) < 0.01)
  t.ok(Math.abs(contrasts[0].after.ratio - 0.375) < 0.01)
  t.equal(slower, true)
})

t.test('reports an app as costlier when its CPU time relative to the reference grew at an equal rate', async t => {
  const micros = { reference: 200, app: 400 }
  const { contrasts, costs, slower } = compareRuns(runOf({ reference: 4000, app: 2000 }, {}, { micros }),
    runOf({ reference: 4000, app: 2000 }, elsewhere, { micros: { ...micros, app: 460 }, seed: 8 }))
  t.match(contrasts, [{ verdict: 'no-difference' }])
  t.match(costs, [{ verdict: 'slower', worse: 'higher' }])
  t.equal(slower, true)
  t.match(
    compareRuns(runOf({ reference: 4000, app: 2000 }, {}, { micros }),
      runOf({ reference: 4000, app: 2000 }, {}, { micros: { ...micros, app: 300 }, seed: 8 })),
    { costs: [{ verdict: 'faster', worse: 'higher' }], slower: false }
  )
})

t.test('compares the interval with the given margin', async t => {
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

t.test('a comparison is inconclusive with too few blocks and invalid without valid blocks', async t => {
  const few = compareRuns(runOf({ tcp: 1000 }, {}, { blocks: 2 }), runOf({ tcp: 500 }, {}, { blocks: 2 }))
  t.match(few, { arms: [{ low: null, verdict: 'inconclusive', sees: null }], slower: false, open: true, sees: null })
  t.match(printReport(few, kind).replace(/\s+/g, ' '), /Inconclusive: tcp in req\/s\..*too few blocks to detect a slow/)
  t.match(compareRuns(runOf({ tcp: 1000 }, {}, { blocks: 0 }), runOf({ tcp: 500 })), {
    arms: [{ ratio: null, verdict: 'invalid' }],
    open: true
  })
})

t.test('at least four of five comparisons find a slowdown of the reported detectable size', async t => {
  const compared = (/** @type {number} */ i, /** @type {number} */ rate) =>
    compareRuns(runOf({ app: 1000 }, {}, { seed: 100 + i }), runOf({ app: rate }, {}, { seed: 500 + i }))
  const all = Array.from({ length: 100 }, (_, i) => i)
  const loss = all.map(i => Number(compared(i, 1000).sees)).reduce((a, b) => a + b) / all.length
  t.ok(loss > 0.05 && loss < 0.1, `${loss} lies beyond the margin`)
  const share = all.filter(i => compared(i, 1000 * (1 - loss)).slower).length / all.length
  t.ok(share >= 0.8 && share < 0.97, `${share} were found`)
})

t.test('reports at most 5 of 100 pairs of equal runs as slower, with several figures', async t => {
  const called = Array.from({ length: 100 },
    (_, i) =>
      compareRuns(runOf({ a: 1000, b: 900, c: 800 }, {}, { seed: 100 + i }),
        runOf({ a: 1000, b: 900, c: 800 }, {}, { seed: 500 + i }), { margin: 0.001 }))
  t.ok(called.filter(({ slower }) => slower).length <= 5)
})

t.test('names arms that only one run has, and excludes the twin', async t => {
  const twin = { arm: 'twin', of: 'tcp' }
  const [first, second] = [runOf({ tcp: 1000, uds: 1, twin: 1000 }), runOf({ tcp: 1000, keepalive: 1, twin: 1000 })]
  for (const { record } of [first, second]) record.plan.twin = twin
  const { arms, only } = compareRuns(first, second)
  t.strictSame(arms.map(({ arm }) => arm), ['tcp'])
  t.strictSame(only, { before: ['uds'], after: ['keepalive'] })
})

t.test('does not compare arms whose loads differ', async t => {
  const [before, after] = halved()
  const comparison = compareRuns(before, withApp(after, { load: { ...after.record.arms[1].load, connections: 7 } }))
  t.match(comparison, {
    contrasts: [{ ...apart, why: { code: 'other-arm', params: { arm: 'app' } } }],
    arms: [{ verdict: 'no-difference' }, apart],
    slower: false
  })
  t.match(comparison.differences, [{ what: 'arms app load connections', before: '100', after: '7' }])
})

t.test('an arm that is slower than a lower bound of its earlier rate is slower', async t => {
  const [first, after] = halved()
  const before = withApp(first, { bound: 'load' })
  t.match(compareRuns(before, after), {
    contrasts: [{ verdict: 'slower', low: null }],
    arms: [{ verdict: 'no-difference' }, { verdict: 'slower', low: null }],
    slower: true
  })
  t.match(compareRuns(before, before), {
    contrasts: [{ ...apart, why: { code: 'load-bound', params: { arm: 'app' } } }],
    costs: [{ verdict: 'no-difference' }],
    arms: [{ verdict: 'no-difference' }, apart]
  })
})

t.test('a contrast with an invalid arm is invalid, with the reason of the arm', async t => {
  const [before, after] = halved()
  const invalid = { code: 'gate-refused', params: { why: 'its body differs' } }
  t.match(compareRuns(before, withApp(after, { invalid })), {
    contrasts: [{ verdict: 'invalid', why: { code: 'arm-invalid', params: { arm: 'app' } } }],
    slower: false,
    open: true
  })
})

t.test('lists each difference between machines and set-ups, except how busy they were', async t => {
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

t.test('compares rates across versions of Node and of programs', async t => {
  const after = runOf({ tcp: 800 }, { environment: makeEnvironment({ node: '22.12.0' }), tools: { nginx: '1.30.0' } })
  t.match(compareRuns(runOf({ tcp: 1000 }), after), { ratesApart: null, slower: true })
})

t.test('compares configurations line by line', async t => {
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
  t.match(printReport(comparison, kind), /tcp\/nginx\.conf\n- − worker_processes 1;\n- \+ worker_processes 2;/)
  t.strictSame(compareRuns(before, { ...after, configs: {} }).configs, [],
    'a run without configurations has no differences')
})

t.test('an inconclusive comparison begins with what it can detect', async t => {
  const noisy = compareRuns(runOf({ tcp: 1000, uds: 2000 }, {}, { blocks: 10 }),
    runOf({ tcp: 960, uds: 2000 }, {}, { blocks: 10, seed: 8 }), { margin: 0.02 })
  t.equal(noisy.open, true)
  t.equal(noisy.slower, false)
  const [first, ...others] = comparisonAnswer(noisy)
  t.match(first, /^UNDECIDED: this comparison detects slowdowns of [\d.]+ % and more; --margin is 2 %\.$/)
  t.match(others.join(' '), /Inconclusive: /)
  t.match(comparisonAnswer({ ...noisy, sees: null })[0], /^UNDECIDED: .* too few blocks .*; --margin is 2 %\.$/)
})

t.test('fits the comparison into 80 columns', async t => {
  const text = printReport(
    compareRuns(runOf({ tcp: 1000, uds: 2000 }),
      runOf({ tcp: 900, uds: 2000, other: 1 }, { tools: { nginx: '1.30.0' } }, { seed: 8 })), kind
  )
  t.ok(text.split('\n').every(line => line.length <= 80), text)
  t.match(text, /tcp, req\/s +1,000 +900 +−\d/)
  t.match(text, /uds ÷ tcp +2\.0\d +2\.2\d +\+1\d/)
  t.match(text, /other was not measured before\./)
  t.match(text, /tools nginx: 1\.22\.1 → 1\.30\.0/)
  t.match(text, /SLOWER by more than 5 %: tcp in req\/s −\d/)
  t.match(text, /Detectable slowdown of any figure at 80 % power: \d/)
  t.match(printReport(compareRuns(runOf({ a: 1 }), runOf({ b: 1 })), kind), /nothing to compare[^]*no arm in common/)
})

t.test('recommends a second, unchanged arm when machines differ and there is no contrast', async t => {
  const text = printReport(compareRuns(runOf({ app: 1000 }), runOf({ app: 500 }, elsewhere)), kind)
  t.match(text.replace(/\s+/g, ' '),
    /Rates did not decide, because the machines differ \(cpu model\).*give it a second one that does not change/)
})

t.test('prints a Markdown table with both intervals, the change and the verdict, and escapes names', async t => {
  const text = reportMarkdown(
    compareRuns(runOf({ reference: 4000, 'a|<b>': 2000 }),
      runOf({ reference: 8000, 'a|<b>': 3000 }, elsewhere, { seed: 8 })), kind
  )
  const lines = text.split('\n')
  t.match(lines[0], /^\*\*SLOWER by more than 5 %: a\\\|&lt;b\\> ÷ reference −\d.* %\)\./)
  t.equal(lines[4], '| figure | before | now | change | interval | verdict | detectable |')
  const interval = String.raw`\(0\.\d+ to 0\.\d+\)`
  t.match(lines[6], new RegExp(
    String.raw`^\| a\\\|&lt;b\\> ÷ reference, relative throughput \| 0\.50\d* ${interval} \| 0\.37\d* ${interval} ` +
    String.raw`\| −2\d.* % \| −.* to −.* % \| slower \| \d+(\.\d)? % \|$`))
  t.match(text,
    /\| reference, req\/s \| 4,000 \(3,960 to 4,040\) \| 8,000 \(7,920 to 8,080\) \| – \| – \| not compared \| – \|/)
  t.match(text, /### Differences of machines and set-ups\n\n- environment cpu model: /)
})

t.test('adjusts the level for a rate and its CPU time only as far as they are independent', async t => {
  const rates = { reference: 4000, app: 2000 }
  const level = (/** @type {ReturnType<typeof runOf>} */ before, /** @type {ReturnType<typeof runOf>} */ after) =>
    compareRuns(before, after, { rates: false }).contrasts[0].level
  const apart = [runOf(rates), runOf(rates, {}, { seed: 8 })]
  t.ok(level(apart[0], apart[1]) > 0.974, 'independent noise: two figures')
  /** Returns runs whose served side is saturated except for up to `idle` of the time, which is random. */
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
  t.ok(level(full[0], apart[1]) > 0.974, 'saturated in only one of the runs')
})

t.test('begins with the answer, which names few figures', async t => {
  const set = 'intel-r-xeon-r-processor-6-207-2-cores-24-gib-linux-x64-6.18-kvm'
  const [first, second] = await Promise.all(['2026-11-29T18-41-58Z-uds', '2026-11-30T16-36-47Z-uds']
    .map(run => storedRun(`${set}/${run}`, REFERENCE_DIR)))
  for (const [before, after] of [[first, second], [second, first]]) {
    const comparison = compareRuns(before, after)
    const { text } = kind.answer(comparison)
    t.equal(printReport(comparison, kind).split('\n\n')[0].replaceAll('\n', ' '), text)
    t.equal(reportMarkdown(comparison, kind).split('\n')[0].replace(/\\(.)/g, '$1'), `**${text}**`)
    for (const sentence of text.split('. ').filter(part => part.startsWith('Inconclusive'))) {
      t.ok(sentence.split(',').length <= 4, sentence)
    }
  }
})
