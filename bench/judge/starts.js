/**
 * Evaluates the starts of a run: the interval of a contrast over starts, outlying starts, and the block that decides a
 * contrast (pure). A start is one set of processes, which serves several blocks.
 */
import { excludesOne, placeOf, withinMargin } from './margin.js'
import { selectWarm } from './not-steady.js'
import { USUAL_LAG1 } from './stats/dependence.js'
import { huberMeans, overStarts } from './stats/over-starts.js'
import { outlying, sequenceInterval, twoWay } from './stats/two-way.js'
import { shiftAt } from './stats/shift.js'
import { groupBy } from '../shared/group-by.js'
import { MARGIN } from '../shared/thresholds.js'

/** @import { Plan, RatioInterval, Sample, StandsApart, StartNoise } from '../types.js' */
/** @import { Prior, OverStarts } from './stats/over-starts.js' */
/** @import { TwoWay } from './stats/two-way.js' */

/** Fewest starts for a decision. A single start is not enough, because a process can be slow from start to end. */
const MIN_STARTS = 2
/**
 * Number of blocks up to which a contrast is judged after every block. The longest run of the project has 178. With
 * more blocks a contrast is judged each time their number has grown by a twentieth, because each judgement takes time
 * in proportion to the number of blocks.
 */
const BLOCKS_JUDGED_EACH = 1000

/**
 * Standard deviation of a start of a ratio of rates where no other arm shows it, its weight in degrees of freedom, and
 * the number of starts from which on they show it themselves.
 */
const USUAL = { startSd: 0.03, df: 2, starts: 5 }

/** @typedef {Map<string, Map<number, number>>} Rates rates of valid trials, by arm and block */

/**
 * @typedef {object} Starts the log rates of a run, fitted as arm + block + noise within each start
 * @property {number[]} starts numbers of the starts
 * @property {string[]} arms names of the arms with a valid trial
 * @property {number[][]} blocks numbers of the blocks of each start
 * @property {TwoWay} fit effects by arm and start, and residuals by arm, start and block
 * @property {ReturnType<typeof outlying>} spread outlying effects of the fit, and the variance of the other effects
 * @property {Rates} byArm the fitted rates
 * @property {ReadonlyMap<number, number>} startOf start of each block
 */

/**
 * Selects the rates of valid trials of warm arms. A block is evaluated for a contrast if it has both arms.
 *
 * @param {Plan} plan
 * @param {Sample[]} samples
 * @returns {{ byArm: Rates, startOf: Map<number, number>, blocks: number }} startOf: start of each block
 */
export function selectBlocks (plan, samples) {
  const startOf = new Map(samples.map(({ block, start = 0 }) => [block, start]))
  const byArm = new Map(plan.arms.map(({ name }) => [name, /** @type {Map<number, number>} */ (new Map())]))
  for (const { arm, block, rps, invalid } of selectWarm(samples)) if (!invalid) byArm.get(arm)?.set(block, rps)
  return { byArm, startOf, blocks: startOf.size }
}

/**
 * Fits the rates of all arms.
 *
 * @param {Rates} byArm
 * @param {ReadonlyMap<number, number>} startOf start of each block; a block that is missing belongs to start 0
 * @returns {Starts}
 */
export function fitStarts (byArm, startOf) {
  const getStart = (/** @type {number} */ block) => startOf.get(block) ?? 0
  const blockNumbers = [...new Set([...byArm.values()].flatMap(rates => [...rates.keys()]))].sort((a, b) => a - b)
  const byStart = [...groupBy(blockNumbers, getStart)].sort(([a], [b]) => a - b)
  const starts = byStart.map(([start]) => start)
  const blocks = byStart.map(([, ofStart]) => ofStart)
  const measured = [...byArm].filter(([, rates]) => rates.size > 0)
  const logRates = measured.map(([, rates]) =>
    blocks.map(ofStart => ofStart.map(block => Math.log(rates.get(block) ?? NaN)))
  )
  const fit = twoWay(logRates)
  // Standard error of the effect of a start, by arm.
  const errors = measured.map((_, row) => computeResidualSd(fit, row) / Math.sqrt(computeStartSize(fit)))
  const arms = measured.map(([name]) => name)
  return { starts, arms, blocks, fit, spread: outlying(fit.effects, errors), byArm, startOf }
}

