/** Tests names, figures and structure of the sentences of a report. The first test pins their wording. */
import t from '../../support/tap.js'
import { contrastSentences, noiseSentences } from '../../../bench/report/sentences/contrast-sentences.js'
import { makeArm, makeContrast, makePlan, makeRecord } from '../../support/record.js'

/** @import { Contrast } from '../../../bench/types.js' */

const refused = /** @type {const} */ ({
  code: 'arm-invalid', params: { arm: 'tcp', reason: { code: 'gate-refused', params: { why: 'it was refused' } } }
})

/** Returns the sentence of a contrast that the table does not explain. @param {Partial<Contrast>} overrides */
const sentenceOf = overrides => contrastSentences(makeRecord({
  arms: ['uds-keepalive', 'keepalive'].map(name => makeArm({ name, bound: 'load' })),
  contrasts: [makeContrast(overrides)]
})).at(-1) ?? ''

/**
 * Contrasts with the figures that their sentence has to contain.
 * @type {Record<string, { contrast: Partial<Contrast>, figures: string[], absent?: string[] }>}
 */
const CASES = {
  'inconclusive, with the reason and the budget for a verdict': {
    contrast: {
      verdict: 'inconclusive',
      ratio: 1.02,
      low: 0.97,
      high: 1.07,
      secondsToSettle: 195,
      why: { code: 'interval-too-wide', params: {} }
    },
    figures: ['1.02', 'The interval includes both no difference and a relevant one.', '3 min 20 s', '--budget 200s']
  },
  'inconclusive without an estimate': {
    contrast: { verdict: 'inconclusive', secondsToSettle: null },
    figures: ['1.12 (1.09 to 1.15)'],
    absent: ['--budget']
  },
  'an inconclusive bound': {
    contrast: {
      oneSided: 'at-least',
      verdict: 'inconclusive',
      ratio: 1.02,
      low: 0.97,
      why: { code: 'generator-bound-arm', params: {} }
    },
    figures: ['at least 0.97', 'The load generator was the bottleneck in the arm']
  },
  'too few blocks for an interval': {
    contrast: {
      blocks: 3,
      low: 0,
      high: Infinity,
      verdict: 'inconclusive',
      why: { code: 'too-few-blocks', params: { blocks: 3, needed: 8, lost: [] } }
    },
    figures: ['1.12', '3 of the 8 blocks'],
    absent: ['Infinity']
  }
}

t.test('words each verdict as in this snapshot', async t => {
  t.strictSame([
    sentenceOf({ verdict: 'inconclusive', why: null, secondsToSettle: 195 }),
    sentenceOf({ verdict: 'invalid', why: refused })
  ], [
    'Whether uds-keepalive serves more or less than keepalive is open: 1.12 (1.09 to 1.15). Estimated budget for a ' +
      'verdict: 3 min 20 s (--budget 200s).',
    'There is no valid comparison of uds-keepalive with keepalive: tcp: it was refused.'
  ])
})

for (const [name, { contrast, figures, absent = [] }] of Object.entries(CASES)) {
  t.test(`prints both arms and the figures: ${name}`, async t => {
    const text = sentenceOf(contrast)
    for (const figure of ['uds-keepalive', 'keepalive', ...figures]) t.ok(text.includes(figure), `${figure}: ${text}`)
    for (const figure of absent) t.notOk(text.includes(figure), `no ${figure}: ${text}`)
    t.match(text, /\.$/)
  })
}

t.test('lists one sentence for all intervals, and one for each contrast that the table does not explain', async t => {
  const contrasts = [makeContrast(), makeContrast({ arm: 'uds', blocks: 20 }),
    makeContrast({ arm: 'tcp', verdict: 'invalid', why: refused })]
  const [interval, invalid, ...others] = contrastSentences(makeRecord({ contrasts, arms: [] }))
  t.match(interval, /98\.3 %.*20 to 35 blocks/)
  t.match(invalid, / of tcp .*tcp: it was refused\.$/)
  t.strictSame(others, [])
})

t.test('advises to compare ratios when an arm has fewer than half of the blocks of another', async t => {
  const list = (/** @type {number[]} */ ...trials) => contrastSentences(makeRecord({
    arms: trials.map((trials, i) => makeArm({ name: ['keepalive', 'uds-keepalive'][i], trials, invalidTrials: [] })),
    contrasts: [makeContrast()]
  }))
  t.match(list(17, 178).at(-1), /17 to 178.*ratio/)
  t.equal(list(20, 40).length, 1)
})

t.test('prints the noise floor, also if it is missing or excludes 1', async t => {
  const sentence = (/** @type {object} */ overrides) => noiseSentences(makeRecord(overrides))[0]
  t.match(sentence({}), /keepalive.*0\.997 \(0\.989 to 1\.006\).*1\.1 %/)
  t.match(sentence({ noiseFloor: { ratio: 1.02, low: 1.01, high: 1.03 } }), /excludes 1.*3 % are inconclusive/)
  t.match(sentence({ noiseFloor: null }), /unknown.*keepalive/)
})

t.test('reports one start as a limit, except for protocols that start everything for each window', async t => {
  const plan = makePlan({ twin: null })
  t.match(noiseSentences(makeRecord({ plan: { ...plan, startBlocks: null } })), [/^One start/])
  t.match(noiseSentences(makeRecord({})), [/^Noise floor/, /^One start/])
  t.strictSame(noiseSentences(makeRecord({ plan: { ...plan, windowSeconds: 3 } })), [])
})

t.test('reports the noise between starts and within them, decisions and outliers', async t => {
  const contrasts = [makeContrast({ starts: 6, decidedAtBlock: 13 }),
    makeContrast({ starts: 6, decidedAtBlock: 7, verdict: 'inconclusive' })]
  const standsApart = [{ arm: 'uds', start: 2, factor: 0.7, fromBlock: 14 },
    { arm: 'tcp', start: 0, factor: 1.25, fromBlock: null }]
  const noise = { sliceSd: 0.05, startSd: 0.012, starts: 6, df: 20 }
  const plan = { ...makePlan({ twin: null }), startBlocks: 6 }
  const record = makeRecord({ plan, noise, contrasts, standsApart })
  const [intervals, decided, ...outliers] = noiseSentences(record)
  t.match(intervals, /6 starts.*1\.2 %.*5 %/)
  t.match(decided, /^[^0-9]*after 14 blocks\.$/, 'an inconclusive contrast is not decided')
  t.match(outliers, [/Start 3 of uds.*0\.70.*block 15/, /^Start 1 of tcp(?!.*block).*1\.25/])
  const print = (/** @type {object} */ overrides) =>
    noiseSentences({ ...record, noise: { ...noise, ...overrides }, contrasts, standsApart: [] })[0]
  t.notMatch(print({ startSd: 0 }), /\b0 %/, 'an estimate of 0 is not a measurement of 0')
  t.notMatch(print({ starts: 2, sliceSd: 0 }), /%/, 'two starts are too few for an estimate')
})
