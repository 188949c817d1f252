/** @import { Contrast, RunRecord } from '../../bench/types.js' */
import t from 'tap'
import { duration, estimate, halfWidth, interval, level, micros, NONE, percent, rate } from '../../bench/plan/format.js'
import { contrastSentence, endSentence, noiseSentences } from '../../bench/report/sentences.js'
import { renderText } from '../../bench/report/text.js'
import { rateTable } from '../../bench/report/tables/arms.js'
import { winnerOf } from '../../bench/report/winner.js'
import { breakWord, wrap } from '../../bench/report/wrap.js'
import { makeArm, makeClaim, makeContrast, makePlan, makeRecord } from '../support/record.js'

const LONG = 'nginx:keepalive+cache=5s+gzip+workers=4/express-json@pm2:4'
const LONGER = 'nginx:uds-keepalive+cache=5s+gzip+workers=4/./apps/shop/server.js@pm2:4'

const troubledArms = [
  makeArm({ name: LONG, word: LONG, bound: 'load' }),
  makeArm({
    name: LONGER,
    word: LONGER,
    rps: { median: 15123.4, low: 14000, high: NaN },
    errors: { non2xx: 12, timeouts: 3, resets: 0, mismatches: 1204 }
  }),
  makeArm({
    name: 'refused',
    rps: null,
    cpuMicrosPerRequest: null,
    trials: 0,
    invalid: {
      code: 'gate',
      text: 'answer 3 of 200 had another body than the file it should be, from byte 512 on'
    }
  }),
  makeArm({ name: 'never', rps: null, cpuMicrosPerRequest: null, trials: 0 }),
  makeArm({
    name: 'spoiled',
    rps: null,
    cpuMicrosPerRequest: null,
    trials: 12,
    invalidTrials: [{ block: 11, reason: { code: 'idle', text: 'idle arms used 4 % CPU' } }]
  }),
  makeArm({
    name: 'odd',
    rps: { median: NaN, low: NaN, high: Infinity },
    cpuMicrosPerRequest: { load: NaN, proxy: Infinity, server: 61 }
  })
]

/** Everything that can go wrong in a run, in one record. */
const troubled = (/** @type {Partial<RunRecord>} */ overrides = {}) =>
  makeRecord({
    complete: false,
    endedAt: null,
    ended: null,
    arms: troubledArms,
    contrasts: [
      makeContrast({
        arm: LONGER,
        baseline: LONG,
        oneSided: 'at-most',
        verdict: 'slower',
        ratio: 0.4,
        low: 0.38,
        high: 0.43
      }),
      makeContrast({
        arm: 'refused',
        baseline: LONG,
        verdict: 'invalid',
        ratio: NaN,
        low: NaN,
        high: Infinity,
        lag1: NaN,
        blocks: 0,
        why: 'no block in which both counted'
      }),
      makeContrast({
        arm: 'spoiled',
        baseline: 'never',
        verdict: 'inconclusive',
        ratio: 1.01,
        low: 0.97,
        high: Infinity,
        secondsToSettle: Infinity
      })
    ],
    noiseFloor: { ratio: NaN, low: NaN, high: NaN },
    claims: [makeClaim({ measured: NaN, low: NaN, high: NaN, status: 'not-testable' })],
    warnings: [{
      code: 'x',
      text: 'a very long reason '.repeat(9).trim(),
      remedy: 'resume it: npm run hopbench -- run --resume 2024-05-06T07-08-09Z-uds'
    }],
    ...overrides
  })

const records = {
  plain: makeRecord(),
  troubled: troubled(),
  empty: makeRecord({ arms: [], contrasts: [], claims: [], noiseFloor: null, ended: 'failed' })
}

t.test('no line is longer than the terminal is wide', async t => {
  for (const [name, record] of Object.entries(records)) {
    for (const columns of [80, 100, 140]) {
      for (const line of renderText(record, { columns, dir: 'results/x' }).split('\n')) {
        if ([...line].length > columns) t.fail(`${name} at ${columns}: ${line}`)
      }
    }
  }
})

t.test('without colour there is no control character', async t => {
  for (const record of Object.values(records)) {
    // eslint-disable-next-line no-control-regex
    t.notMatch(renderText(record).replaceAll('\n', ''), /[\x00-\x1f\x7f-\x9f\u00a0]/)
  }
})

