/** Starts of a run: the interval of a contrast over starts, outlying starts, and when a contrast is decided (pure). */
import { excludesOne, placeOf, withinMargin } from './margin.js'
import { USUAL_LAG1 } from './stats/dependence.js'
import { overStarts } from './stats/over-starts.js'
import { outlying } from './stats/outlying.js'
import { sequenceInterval } from './stats/sequence.js'
import { shiftAt } from './stats/shift.js'
import { twoWay } from './stats/two-way.js'
import { groupBy } from '../shared/group-by.js'
import { MARGIN } from '../shared/thresholds.js'

/** @import { RatioInterval, StandsApart, StartNoise } from '../types.js' */
/** @import { Others, OverStarts } from './stats/over-starts.js' */
/** @import { BlockRatio } from './stats/paired.js' */
/** @import { TwoWay } from './stats/two-way.js' */

/** Starts needed for a decision. One is not enough, because a process can enter a slow state for its whole life. */
const LEAST_STARTS = 2
/**
 * Blocks up to which a contrast is judged after every block. The longest run of the project has 178. Beyond the limit
 * it is judged again after a twentieth more, because each judgement takes time in proportion to the blocks.
 */
const BLOCKS_JUDGED_EACH = 1000

/** @typedef {Map<string, Map<number, number>>} Rates by arm and block, of valid trials */

/**
 * @typedef {object} Starts the rates of a run, fitted as arm + block + noise within each start
 * @property {number[]} starts their numbers
 * @property {string[]} arms
 * @property {number[][]} blocks of each start
 * @property {TwoWay} fit
 * @property {ReturnType<typeof outlying>} spread outlying effects of the fit, and the spread of the others
 * @property {Rates} byArm what was fitted
 * @property {ReadonlyMap<number, number>} startOf start of each block
 */

/**
 * Fits the rates of all arms.
 *
 * @param {Rates} byArm
 * @param {ReadonlyMap<number, number>} startOf start of each block; a block that is missing belongs to start 0
 * @returns {Starts}
 */
export function fitStarts (byArm, startOf) {
  const getStart = (/** @type {number} */ block) => startOf.get(block) ?? 0
  const numbers = [...new Set([...byArm.values()].flatMap(rates => [...rates.keys()]))].sort((a, b) => a - b)
  const byStart = [...groupBy(numbers, getStart)].sort(([a], [b]) => a - b)
  const starts = byStart.map(([start]) => start)
  const blocks = byStart.map(([, ofStart]) => ofStart)
  const measured = [...byArm].filter(([, rates]) => rates.size > 0)
  const logRates = measured.map(([, rates]) =>
    blocks.map(ofStart => ofStart.map(block => Math.log(rates.get(block) ?? NaN)))
  )
  const fit = twoWay(logRates)
  const errors = measured.map((_, row) => computeResidualSd(fit, row) / Math.sqrt(computeStartSize(fit)))
  const arms = measured.map(([name]) => name)
  return { starts, arms, blocks, fit, spread: outlying(fit.effects, errors), byArm, startOf }
}

/**
 * Computes the interval of a contrast over starts. The starts of all other arms improve the estimate of the variance.
 *
 * @param {Starts} starts
 * @param {[string, string]} contrast arm and baseline
 * @param {number[][]} groups block log-ratios of the contrast by start
 * @param {number} level
 * @returns {OverStarts}
 */
export function computeOverStarts (starts, contrast, groups, level) {
  const alone = overStarts(groups, level)
  const others = estimateFromOthers(selectSharedStarts(starts, contrast), contrast, alone.means)
  return overStarts(groups, level, others, USUAL_LAG1)
}

/**
 * Selects the starts in which both arms of a contrast were measured. Other arms can have later starts, because the arms
 * of a decided contrast are not measured any more.
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
 * Estimates the variance between starts from all arms but those of a contrast.
 *
 * @param {Starts} starts
 * @param {[string, string]} contrast
 * @param {number[]} means mean log-ratio of the contrast in each start
 * @returns {Others | null} null: no other arms
 */
function estimateFromOthers ({ starts, arms, fit, spread }, contrast, means) {
  if (means.length !== starts.length) return null
  const rows = contrast.map(arm => arms.indexOf(arm))
  const outlyingStarts = new Set(spread.apart.filter(({ row }) => rows.includes(row)).map(({ column }) => column))
  const kept = means.filter((_, start) => !outlyingStarts.has(start))
  const centre = kept.reduce((a, b) => a + b, 0) / kept.length
  // In a balanced table the sum of squares of the contrast is a part of the total, with a degree of freedom per start.
  const ofContrast = kept.reduce((sum, mean) => sum + (mean - centre) ** 2, 0) / 2
  const betweenDf = spread.df - Math.max(0, kept.length - 1)
  if (!(betweenDf > 0)) return null
  return {
    between: 2 * Math.max(0, spread.variance * spread.df - ofContrast) / betweenDf,
    betweenDf,
    slices: 2 * fit.variance / computeStartSize(fit),
    slicesDf: fit.df
  }
}

/** Returns the harmonic mean of the number of blocks in a start of an arm. @param {TwoWay} fit */
function computeStartSize ({ residuals }) {
  const sizes = residuals.flat().map(start => start.filter(r => !Number.isNaN(r)).length).filter(n => n > 0)
  return sizes.length / sizes.reduce((sum, n) => sum + 1 / n, 0)
}

/**
 * Returns the standard deviation of the block residuals of an arm.
 *
 * @param {TwoWay} fit
 * @param {number} row
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
 * @param {Starts} starts
 * @returns {StartNoise}
 */
export function computeStartNoise (starts) {
  const { slice, start, df } = computeSpread(starts)
  return { sliceSd: Math.sqrt(slice), startSd: Math.sqrt(Math.max(0, start)), starts: starts.starts.length, df }
}

/**
 * Finds starts that differ from the other starts of their arm, as a whole or from one of their blocks on.
 *
 * @param {Starts} starts
 * @returns {StandsApart[]} by start and arm
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
  const hasShift = (/** @type {StandsApart} */ { arm, start }) =>
    shifted.some(other => other.arm === arm && other.start === start)
  return [...whole.filter(start => !hasShift(start)), ...shifted]
    .sort((a, b) => a.start - b.start || arms.indexOf(a.arm) - arms.indexOf(b.arm))
}

/**
 * Groups log-ratios by start.
 *
 * @param {readonly BlockRatio[]} ratios
 * @returns {number[][]}
 */
export const groupByStart = ratios => [...groupBy(ratios, ({ start }) => start).values()]
  .map(ofStart => ofStart.map(({ logRatio }) => logRatio))

/**
 * Finds the first block after which the verdict of a contrast cannot change any more, at the level of the whole
 * sequence.
 *
 * @param {BlockRatio[]} ratios
 * @param {number} level
 * @param {{ leastStarts?: number }} [options] leastStarts: 1 to replay runs with one start
 * @returns {{ block: number, interval: RatioInterval } | null} null: not decided
 */
export function findDecision (ratios, level, { leastStarts = LEAST_STARTS } = {}) {
  for (let n = 1; n <= ratios.length; n += n < BLOCKS_JUDGED_EACH ? 1 : Math.ceil(n / 20)) {
    const groups = groupByStart(ratios.slice(0, n))
    if (groups.length < leastStarts) continue
    const interval = sequenceInterval(groups, level)
    if (excludesOne(interval) || placeOf(interval, withinMargin(MARGIN)) === 'within') {
      return { block: ratios[n - 1].block, interval }
    }
  }
  return null
}
