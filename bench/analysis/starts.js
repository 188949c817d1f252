/** What the starts of a run say: how far an interval over starts reaches, which start is an outlier, how large the luck
 * of a start is, and what is decided (pure). @import { Interval, StandsApart, StartNoise } from '../types.js'
 * @import { Others, OverStarts } from './stats/over-starts.js' */
import { excludesOne, placeOf, withinMargin } from './margin.js'
import { USUAL_LAG1 } from './stats/dependence.js'
import { overStarts } from './stats/over-starts.js'
import { outlying } from './stats/outlying.js'
import { sequenceInterval } from './stats/sequence.js'
import { shiftAt } from './stats/shift.js'
import { twoWay } from './stats/two-way.js'
import { MARGIN } from '../shared/thresholds.js'

/** A state that one process fell into is nobody's verdict: a second start has to say the same. */
const LEAST_STARTS = 2

/** @typedef {object} Starts
 * @property {number[]} starts their numbers
 * @property {string[]} arms
 * @property {number[][]} blocks of each start
 * @property {import('./stats/two-way.js').TwoWay} fit
 * @property {import('./stats/outlying.js').Apart} spread of its effects
 * @property {Rates} byArm what was fitted
 * @property {ReadonlyMap<number, number>} startOf */

/** @typedef {Map<string, Map<number, number>>} Rates by arm and block, of valid trials */

/** @param {Rates} byArm @param {ReadonlyMap<number, number>} startOf the start of each block @returns {Starts} */
export function fitStarts (byArm, startOf) {
  const numbers = [...new Set([...byArm.values()].flatMap(rates => [...rates.keys()]))].sort((a, b) => a - b)
  const starts = [...new Set(numbers.map(block => startOf.get(block) ?? 0))].sort((a, b) => a - b)
  const blocks = starts.map(start => numbers.filter(block => (startOf.get(block) ?? 0) === start))
  const arms = [...byArm.keys()].filter(arm => Number(byArm.get(arm)?.size) > 0)
  const fit = twoWay(arms.map(arm =>
    blocks.map(list => list.map(block => Math.log(byArm.get(arm)?.get(block) ?? NaN)))))
  const errors = arms.map((_, row) => sdOf(fit, row) / Math.sqrt(sizeOf(fit)))
  return { starts, arms, blocks, fit, spread: outlying(fit.effects, errors), byArm, startOf }
}

/** A contrast's interval over starts. @param {Starts} starts @param {[string, string]} contrast arm and baseline
 * @param {number[][]} groups its block log-ratios by start @param {number} level @returns {OverStarts} */
export function contrastOver (starts, contrast, groups, level) {
  const own = overStarts(groups, level)
  return overStarts(groups, level, othersOf(startsOf(starts, contrast), contrast, own), USUAL_LAG1)
}

/** The starts that both arms of a contrast had: behind its verdict the others may have gone on.
 * @param {Starts} all @param {[string, string]} contrast @returns {Starts} */
function startsOf (all, contrast) {
  const [own, its] = contrast.map(name => all.byArm.get(name))
  const shared = new Set([...own?.keys() ?? []].filter(block => its?.has(block)).map(block => all.startOf.get(block)))
  if (shared.size === all.starts.length) return all
  const ofShared = (/** @type {Map<number, number>} */ rates) =>
    new Map([...rates].filter(([block]) => shared.has(all.startOf.get(block))))
  return fitStarts(new Map([...all.byArm].map(([name, rates]) => [name, ofShared(rates)])), all.startOf)
}

/** What the starts of all other arms let a contrast's starts expect. @param {Starts} starts
 * @param {[string, string]} contrast @param {OverStarts} own of the contrast
 * @returns {Others | null} null: there is nothing beside the contrast itself */
function othersOf ({ starts, arms, fit, spread }, contrast, { means }) {
  if (means.length !== starts.length) return null
  const rows = contrast.map(arm => arms.indexOf(arm))
  const flagged = new Set(spread.apart.filter(({ row }) => rows.includes(row)).map(({ column }) => column))
  const kept = means.filter((_, g) => !flagged.has(g))
  const centre = kept.reduce((a, b) => a + b, 0) / kept.length
  // Of a balanced table the contrast's own sum of squares is a part of all, with a degree of freedom for each start.
  const squares = spread.variance * spread.df - kept.reduce((sum, m) => sum + (m - centre) ** 2, 0) / 2
  const betweenDf = spread.df - Math.max(0, kept.length - 1)
  if (!(betweenDf > 0)) return null
  return {
    between: 2 * Math.max(0, squares) / betweenDf, betweenDf, slices: 2 * fit.variance / sizeOf(fit), slicesDf: fit.df
  }
}

