/** @import { Contrast } from '../../bench/types.js' */
import t from 'tap'
import { contrastSentence, contrastSentences, noiseSentences, startsOf } from '../../bench/report/sentences.js'
import { makeArm, makeContrast, makePlan, makeRecord } from '../support/record.js'

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
      String.raw`bottleneck in uds-keepalive; the true ratio may be higher\.$`)],
  ['at most', { oneSided: 'at-most', verdict: 'slower' },
    new RegExp(String.raw`is slower than keepalive: at most 1\.15 times as fast \(.*\), ` +
      String.raw`.* bottleneck in keepalive; the true ratio may be lower\.$`)],
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

t.test('words each verdict as a sentence', async t => {
  for (const [name, overrides, expected] of sentences) {
    t.match(contrastSentence(makeContrast(overrides), []), expected, name)
  }
})

t.test('warns against comparing rates of arms with different numbers of blocks', async t => {
  const sentencesOf = (/** @type {number[]} */ ...trials) => contrastSentences(makeRecord({
    arms: trials.map((trials, i) => makeArm({ name: ['keepalive', 'uds-keepalive'][i], trials, invalidTrials: [] })),
    contrasts: [makeContrast()]
  }))
  t.match(sentencesOf(17, 178).at(-1), /each arm's own blocks, 17 to 178: .* compare two arms by their ratio\.$/)
  t.equal(sentencesOf(20, 40).length, 1)
})

t.test('words the noise floor, also when it is missing or excludes 1', async t => {
  const sentence = (/** @type {object} */ overrides) => noiseSentences(makeRecord(overrides))[0]
  t.match(sentence({}),
    new RegExp(String.raw`keepalive against its own twin measured 0\.997 \(0\.989 ` +
      String.raw`to 1\.006\): differences of up to 1\.1 % may be noise`))
  t.match(sentence({ noiseFloor: { ratio: 1.02, low: 1.01, high: 1.03 } }),
    /excludes 1: differences below 3 % are inconclusive/)
  t.match(sentence({ noiseFloor: null }), /unknown: too few valid blocks of keepalive and its twin/)
})

t.test('reports the number of starts and the variation between starts and blocks', async t => {
  const plan = makePlan({ twin: null })
  t.match(noiseSentences(makeRecord({ plan: { ...plan, startBlocks: null } })), [/^One start: another start/])
  t.match(noiseSentences(makeRecord({})), [/^Noise floor/, /^One start: another start/], 'an older run with one start')
  t.strictSame(noiseSentences(makeRecord({ plan: { ...plan, windowSeconds: 3 } })), [], 'a start for each window')
  const noise = { sliceSd: 0.05, startSd: 0.012, starts: 6, df: 20 }
  const contrasts = [makeContrast({ starts: 6, decidedAtBlock: 13 }),
    // Without a verdict, because the load was the bottleneck.
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

t.test('words the number of starts of each run', async t => {
  const plan = makePlan()
  const started = (/** @type {Partial<typeof plan>} */ overrides, contrast = {}) =>
    startsOf(makeRecord({ plan: { ...plan, ...overrides }, contrasts: [makeContrast(contrast)] }))
  t.equal(started({ startBlocks: 6 }, { starts: 13 }), '13 starts')
  t.equal(started({ startBlocks: null }), '1 start')
  t.equal(started({ protocol: 'series', windowSeconds: 30 }), 'a start for every trial')
})
