/** @import { Goal } from '../../bench/analysis/adaptive/choose.js' */
/** @import { Sample } from '../../bench/types.js' */
import t from 'tap'
import { adapt, STEP_SECONDS, trialOptions } from '../../bench/analysis/adaptive/adapt.js'
import { choose as chooseLength, expectedHalfWidth } from '../../bench/analysis/adaptive/choose.js'
import { noiseOf } from '../../bench/analysis/adaptive/machine-noise.js'
import { adaptiveSentence, chosenSentence } from '../../bench/report/adaptive.js'
import { halfWidth, pairedRatio } from '../../bench/analysis/stats/paired.js'
import { validBlocks } from '../../bench/analysis/summary.js'
import { planFor, sampleOf } from '../support/samples.js'
import { normal, seriesOf } from '../support/simulate.js'
import { blocksToLookAt } from '../../bench/plan/slice-length.js'
import { differenceFound, halfWidthFor, powerFactor } from '../../bench/plan/sample-size.js'

const ARMS = ['tcp', 'uds', 'tcp (twin)']

/**
 * Slices with white noise, and noise that is the same all through a slice.
 * @param {number} blocks
 * @param {{ white: number, start: number }} sd white: of a second's rate
 * @returns {Sample[]}
 */
function slicesOf (blocks, { white, start }) {
  const random = seriesOf('adaptive', white, start)
  return Array.from({ length: blocks }, (_, block) => block).flatMap(block => {
    const common = 0.2 * normal(random)
    return ARMS.map((arm, i) => {
      const offset = start * normal(random)
      let sum = 0
      const parts = [1, 2, 3, 4, 5].map(step => {
        sum += white / Math.sqrt(STEP_SECONDS) * normal(random)
        return 1000 * (i + 1) * Math.exp(common + offset + sum / step)
      })
      return sampleOf({ arm, block, parts, rps: parts[4] })
    })
  })
}

/** @param {{ noise: Parameters<typeof chooseLength>[0] } & Parameters<typeof chooseLength>[1] & Goal} input */
const choose = ({ noise, level, precision, minBlocks, ...run }) =>
  chooseLength(noise, run, { level, precision, minBlocks })

t.test('a difference of the half-width is found every other time: 80 % power needs 1.43 times as ' +
  'much', async t => {
  t.ok(Math.abs(powerFactor(0.95) - 1.42941) < 1e-4, 'z: 1.959964 and 0.841621')
  t.ok(Math.abs(differenceFound(halfWidthFor(0.05, 0.99), 0.99) - 0.05) < 1e-12)
  t.ok(halfWidthFor(0.05, 0.99) > halfWidthFor(0.05, 0.95), 'a wider interval of a higher level finds the same')
})

t.test('white noise and noise that is new with every slice are separate estimates', async t => {
  const white = noiseOf(slicesOf(400, { white: 0.03, start: 0 }), STEP_SECONDS)
  t.ok(white && Math.abs(Math.sqrt(white.white / (2 * 0.03 ** 2)) - 1) < 0.1,
    'the variance of a ratio is that of two arms')
  t.ok(white && Math.sqrt(white.floor) < 0.02)
  const anew = noiseOf(slicesOf(400, { white: 0.005, start: 0.05 }), STEP_SECONDS)
  t.ok(anew && Math.abs(Math.sqrt(anew.floor / (2 * 0.05 ** 2)) - 1) < 0.1)
  t.equal(anew?.freedom, 399 * 2)
  t.same(anew?.curve.map(({ seconds }) => Number(seconds.toFixed(1))), [0.1, 0.2, 0.3, 0.4, 0.5])
})

t.test('what all arms of a block have in common, and how fast each of them is, is no noise', async t => {
  const noise = noiseOf(slicesOf(100, { white: 0.001, start: 0.001 }), STEP_SECONDS)
  t.ok(noise && noise.curve.every(({ sd }) => sd < 0.01), 'though blocks differ by 20 %, and arms by a factor of 3')
})

