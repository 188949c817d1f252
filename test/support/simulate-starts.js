/**
 * Simulates runs of several starts with a known truth: noise between slices, variance between starts, and processes
 * that occasionally change to another state and stay in it. Seeded, like simulate.js.
 */
import {
  computeOverStarts, findDecision, findOutlyingStarts, fitStarts, groupByStart
} from '../../bench/judge/starts.js'
import { computeContrastRatio } from '../../bench/judge/contrast-ratio.js'
import { computeDrift, isDrifting } from '../../bench/judge/drift.js'
import { pooledWidening } from '../../bench/judge/stats/dependence.js'
import { subtractEstimates, createEstimators, computeInterval } from '../../bench/judge/runs/run-estimate.js'
import { isOpen } from '../../bench/judge/stopping-rule.js'
import { excludesOne } from '../../bench/judge/margin.js'
import { judgeInterval } from '../../bench/judge/verdict.js'
import { quantile } from '../../bench/judge/stats/quantile.js'
import { computeBlockRatios } from '../../bench/judge/stats/paired.js'
import { mean, overStarts } from '../../bench/judge/stats/over-starts.js'
import { tQuantile } from '../../bench/judge/stats/student.js'
import { makeContrast } from './record.js'
import { autoregressive, noises, normal, seriesOf } from './simulate.js'

/** @import { Rates, Starts } from '../../bench/judge/starts.js' */
/** @import { Noise, Random } from './simulate.js' */

/**
 * @typedef {object} Luck
 * @property {Noise} noise between the slices of an arm, within a start
 * @property {number} [startSd] sd between the starts of an arm; default: 0.012
 * @property {number} [change] probability that a start changes to another state and stays in it
 * @property {number[]} [sliceScales] factors of the noise of slices, by arm, repeated
 * @property {number[]} [startScales] factors of the sd between starts, by arm, repeated
 */

/** Standard deviation of the log-ratio of two arms in one block. */
const SLICE_SD = 0.05
/** Standard deviation between starts on the development machine (docs/method.md). */
const START_SD = 0.012

/** @type {Record<string, Luck>} */
export const lucks = {
  white: { noise: noises.white },
  'heavy tails': { noise: noises['heavy tails'] },
  'AR(1), 0.1': { noise: autoregressive(0.1) },
  'AR(1), 0.3': { noise: noises['AR(1), 0.3'] },
  'starts alike': { noise: autoregressive(0.1), startSd: 0 },
  'starts of 3 %': { noise: autoregressive(0.1), startSd: 0.03 },
  'changes of state': { noise: autoregressive(0.1), change: 0.02 },
  'heavy tails, changes of state': { noise: noises['heavy tails'], change: 0.02 },
  'unequal slices': { noise: autoregressive(0.1), sliceScales: [1, 2, 0.5, 1, 3, 1] },
  'unequal starts': { noise: autoregressive(0.1), startScales: [1, 2, 0.5, 1, 3, 1] }
}

/** @typedef {{ arms: number, starts: number, blocks: number }} Size blocks: of each start */

/**
 * @param {string} luck
 * @param {Size} size
 * @param {Random} random
 * @returns {{ byArm: Rates, startOf: Map<number, number> }} arms "0", "1" … of equal rates
 */
export function runOf (luck, { arms, starts, blocks }, random) {
  const { noise, startSd = START_SD, change = 0, sliceScales = [1], startScales = [1] } = lucks[luck]
  const startOf = new Map(Array.from({ length: starts * blocks }, (_, block) => [block, Math.floor(block / blocks)]))
  /** @type {Rates} */
  const byArm = new Map()
  for (let a = 0; a < arms; a++) {
    const rates = new Map()
    for (let g = 0; g < starts; g++) {
      const own = startSd * startScales[a % startScales.length] * normal(random)
      const slices = noise(blocks, random)
      const from = random() < change ? Math.floor(random() * blocks) : Infinity
      const worse = -Math.log(1.3 + 0.7 * random())
      slices.forEach((x, b) => rates.set(g * blocks + b, 1000 * Math.exp(
        own + x * SLICE_SD / Math.SQRT2 * sliceScales[a % sliceScales.length] + (b >= from ? worse : 0))))
    }
    byArm.set(String(a), rates)
  }
  return { byArm, startOf }
}