/**
 * Computes the interval of a contrast over starts. The starts of all other arms improve the estimate of the variance.
 *
 * @param {Starts} starts
 * @param {[string, string]} contrast arm and baseline
 * @param {number[][]} groups block log-ratios of the contrast by start, for the starts in which both arms were measured
 * @param {number} level confidence level
 * @param {{ isRate: boolean }} [kind] isRate: the figure is a rate, whose usual variance between starts is known
 * @returns {OverStarts}
 */
export function computeOverStarts (starts, contrast, groups, level, { isRate } = { isRate: false }) {
  // The means of the starts do not depend on the other arms.
  const { means, variance, df } = huberMeans(groups)
  const slices = variance * groups.length / groups.flat().length
  const prior = estimateFromOthers(selectSharedStarts(starts, contrast), contrast, means) ??
    (isRate && groups.length < USUAL.starts ? assumeUsual({ slices, slicesDf: df }) : null)
  return overStarts(groups, level, prior, USUAL_LAG1)
}

/**
 * Assumes the variance between starts of a ratio that two thirds of the stored runs do not exceed.
 *
 * @param {Pick<Prior, 'slices' | 'slicesDf'>} slices of the contrast itself
 * @returns {Prior}
 */
const assumeUsual = slices =>
  ({ between: USUAL.startSd ** 2 + slices.slices, betweenDf: USUAL.df, ...slices })

/**
 * Selects the starts in which both arms of a contrast were measured, and fits them again. Other arms can have more
 * starts, because the arms of a decided contrast are not measured any more.
 *
 * @param {Starts} all
 * @param {[string, string]} contrast
 * @returns {Starts}
 */
function selectSharedStarts (all, contrast) {
  const [armRates, baselineRates] = contrast.map(name => all.byArm.get(name))
  const sharedBlocks = [...armRates?.keys() ?? []].filter(block => baselineRates?.has(block))
  const shared = new Set(sharedBlocks.map(block => all.startOf.get(block)))
  if (shared.size === all.starts.length) return all
  const selected = [...all.byArm].map(([name, rates]) => {
    const kept = [...rates].filter(([block]) => shared.has(all.startOf.get(block)))
    return /** @type {[string, Map<number, number>]} */ ([name, new Map(kept)])
  })
  return fitStarts(new Map(selected), all.startOf)
}

/**
 * Estimates the variance between starts from all arms but those of a contrast. Computes the sum of squares of all arms
 * without that of the contrast. Variances of one arm are doubled, because a log-ratio has the noise of two arms.
 *
 * @param {Starts} starts
 * @param {[string, string]} contrast
 * @param {number[]} means mean log-ratio of the contrast in each start
 * @returns {Prior | null} null: no other arms, or a start without a log-ratio
 */
function estimateFromOthers ({ starts, arms, fit, spread }, contrast, means) {
  if (means.length !== starts.length) return null
  const rows = contrast.map(arm => arms.indexOf(arm))
  const outlyingStarts = new Set(spread.apart.filter(({ row }) => rows.includes(row)).map(({ column }) => column))
  const kept = means.filter((_, start) => !outlyingStarts.has(start))
  const centre = kept.reduce((a, b) => a + b, 0) / kept.length
  // In a balanced table the sum of squares of the contrast is a part of the total. Its degrees of freedom are the
  // number of starts - 1.
  const contrastSquares = kept.reduce((sum, mean) => sum + (mean - centre) ** 2, 0) / 2
  const betweenDf = spread.df - Math.max(0, kept.length - 1)
  if (!(betweenDf > 0)) return null
  return {
    between: 2 * Math.max(0, spread.variance * spread.df - contrastSquares) / betweenDf,
    betweenDf,
    slices: 2 * fit.variance / computeStartSize(fit),
    slicesDf: fit.df
  }
}

/** Returns the number of valid blocks per arm and start, as the harmonic mean. @param {TwoWay} fit */
function computeStartSize ({ residuals }) {
  const sizes = residuals.flat().map(start => start.filter(r => !Number.isNaN(r)).length).filter(n => n > 0)
  return sizes.length / sizes.reduce((sum, n) => sum + 1 / n, 0)
}