t.test('of too few slices nothing is said', async t => {
  t.equal(noiseOf([], STEP_SECONDS), null)
  t.equal(noiseOf(slicesOf(3, { white: 0.03, start: 0 }), STEP_SECONDS), null)
  const invalid = { code: 'errors', text: '5 errors' }
  t.equal(
    noiseOf(slicesOf(20, { white: 0.03, start: 0 }).map(sample =>
      sample.arm === 'uds' ? { ...sample, invalid } : sample
    ), STEP_SECONDS),
    null,
    'a block counts when all its arms do'
  )
  t.equal(noiseOf(slicesOf(20, { white: 0.03, start: 0 }).map(({ parts, ...sample }) => sample), STEP_SECONDS), null,
    'slices that were not read while they ran')
})

const usual = {
  arms: 3,
  usual: 0.5,
  blocks: 11,
  blockSeconds: 3 * 0.6,
  secondsLeft: 120,
  level: 0.95,
  precision: 1e-4,
  minBlocks: 12
}

t.test('noise that comes anew with every slice makes them short, white noise and a long way between them ' +
  'long', async t => {
  t.match(choose({ ...usual, noise: { white: 1e-6, floor: 0.01 } }), { seconds: 0.2, changed: true })
  const long = choose({ ...usual, secondsLeft: 600, blockSeconds: 3 * 1.3, noise: { white: 0.002, floor: 0 } })
  t.ok(long.seconds > 1 && long.changed)
  t.match(choose({ ...usual, noise: { white: 0.0015, floor: 0.0006 } }), { seconds: 0.5, changed: false },
    'near the best the blocks made so far are worth more')
})

t.test('the optimum is about √(white · overhead / floor)', async t => {
  const noise = { white: 0.01, floor: 0.001 }
  // 0.9 s of overhead: √(0.01 · 0.9 / 0.001) = 3 s, and 2 is the longest
  t.equal(choose({ ...usual, secondsLeft: 3600, blockSeconds: 3 * 1.4, noise }).seconds, 2)
  t.equal(
    choose({ ...usual, secondsLeft: 3600, blockSeconds: 3 * 0.9, noise: { white: 0.001, floor: 0.0016 } }).seconds,
    0.5
  )
})

t.test('the number of blocks is the one at which the interval is expected to be narrow enough', async t => {
  const choice = choose({ ...usual, secondsLeft: 3600, precision: 0.02, noise: { white: 0.00125, floor: 0 } })
  t.ok(choice.enough)
  const sd = Math.sqrt(0.00125 / choice.seconds)
  t.ok(expectedHalfWidth(sd, choice.blocks, 0.95) <= 0.02 && expectedHalfWidth(sd, choice.blocks - 1, 0.95) > 0.02)
  t.equal(choice.neededSeconds, choice.wallSeconds)
})

t.test('the expected width is that of the intervals', async t => {
  const random = seriesOf('expected')
  for (const n of [12, 30, 100]) {
    const widths = Array.from({ length: 300 }, () =>
      halfWidth(pairedRatio(Array.from({ length: n }, () => 0.05 * normal(random)), 0.95)))
    const mean = widths.reduce((a, b) => a + b, 0) / widths.length
    // Of twelve blocks the interval has Student's reserve, which is not allowed for.
    t.ok(Math.abs(mean / expectedHalfWidth(0.05, n, 0.95) - 1) < (n === 12 ? 0.2 : 0.1), `${n} blocks: ${mean}`)
  }
})

t.test('a goal beyond the budget is reported, with the time it needs', async t => {
  const { enough, wallSeconds, neededSeconds, difference } = choose({
    ...usual,
    secondsLeft: 60,
    precision: halfWidthFor(0.01, 0.95),
    noise: { white: 0.00125, floor: 0 }
  })
  t.notOk(enough)
  t.ok(wallSeconds <= 60 && Number(neededSeconds) > 60)
  t.ok(difference > 0.01)
})

const adaptive = () => planFor({}, { adaptive: true, detect: 0.05, budgetSeconds: 300 })
const state = { blockSeconds: 1.8, secondsLeft: 200 }

t.test('a plan for a difference stops at the half-width that finds it, and looks at the noise first', async t => {
  const plan = adaptive()
  t.equal(plan.targets.precision, halfWidthFor(0.05, 0.95))
  t.match(plan.adaptive, { detect: 0.05, lookBlocks: 11, from: 0, chosen: null })
  t.same([3, 7, 40].map(blocksToLookAt), [11, 5, 4], 'more arms show the noise sooner')
  t.same(trialOptions(plan), { stepSeconds: STEP_SECONDS })
  t.equal(planFor({}, { detect: 0.05 }).targets.budgetSeconds, 1200, 'twenty minutes, unless a person says otherwise')
})