/** @typedef {{ centre: number, half: number }} Around */
/** @typedef {(groups: number[][], level: number, starts: Starts) => Around} OverStartsMethod */

/**
 * Intervals over starts: the product's own, and others to compare it with.
 * @type {Record<string, OverStartsMethod>}
 */
export const overStartsMethods = {
  'as it is': (groups, level, starts) => computeOverStarts(starts, ['1', '0'], groups, level, { isRate: true }),
  /** Student's t of the means of starts */
  'own starts only': (groups, level) => {
    const means = groups.map(mean)
    const squares = means.reduce((sum, m) => sum + (m - mean(means)) ** 2, 0)
    const n = means.length
    return { centre: mean(means), half: tQuantile((1 + level) / 2, n - 1) * Math.sqrt(squares / (n - 1) / n) }
  },
  /** spread of the starts of all arms, without outliers, for every contrast */
  'all starts alike': (groups, level, { spread }) => ({
    centre: overStarts(groups, level).centre,
    half: tQuantile((1 + level) / 2, spread.df) * Math.sqrt(2 * spread.variance / groups.length)
  }),
  /** ignores the starts */
  'blocks only': (groups, level) => {
    const { centre, withinHalf } = overStarts(groups, level)
    return { centre, half: withinHalf }
  }
}

/**
 * Computes the coverage of intervals over starts, and their mean half-width.
 * @param {Size & { luck: string, level?: number, rounds: number, methods?: string[] }} setting
 * @returns {Record<string, { covered: number, width: number }>} by method: share of the rounds, log-ratio
 */
export function coverageOverStarts ({ luck, level = 0.95, rounds, methods = ['as it is'], ...size }) {
  const random = seriesOf('starts', luck, size.arms, size.starts, size.blocks)
  const found = Object.fromEntries(methods.map(name => [name, { covered: 0, width: 0 }]))
  for (let round = 0; round < rounds; round++) {
    const { byArm, startOf } = runOf(luck, size, random)
    const starts = fitStarts(byArm, startOf)
    const groups = groupByStart(ratiosOf(byArm, startOf))
    for (const name of methods) {
      const { centre, half } = overStartsMethods[name](groups, level, starts)
      if (Math.abs(centre) <= half) found[name].covered += 1 / rounds
      found[name].width += half / rounds
    }
  }
  return found
}

/**
 * Computes the coverage of the interval of a run that ends when the interval is narrow enough, tested after each block.
 * @param {Size & { luck: string, level?: number, precision: number, fewest: number, rounds: number }} setting size: of
 *   the longest run; precision: half-width as a log-ratio; fewest: blocks
 * @returns {{ covered: number, early: number, width: number }} early: share of the rounds that ended by precision
 */
export function coverageWhenStopped ({ luck, level = 0.95, precision, fewest, rounds, ...size }) {
  const random = seriesOf('stopped', luck, size.arms, size.starts, size.blocks)
  let [covered, early, width] = [0, 0, 0]
  for (let round = 0; round < rounds; round++) {
    const { byArm, startOf } = runOf(luck, size, random)
    const most = size.starts * size.blocks
    for (let n = fewest; n <= most; n++) {
      const first = new Map([...byArm].map(([arm, rates]) => [arm, new Map([...rates].slice(0, n))]))
      const { centre, half } = computeOverStarts(fitStarts(first, startOf), ['1', '0'],
        groupByStart(ratiosOf(first, startOf)), level, { isRate: true })
      if (half > precision && n < most) continue
      if (Math.abs(centre) <= half) covered += 1 / rounds
      if (n < most) early += 1 / rounds
      width += half / rounds
      break
    }
  }
  return { covered, early, width }
}