/** Blocks of an arm's start, harmonic mean. @param {Starts['fit']} fit */
function sizeOf ({ residuals }) {
  const sizes = residuals.flat().map(start => start.filter(r => !Number.isNaN(r)).length).filter(n => n > 0)
  return sizes.length / sizes.reduce((sum, n) => sum + 1 / n, 0)
}

/** Variances of a log-ratio of two arms: of a block, and of a start, which comes out below 0 where starts differ by
 * less than their slices explain. @param {Starts} starts
 * @returns {{ slice: number, start: number, df: number }} df of the latter */
export const spreadOf = ({ fit, spread }) =>
  ({ slice: 2 * fit.variance, start: 2 * (spread.variance - fit.variance / sizeOf(fit)), df: spread.df })

/** @param {Starts} starts @returns {StartNoise} */
export function noiseOf (starts) {
  const { slice, start, df } = spreadOf(starts)
  return { sliceSd: Math.sqrt(slice), startSd: Math.sqrt(Math.max(0, start)), starts: starts.starts.length, df }
}

/** @param {Starts} starts @returns {StandsApart[]} by start and arm */
export function standsApart ({ starts, arms, blocks, fit, spread }) {
  const whole = spread.apart.map(({ row, column, deviation }) =>
    ({ arm: arms[row], start: starts[column], factor: Math.exp(deviation), fromBlock: null }))
  const within = fit.residuals.flatMap((byStart, row) => byStart.flatMap((residuals, column) => {
    const valid = residuals.flatMap((r, b) => Number.isNaN(r) ? [] : [{ r, block: blocks[column][b] }])
    const shift = shiftAt(valid.map(({ r }) => r), sdOf(fit, row))
    return shift === null
      ? []
      : [{ arm: arms[row], start: starts[column], factor: Math.exp(shift.by), fromBlock: valid[shift.at].block }]
  }))
  const isWithin = (/** @type {StandsApart} */ one) =>
    within.some(({ arm, start }) => arm === one.arm && start === one.start)
  return [...whole.filter(one => !isWithin(one)), ...within]
    .sort((a, b) => a.start - b.start || arms.indexOf(a.arm) - arms.indexOf(b.arm))
}

/** Of an arm's block residuals. @param {Starts['fit']} fit @param {number} row */
function sdOf ({ clipped }, row) {
  const valid = clipped[row].flat().filter(r => !Number.isNaN(r))
  return Math.sqrt(valid.reduce((sum, r) => sum + r * r, 0) / valid.length)
}

/** Block log-ratios by start. @param {ReadonlyMap<number, number>} arm rates by block
 * @param {ReadonlyMap<number, number>} baseline @param {ReadonlyMap<number, number>} startOf
 * @returns {{ block: number, start: number, logRatio: number }[]} in the order of the blocks */
export const ratiosByBlock = (arm, baseline, startOf) => [...arm.keys()]
  .filter(block => baseline.has(block)).sort((a, b) => a - b)
  .map(block => ({
    block,
    start: startOf.get(block) ?? 0,
    logRatio: Math.log(Number(arm.get(block)) / Number(baseline.get(block)))
  }))

/** @param {readonly { start: number, logRatio: number }[]} ratios @returns {number[][]} */
export const groupsOf = ratios => [...new Set(ratios.map(({ start }) => start))]
  .map(start => ratios.filter(one => one.start === start).map(({ logRatio }) => logRatio))

/** The first block after which a contrast's verdict cannot change any more, at the level of the whole sequence.
 * @param {ReturnType<typeof ratiosByBlock>} ratios @param {number} level
 * @param {{ leastStarts?: number }} [options] leastStarts: 1 to replay runs whose processes were never replaced
 * @returns {{ block: number, interval: Interval & { ratio: number } } | null} null: it is open */
export function decidedAt (ratios, level, { leastStarts = LEAST_STARTS } = {}) {
  for (let n = 1; n <= ratios.length; n++) {
    const groups = groupsOf(ratios.slice(0, n))
    if (groups.length < leastStarts) continue
    const interval = sequenceInterval(groups, level)
    if (excludesOne(interval) || placeOf(interval, withinMargin(MARGIN)) === 'within') {
      return { block: ratios[n - 1].block, interval }
    }
  }
  return null
}