t.test('without such a wish nothing is chosen', async t => {
  t.equal(planFor().adaptive, undefined)
  t.equal(planFor({}, { adaptive: true, quick: true }).adaptive, undefined, '--quick is six blocks as they are')
  t.equal(planFor({ protocol: 'window' }, { adaptive: true }).adaptive, undefined)
  t.equal(adapt(planFor(), { ...state, samples: slicesOf(20, { white: 0.03, start: 0 }) }), null)
})

t.test('a difference cannot be asked for where slices are not, nor beside what ends a run otherwise', async t => {
  for (const [experiment, options]
    of /** @type {const} */ ([[{ protocol: 'window' }, {}], [{}, { quick: true }], [{}, { precision: 0.02 }]])) {
    t.throws(() => planFor(experiment, { detect: 0.05, ...options }), {
      code: 'bad-option',
      details: { option: '--detect', value: '5%' }
    })
  }
})

t.test('blocks of another length than the chosen one are left out', async t => {
  const samples = slicesOf(11, { white: 0.002, start: 0.06 })
  t.equal(adapt(adaptive(), { ...state, samples: samples.slice(0, -3) }), null, 'a block too early')
  const plan = adapt(adaptive(), { ...state, samples })
  t.match(plan, { windowSeconds: 0.2, adaptive: { from: 11, chosen: { seconds: 0.2, changed: true } } })
  if (!plan) return
  t.same(trialOptions(plan), { seconds: 0.2 })
  t.equal(validBlocks(plan, samples).blocks, 0)
  t.equal(adapt(plan, { ...state, samples }), null, 'it is chosen once')
  t.match(chosenSentence(plan),
    /^Slices are 0\.2 s long from here on; about \d+ blocks, another .+; detectable difference: [\d.]+ %\.$/)
})

t.test('blocks of the length that stays count', async t => {
  const samples = slicesOf(11, { white: 0.03, start: 0.02 })
  const plan = adapt(adaptive(), { ...state, samples })
  t.match(plan, { windowSeconds: undefined, adaptive: { from: 0, chosen: { seconds: 0.5, changed: false } } })
  if (!plan) return
  t.equal(validBlocks(plan, samples).blocks, 11)
  t.same(trialOptions(plan), {})
  t.match(chosenSentence(plan), /^Slices stay 0\.5 s long; about/)
})

t.test('where hardly a slice counts the run goes on as it is, and says so', async t => {
  const invalid = { code: 'errors', text: '5 errors' }
  const samples = slicesOf(22, { white: 0.03, start: 0.02 }).map(sample => ({ ...sample, invalid }))
  t.equal(adapt(adaptive(), { ...state, samples: samples.slice(0, 60) }), null, 'it is given some time')
  const plan = adapt(adaptive(), { ...state, samples })
  t.match(plan, { adaptive: { from: 0, chosen: { seconds: 0.5, changed: false, noise: null, expected: null } } })
  t.match(plan && chosenSentence(plan), /^Too few valid slices/)
})

t.test('the report says what was chosen, and the detectable difference', async t => {
  const contrasts = /** @type {any[]} */ ([{ ratio: 1.1, low: 1.1 / 1.02, high: 1.1 * 1.02, level: 0.95 }])
  t.equal(adaptiveSentence({ plan: planFor(), contrasts }), null)
  t.equal(adaptiveSentence({ plan: adaptive(), contrasts }), null, 'not yet')
  const plan = adapt(adaptive(), { ...state, samples: slicesOf(11, { white: 0.002, start: 0.06 }) })
  t.equal(plan && adaptiveSentence({ plan, contrasts }),
    'Slices were 0.2 s long, chosen by the noise of the first 11 blocks, which are discarded. Detectable ' +
    'difference at 80 % power: 2.9 %.')
  const short = adapt(adaptive(), { ...state, secondsLeft: 20, samples: slicesOf(11, { white: 0.05, start: 0.06 }) })
  t.match(short && chosenSentence(short),
    /detectable difference in the remaining time: about [\d.]+ %\. 5 % would take about .+\.$/)
})