t.test('colour changes nothing but the colour', async t => {
  const colored = renderText(troubled(), { color: true })
  // eslint-disable-next-line no-control-regex
  const escapes = /\x1b\[\d+m/g
  t.match(colored, escapes)
  t.equal(colored.replace(escapes, ''), renderText(troubled()))
})

t.test('names and reasons from outside cannot steer the terminal', async t => {
  const reason = { code: 'x', text: 'it said \x1b[2Jgone\r\nand \x07 rang' }
  const text = renderText(makeRecord({ arms: [makeArm({ rps: null, invalid: reason })] }), { columns: 120 })
  t.match(text, /it said gone and rang/)
})

t.test('a terminal that knows ASCII only gets nothing else', async t => {
  // eslint-disable-next-line no-control-regex
  for (const record of Object.values(records)) t.notMatch(renderText(record, { unicode: false }), /[^\x00-\x7f]/)
  t.match(renderText(makeRecord(), { unicode: false }), /^keepalive .* #{20,}$/m)
  t.match(renderText(makeRecord()), /^keepalive .* █{20,}$/m)
})

t.test('what is no number is never printed as one', async t => {
  for (const record of Object.values(records)) t.notMatch(renderText(record), /NaN|Infinity|null|undefined/)
})

t.test('lines do not end in blanks, and the text ends in one line break', async t => {
  for (const record of Object.values(records)) t.notMatch(renderText(record), / \n|\n\n$|\n\n\n/)
})

t.test('the bars are as long as the rates', async t => {
  const bars = renderText(makeRecord({
    arms: [
      makeArm({ name: 'a', rps: { median: 1000, low: 990, high: 1010 } }),
      makeArm({ name: 'b', rps: { median: 500, low: 490, high: 510 } })
    ]
  })).match(/█+/g)
  t.equal(bars?.length, 2)
  t.equal(Number(bars?.[0].length) / Number(bars?.[1].length), 2)
})

t.test('an arm without a figure says why', async t => {
  const text = renderText(troubled()).replace(/\s+/g, ' ')
  t.match(text, /refused not measured: answer 3 of 200 had another body/)
  t.match(text, /never not measured: the run ended before its turn/)
  t.match(text, /spoiled no valid trial of 12: idle arms used 4 % CPU/)
  t.match(text, /errors: 12 not 2xx, 3 without an answer in time, 1,204 with a wrong body\./)
})

t.test('long names are wrapped and nothing of them is lost', async t => {
  const text = renderText(troubled()).split('CPU time')[0].split('\n').slice(-20)
  const cells = text.map(line => line.slice(0, 32).trim()).join('')
  t.match(cells, LONG)
  t.match(cells, LONGER)
})

t.test('contrasts against one baseline name it once, others name each', async t => {
  t.match(renderText(makeRecord()), /^Relative throughput against keepalive\narm +ratio +interval +verdict$/m)
  const two = makeRecord({ contrasts: [makeContrast(), makeContrast({ arm: 'tcp', baseline: 'uds' })] })
  t.match(renderText(two), /^Relative throughput\narm +against +ratio +interval +verdict$/m)
})

t.test('an interval is printed from low to high', async t => {
  const text = renderText(makeRecord())
  const intervals = [...text.matchAll(/([\d.,]+) to ([\d.,]+)/g)].map(([, low, high]) =>
    [low, high].map(end => Number(end.replaceAll(',', '')))
  )
  t.ok(intervals.length > 5)
  t.ok(intervals.every(([low, high]) => low < high))
})

t.test('a one-sided contrast is printed as a bound, never as a point', async t => {
  const record = makeRecord({ contrasts: [makeContrast({ oneSided: 'at-least', ratio: 1.5, low: 1.42, high: 1.58 })] })
  t.match(renderText(record), /^uds-keepalive +≥ 1\.42 +– +faster$/m)
  t.notMatch(renderText(record), /1\.50/)
})

t.test('of two arms that the load generator held back no ratio is printed', async t => {
  const arms = ['keepalive', 'uds-keepalive'].map(name => makeArm({ name, bound: 'load' }))
  const contrasts = [
    makeContrast({ verdict: 'inconclusive', why: 'the load generator was the bottleneck of both arms' })
  ]
  t.match(renderText(makeRecord({ arms, contrasts })), /^uds-keepalive +– +– +inconclusive$/m)
  t.match(renderText(makeRecord({ arms, contrasts })).replace(/\s+/g, ' '),
    /is open: the load generator was the bottleneck of both\. - /)
})

/** @type {[string, Partial<Contrast>, RegExp][]} */
const sentences = [
  ['faster', {},
    /^uds-keepalive is faster than keepalive: 1\.12 times as fast \(1\.09 to 1\.15, 98\.3 % CI, 35 blocks\)\.$/],
  ['slower', { verdict: 'slower', ratio: 0.5, low: 0.48, high: 0.53 },
    /^uds-keepalive is slower than keepalive: 0\.50 times as fast \(0\.48 to 0\.53,/],
  ['no difference', { verdict: 'no-difference', ratio: 1.002, low: 0.983, high: 1.021 },
    /^uds-keepalive and keepalive are equally fast: 1\.00 times .* 2\.1 % apart at most\.$/],
  ['inconclusive', {
    verdict: 'inconclusive',
    ratio: 1.02,
    low: 0.97,
    high: 1.07,
    secondsToSettle: 195,
    why: 'the interval reaches beyond the margin'
  },
  new RegExp(String.raw`is open: 1\.02 times as fast \(.*\)\. The interval reaches beyond the ` +
    String.raw`margin\. Estimated budget for a verdict: 3 min 20 s \(--budget 200s\)\.$`)],
  ['inconclusive without an estimate', { verdict: 'inconclusive', secondsToSettle: null }, /35 blocks\)\.$/],
  ['invalid', { verdict: 'invalid', ratio: NaN, why: 'tcp was refused' },
    /^uds-keepalive against keepalive is invalid: tcp was refused\.$/],
  ['at least', { oneSided: 'at-least' },
    new RegExp(String.raw`is faster than keepalive: at least 1\.09 times as fast \(.*\), .* ` +
      String.raw`bottleneck of uds-keepalive; the true ratio may be higher\.$`)],
  ['at most', { oneSided: 'at-most', verdict: 'slower' },
    new RegExp(String.raw`is slower than keepalive: at most 1\.15 times as fast \(.*\), ` +
      String.raw`.* bottleneck of keepalive; the true ratio may be lower\.$`)],
  ['an open bound', {
    oneSided: 'at-least',
    verdict: 'inconclusive',
    ratio: 1.02,
    low: 0.97,
    why: 'the generator was the bottleneck'
  },
  /is open: at least 0\.97 times as fast \([^)]*\)\. The generator was the bottleneck\.$/],
  ['no interval', { blocks: 3, low: 0, high: Infinity, verdict: 'inconclusive', why: '3 of 8 blocks' },
    /is open: 1\.12 times as fast \(too few blocks for an interval\)\. 3 of 8 blocks\.$/],
  ['a single block', { blocks: 1, low: NaN, high: NaN }, /\(too few blocks for an interval\)/]
]

t.test('each verdict is a sentence', async t => {
  for (const [name, overrides, expected] of sentences) {
    t.match(contrastSentence(makeContrast(overrides), []), expected, name)
  }
})

t.test('the noise floor is a sentence, also when it is missing or excludes 1', async t => {
  const sentence = (/** @type {object} */ overrides) => noiseSentences(makeRecord(overrides))[0]
  t.match(sentence({}),
    new RegExp(String.raw`keepalive against its own twin measured 0\.997 \(0\.989 ` +
      String.raw`to 1\.006\): differences of up to 1\.1 % may be noise`))
  t.match(sentence({ noiseFloor: { ratio: 1.02, low: 1.01, high: 1.03 } }),
    /excludes 1: differences below 3 % are inconclusive/)
  t.match(sentence({ noiseFloor: null }), /unknown: too few valid blocks of keepalive and its twin/)
})

t.test('what the intervals rest on is said: one start, or several and what they and their blocks show', async t => {
  const plan = makePlan({ twin: null })
  t.match(noiseSentences(makeRecord({ plan: { ...plan, startBlocks: null } })), [/^One start: another start/])
  t.match(noiseSentences(makeRecord({})), [/^Noise floor/, /^One start: another start/], 'an older run had one, too')
  t.strictSame(noiseSentences(makeRecord({ plan: { ...plan, windowSeconds: 3 } })), [], 'a start for each window')
  const noise = { sliceSd: 0.05, startSd: 0.012, starts: 6, df: 20 }
  const contrasts = [makeContrast({ starts: 6, decidedAtBlock: 13 }),
    // The load was its bottleneck: it has no verdict.
    makeContrast({ starts: 6, decidedAtBlock: 7, verdict: 'inconclusive' })]
  const standsApart = [{ arm: 'uds', start: 2, factor: 0.7, fromBlock: 14 },
    { arm: 'tcp', start: 0, factor: 1.25, fromBlock: null }]
  t.strictSame(noiseSentences(makeRecord({ plan: { ...plan, startBlocks: 6 }, noise, contrasts, standsApart })), [
    'The intervals come from 6 starts of all processes: between starts the ratio of two arms varied by 1.2 %, ' +
      'between blocks of one start by 5 %.',
    `Decided: ${contrasts[0].arm} against ${contrasts[0].baseline} after 14 blocks.`,
    'Start 3 of uds is an outlier: 0.70 times as fast as its other starts, from block 15 on. It is not discarded.',
    'Start 1 of tcp is an outlier: 1.25 times as fast as its other starts. It is not discarded.'
  ])
})

t.test('the reader is told how much was measured and why it ended', async t => {
  t.equal(endSentence(makeRecord()),
    '35 blocks in 3 min 21 s, ended by the precision reached, widest half-width ±2.7 %. Seed 20240229.')
  t.match(endSentence(troubled()), /^35 blocks, cut off before its end\. Seed/)
})

t.test('rounding happens at the edge, to what the interval bears', async t => {
  t.strictSame(estimate({ ratio: 1.1234, low: 1.0911, high: 1.1503 }), {
    ratio: '1.12',
    low: '1.09',
    high: '1.15',
    interval: '1.09 to 1.15'
  })
  t.equal(estimate({ ratio: 0.9972, low: 0.9893, high: 1.0061 }).interval, '0.989 to 1.006')
  t.equal(estimate({ ratio: 1.02, low: 1.002, high: 1.04 }).interval, '1.002 to 1.040',
    'an end beside 1 is not rounded onto it')
  t.equal(estimate({ ratio: 12.345, low: 10.2, high: 15.1 }).ratio, '12.3')
  t.equal(estimate({ ratio: 0.00512, low: NaN, high: NaN }).ratio, '0.0051')
  t.equal(estimate({ ratio: 1.5, low: null, high: 1.6 }).interval, 'up to 1.60')
  t.equal(estimate({ ratio: 1.5, low: 1.4, high: Infinity }).interval, '1.40 or more')
  t.equal(estimate({ ratio: 1.5, low: 0, high: Infinity }).interval, NONE)
  t.strictSame(estimate({ ratio: NaN, low: null, high: undefined }), {
    ratio: NONE,
    low: NONE,
    high: NONE,
    interval: NONE
  })
  t.equal(rate(12345.6), '12,350')
  t.equal(rate(999.96), '1,000')
  t.equal(rate(0), '0')
  t.equal(rate(null), NONE)
  t.equal(interval(NONE, NONE), NONE)
  t.equal(micros(61.24), '61.2')
  t.equal(micros(8), '8.00')
  t.equal(percent(0.0204), '2 %')
  t.equal(percent(0.0156), '1.6 %')
  t.equal(percent(0.0001), 'under 0.1 %')
  t.equal(percent(NaN), NONE)
  t.equal(level(0.95), '95 %')
  t.equal(level(1 - 0.05 / 6), '99.2 %')
  t.equal(level(0.99999), '99.99 %', 'never certain')
})

t.test('time spans read as people say them', async t => {
  const spans = {
    0.5: '0.5 s',
    9.96: '10 s',
    45: '45 s',
    59.7: '1 min',
    200: '3 min 20 s',
    3600: '1 h',
    3725: '1 h 2 min',
    7199: '2 h'
  }
  for (const [seconds, text] of Object.entries(spans)) t.equal(duration(Number(seconds)), text)
  t.equal(duration(NaN), NONE)
  t.equal(halfWidth({ low: 1 / 1.02, high: 1.02 })?.toFixed(6), '0.020000')
  t.equal(halfWidth({ low: 0, high: 1 }), null)
})

t.test('words are broken at the joints of a topology', async t => {
  t.strictSame(breakWord('nginx:uds+cache=5s/express-json@pm2:4', 20), ['nginx:uds+cache=5s/', 'express-json@pm2:4'])
  t.strictSame(breakWord('x'.repeat(25), 10), ['x'.repeat(10), 'x'.repeat(10), 'x'.repeat(5)])
  t.strictSame(wrap('one two three four', 13, { first: '- ' }), ['- one two', '  three four'])
  t.strictSame(wrap('the interval holds 98.3 % of it', 24), ['the interval holds', '98.3 % of it'],
    'a number stays with its unit')
  t.strictSame(wrap('', 10), [''])
})

t.test('the winner is called so only when verdicts put all others behind it', async t => {
  t.match(winnerOf(makeRecord()), { arm: { name: 'uds-keepalive' }, undecided: [] })
  const open = makeRecord({
    contrasts: [makeContrast(), makeContrast({ arm: 'tcp', verdict: 'slower' }),
      makeContrast({ arm: 'uds', verdict: 'inconclusive' })]
  })
  t.strictSame(winnerOf(open)?.undecided, ['uds'])
  t.match(renderText(open).replace(/\s+/g, ' '),
    /highest rate was measured for uds-keepalive, but no verdict separates it from uds\./)
  t.equal(winnerOf(records.empty), null)
})

t.test('neither the repeated arm nor an invalid one can win', async t => {
  const arms = [makeArm({ name: 'keepalive again', rps: { median: 9e9, low: 1, high: 2 } }),
    makeArm({ name: 'tcp', rps: { median: 8e9, low: 1, high: 2 }, invalid: { code: 'x', text: 'y' } }), makeArm()]
  t.equal(winnerOf(makeRecord({ arms }))?.arm.name, 'keepalive')
})

t.test('the recommended configuration is printed by a command that a shell takes as it is', async t => {
  t.match(renderText(makeRecord()), /^ {4}npm run hopbench -- config nginx:uds-keepalive\/express-json$/m)
  const long = makeRecord({ arms: [makeArm({ name: 'long', word: LONGER })], contrasts: [] })
  t.match(renderText(long), `    npm run hopbench -- config \\\n    ${LONGER}\n`)
  const bare = makeRecord({ arms: [makeArm({ name: 'bare', word: 'express-json' })], contrasts: [] })
  t.match(renderText(bare), /no proxy in front/)
  t.notMatch(renderText(bare), /-- config/)
})

t.test('a published claim stands beside what was measured', async t => {
  t.match(renderText(makeRecord()).replace(/\s+/g, ' '),
    new RegExp(String.raw`reproduced here A Unix domain socket is faster than keepalive\. published 1\.19 ` +
      String.raw`\(rysk001 2020\), measured 1\.12 \(1\.09 to 1\.15\): the interval`))
  t.match(renderText(troubled()), /^not testable here {4}A Unix/m)
  t.match(renderText(troubled()), /not measured/)
})

t.test('every warning is printed with its remedy, and a command where it can be copied', async t => {
  t.match(renderText(troubled()),
    /^! a very long[^]*\n {2}Try: resume it:\n {4}npm run hopbench -- run --resume 2024-05-06T07-08-09Z-uds$/m)
})

t.test('where the results are is printed as it was given', async t => {
  t.match(renderText(makeRecord(), { dir: 'results/2024-05-06T07-08-09Z-uds' }),
    /\nResults: results\/2024-05-06T07-08-09Z-uds\n$/)
})

t.test('one trial has a rate and no interval', async t => {
  const { columns } = rateTable(makeRecord())
  const interval = columns.find(({ text }) => text === 'interval')
  t.equal(interval?.cell(makeArm({ rps: { median: 2968, low: 2968, high: 2968 } }), 0), '–')
  t.equal(interval?.cell(makeArm({ rps: { median: 2968, low: 2900, high: 3000 } }), 0), '2,900 to 3,000')
})