/**
 * Computes the coverage of the interval of a run that ends when a true ratio is decided and its size is known, tested
 * after each block.
 * @param {Size & { luck: string, truth: number, level?: number, fewest: number, rounds: number }} setting size: of the
 *   longest run; truth: the ratio; fewest: blocks
 * @returns {{ covered: number, early: number }} early: share of the rounds that ended before the longest run
 */
export function coverageWhenDecided ({ luck, truth, level = 0.95, fewest, rounds, ...size }) {
  const random = seriesOf('when decided', luck, truth, size.arms)
  const targets = { minBlocks: fewest }
  const most = size.starts * size.blocks
  let [covered, early] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const { byArm, startOf } = runOf(luck, size, random)
    const faster = new Map([...byArm].map(([arm, rates]) =>
      [arm, arm === '1' ? new Map([...rates].map(([block, rate]) => [block, rate * truth])) : rates]))
    // Fewer blocks decide nothing (isOpen).
    for (let n = fewest; n <= most; n++) {
      const first = new Map([...faster].map(([arm, rates]) => [arm, new Map([...rates].slice(0, n))]))
      const starts = fitStarts(first, startOf)
      const ratio = computeContrastRatio({ byArm: first, startOf, starts, isWarm: true }, ['1', '0'], level)
      const { verdict, why } = judgeInterval(ratio)
      const contrast = makeContrast({ ...ratio, verdict, why, arm: '1', baseline: '0', level })
      if (n < most && isOpen(contrast, targets)) continue
      if (ratio.low <= truth && ratio.high >= truth) covered += 1 / rounds
      if (n < most) early += 1 / rounds
      break
    }
  }
  return { covered, early }
}

/**
 * How often the interval of what changed between two runs of the same plan holds that nothing did.
 * @param {{ luck: string, runs: [Size, Size], level?: number, rounds: number }} setting
 * @returns {{ covered: number, width: number }} share of the rounds; mean half-width as a log-ratio
 */
export function coverageBetweenRuns ({ luck, runs, level = 0.95, rounds }) {
  const random = seriesOf('between', luck, ...runs.flatMap(({ starts, blocks }) => [starts, blocks]))
  let [covered, width] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    const [first, second] = runs.map(size => {
      const { byArm, startOf } = runOf(luck, size, random)
      return createEstimators(byArm, startOf).pair('1', '0')
    })
    const { low, high } = computeInterval(subtractEstimates(first, second), level)
    if (low <= 1 && high >= 1) covered += 1 / rounds
    width += Math.log(high / low) / 2 / rounds
  }
  return { covered, width }
}

/**
 * Computes the coverage of intervals of a quick run: one start of twelve blocks. The autocorrelation is estimated from
 * all arms (pooled) or from the blocks of the contrast.
 * @param {{ noise: string, arms: number, pooled: boolean, rounds: number }} setting
 * @returns {{ covered: number, width: number }} share of the rounds; mean half-width as a log-ratio
 */
export function coverageOfQuick ({ noise, arms, pooled, rounds }) {
  const random = seriesOf('quick', noise, arms)
  const startOf = new Map()
  let [covered, width] = [0, 0]
  for (let round = 0; round < rounds; round++) {
    /** @type {Rates} */
    const byArm = new Map(Array.from({ length: arms }, (_, a) => [String(a), new Map(
      quickNoises[noise](a)(QUICK_BLOCKS, random).map((x, b) => [b, 1000 * Math.exp(x * SLICE_SD / Math.SQRT2)]))]))
    const { fit } = fitStarts(byArm, startOf)
    const wider = pooled ? pooledWidening(fit.residuals.map(([own]) => own)) : undefined
    const { low, high } = computeContrastRatio({ byArm, startOf, starts: null, isWarm: true, wider }, ['1', '0'], 0.95)
    if (low <= 1 && high >= 1) covered += 1 / rounds
    width += Math.log(high / low) / 2 / rounds
  }
  return { covered, width }
}
const QUICK_BLOCKS = 12