/**
 * Returns the standard deviation of an arm's block residuals, whose outliers are clipped.
 *
 * @param {TwoWay} fit
 * @param {number} row index of the arm
 */
function computeResidualSd ({ clipped }, row) {
  const valid = clipped[row].flat().filter(r => !Number.isNaN(r))
  return Math.sqrt(valid.reduce((sum, r) => sum + r * r, 0) / valid.length)
}

/**
 * Returns the variances of a log-ratio of two arms.
 *
 * @param {Starts} starts
 * @returns {{ slice: number, start: number, df: number }} slice: of a block; start: of a start, below 0 if starts
 *   differ by less than their blocks explain; df: degrees of freedom of `start`
 */
export const computeSpread = ({ fit, spread }) => ({
  slice: 2 * fit.variance,
  start: 2 * (spread.variance - fit.variance / computeStartSize(fit)),
  df: spread.df
})

/**
 * Returns the standard deviations of a log-ratio of two arms, for the record.
 *
 * @param {Starts} starts
 * @returns {StartNoise | null} null: one start, or one arm
 */
export function computeStartNoise (starts) {
  const { slice, start, df } = computeSpread(starts)
  // With one start or one arm there is no ratio that could vary.
  if (df === 0) return null
  return { sliceSd: Math.sqrt(slice), startSd: Math.sqrt(Math.max(0, start)), starts: starts.starts.length, df }
}

/**
 * Finds starts that differ from the other starts of their arm, as a whole or from one of their blocks on.
 *
 * @param {Starts} starts
 * @returns {StandsApart[]} sorted by start, then by arm
 */
export function findOutlyingStarts ({ starts, arms, blocks, fit, spread }) {
  const whole = spread.apart.map(({ row, column, deviation }) =>
    ({ arm: arms[row], start: starts[column], factor: Math.exp(deviation), fromBlock: null }))
  const sds = fit.residuals.map((_, row) => computeResidualSd(fit, row))
  const shifted = fit.residuals.flatMap((byStart, row) => byStart.flatMap((residuals, column) => {
    const valid = residuals.flatMap((r, b) => Number.isNaN(r) ? [] : [{ r, block: blocks[column][b] }])
    const shift = shiftAt(valid.map(({ r }) => r), sds[row])
    if (shift === null) return []
    const fromBlock = valid[shift.at].block
    return [{ arm: arms[row], start: starts[column], factor: Math.exp(shift.by), fromBlock }]
  }))
  // If the rate changed within a start, reports only the change.
  const hasShift = (/** @type {StandsApart} */ { arm, start }) =>
    shifted.some(other => other.arm === arm && other.start === start)
  return [...whole.filter(start => !hasShift(start)), ...shifted]
    .sort((a, b) => a.start - b.start || arms.indexOf(a.arm) - arms.indexOf(b.arm))
}

/**
 * Groups log-ratios by start.
 *
 * @param {readonly { start: number, logRatio: number }[]} ratios
 * @returns {number[][]}
 */
export const groupByStart = ratios => [...groupBy(ratios, ({ start }) => start).values()]
  .map(ofStart => ofStart.map(({ logRatio }) => logRatio))

/**
 * Finds the first block after which an interval that is valid after every block decides a contrast. Later blocks do not
 * change the result.
 *
 * @param {{ block: number, start: number, logRatio: number }[]} ratios in the order of the blocks
 * @param {number} level probability that no interval of the sequence is wrong
 * @returns {{ block: number, interval: RatioInterval } | null} null: not decided
 */
export function findDecision (ratios, level) {
  for (let n = 1; n <= ratios.length; n += n < BLOCKS_JUDGED_EACH ? 1 : Math.ceil(n / 20)) {
    const groups = groupByStart(ratios.slice(0, n))
    if (groups.length < MIN_STARTS) continue
    const interval = sequenceInterval(groups, level)
    if (excludesOne(interval) || placeOf(interval, withinMargin(MARGIN)) === 'within') {
      return { block: ratios[n - 1].block, interval }
    }
  }
  return null
}