/**
 * Noise of each arm.
 * @type {Record<string, (arm: number) => Noise>}
 */
export const quickNoises = {
  white: () => noises.white,
  'heavy tails': () => noises['heavy tails'],
  'AR(1), 0.1': () => autoregressive(0.1),
  'AR(1), 0.3': () => noises['AR(1), 0.3'],
  'AR(1), 0.5': () => noises['AR(1), 0.5'],
  'one arm 0.5, others white': arm => arm === 1 ? noises['AR(1), 0.5'] : noises.white
}

/**
 * @param {Rates} byArm
 * @param {Map<number, number>} startOf
 */
const ratiosOf = (byArm, startOf) =>
  computeBlockRatios(byArm.get('1') ?? new Map(), byArm.get('0') ?? new Map(), startOf)

/**
 * Computes how often equal arms are decided to differ.
 * @param {Size & { luck: string, level?: number, rounds: number }} setting
 * @returns {number} share of the rounds
 */
export const falselyDecided = ({ level = 0.99, ...setting }) => falseAlarms(setting, ({ byArm, startOf }) => {
  const found = findDecision(ratiosOf(byArm, startOf), level)
  return found !== null && excludesOne(found.interval)
})

/**
 * Computes how often a start of equal arms is called outlying.
 * @param {Size & { luck: string, rounds: number }} setting
 * @returns {number} share of the rounds
 */
export const falselyApart = setting => falseAlarms(setting, ({ byArm, startOf }) =>
  findOutlyingStarts(fitStarts(byArm, startOf)).length > 0)

/**
 * @param {Size & { luck: string, rounds: number }} setting
 * @param {(run: ReturnType<typeof runOf>) => boolean} isAlarm
 * @returns {number} share of the rounds with an alarm
 */
function falseAlarms ({ luck, rounds, ...size }, isAlarm) {
  const random = seriesOf('alarms', luck, size.arms, size.starts, size.blocks)
  let alarms = 0
  for (let round = 0; round < rounds; round++) if (isAlarm(runOf(luck, size, random))) alarms += 1 / rounds
  return alarms
}

/**
 * Computes how often the gate finds a drift of two arms: linear, alike in all starts.
 * @param {Omit<Size, 'arms'> & { luck: string, drift: number, rounds: number }} setting drift: log-ratio from the first
 *   block of a start to the last
 * @returns {number} share of the rounds
 */
export function driftsFound ({ luck, drift, rounds, starts, blocks }) {
  const random = seriesOf('drift', luck, starts, blocks, drift)
  let found = 0
  for (let round = 0; round < rounds; round++) {
    const { byArm, startOf } = runOf(luck, { arms: 2, starts, blocks }, random)
    const ratios = ratiosOf(byArm, startOf).map(({ block, start, logRatio }) =>
      ({ block, start, logRatio: logRatio + drift * (block % blocks) / (blocks - 1) }))
    if (isDrifting(computeDrift(ratios))) found += 1 / rounds
  }
  return found
}

/**
 * Computes how often and when a true difference is decided.
 * @param {Size & { luck: string, truth: number, level?: number, rounds: number }} setting truth: the ratio
 * @returns {{ decided: number, wrong: number, blocks: number }} shares of the rounds; median block of those decided
 */
export function decisionsOf ({ luck, truth, level = 0.99, rounds, ...size }) {
  const random = seriesOf('decided', luck, truth)
  let wrong = 0
  const blocks = []
  for (let round = 0; round < rounds; round++) {
    const { byArm, startOf } = runOf(luck, size, random)
    const ratios = ratiosOf(byArm, startOf).map(one => ({ ...one, logRatio: one.logRatio + Math.log(truth) }))
    const found = findDecision(ratios, level)
    if (!found) continue
    blocks.push(found.block + 1)
    if (found.interval.low > truth || found.interval.high < truth) wrong += 1 / rounds
  }
  return { decided: blocks.length / rounds, wrong, blocks: blocks.length > 0 ? quantile(blocks, 0.5) : NaN }
}
