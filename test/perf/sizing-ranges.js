/** Compares the ranges of instances that sizings of one app print with the results of its other sizings, and the error
 * of the model with measurements under real quotas (pure). */
import { hasWideRange, isUncertain, offeringName, TOLERANCE } from '../../bench/features/size/prices/offering-choice.js'
import { quantile } from '../../bench/judge/stats/quantile.js'
import { factorBetweenSizings, MODEL } from '../../bench/features/size/prices/instance.js'
import { withTodaysPrices } from '../../bench/features/size/prices/todays-prices.js'

/** @import { Offering, PriceRow, RunRecord } from '../../bench/types.js' */
/** @import { Cell } from './quota-cells.js' */
/** @import { Goal } from './replications.js' */

/** Goals: share of the pairs of sizings in the range, of pairs that differ without a printed range, and of cells under
 * real quotas in the range of the model. */
const GOALS = { covered: 0.95, silent: 0.05, cells: 0.9 }

const HOUR_MS = 3_600_000

/** @typedef {{ key: string, row: PriceRow & { perInstance: number, instances: number } }} Estimate */

/**
 * Estimates instances from a stored sizing for several rates, as `hopbench size` does.
 *
 * @param {RunRecord} record
 * @param {{ rates: number[], offerings: Offering[] }} options
 * @returns {Estimate[]}
 */
export function listEstimates (record, { rates, offerings }) {
  const { sizing } = record
  if (!sizing) return []
  return rates.flatMap(rate => {
    const wanted = { ...sizing, goal: { ...sizing.goal, rate }, verification: null, verified: [], refuted: [] }
    const { table = [] } = withTodaysPrices({ ...record, sizing: wanted }, offerings).sizing ?? {}
    return table.flatMap(row => isEstimated(row)
      ? [{ key: `${rate} ${row.topology} ${offeringName(row.offering)}`, row }]
      : [])
  })
}

/**
 * @param {PriceRow} row
 * @returns {row is Estimate['row']}
 */
const isEstimated = row => row.instances !== null && row.perInstance !== null && Boolean(row.range)

/**
 * Compares each sizing with each other one, in both directions.
 *
 * @param {Estimate[][]} sizings estimates by sizing
 * @returns {{ isSmall: boolean, isCovered: boolean, isSilent: boolean, factor: number }[]} for each offering and rate
 *   of a pair: isSmall: an eighth of a core or less; isCovered: the range contains the instances of the other sizing;
 *   isSilent: they differ by more than one and 15 %, and no range is printed; factor: between the rates of an instance
 */
export function comparePairs (sizings) {
  return sizings.flatMap((estimates, i) => sizings.flatMap((others, j) => i === j
    ? []
    : estimates.flatMap(({ key, row }) => {
      const other = others.find(estimate => estimate.key === key)?.row
      return other ? [compareRows(row, other)] : []
    })))
}

/**
 * @param {Estimate['row']} row
 * @param {Estimate['row']} other of another sizing
 */
function compareRows (row, other) {
  const { low, high = Infinity } = row.range?.instances ?? { low: NaN, high: NaN }
  const apart = Math.abs(other.instances - row.instances)
  return {
    isSmall: isUncertain(row),
    isCovered: low <= other.instances && other.instances <= high,
    isSilent: apart > Math.max(1, TOLERANCE * row.instances) && !hasWideRange(row),
    factor: Math.exp(Math.abs(Math.log(other.perInstance / row.perInstance)))
  }
}

/**
 * Judges whether sizings in different hours agree: their ranges of instances overlap for each offering and rate.
 *
 * @param {{ startedAt: string, estimates: Estimate[] }[]} sizings
 * @returns {Goal[]} empty: none started an hour or more after another one
 */
export function judgeOverlap (sizings) {
  const pairs = sizings.flatMap((a, i) => sizings.slice(i + 1)
    .filter(b => Math.abs(Date.parse(a.startedAt) - Date.parse(b.startedAt)) >= HOUR_MS)
    .map(b => a.estimates.every(({ key, row }) => {
      const other = b.estimates.find(estimate => estimate.key === key)
      return !other || doOverlap(row, other.row)
    })))
  if (pairs.length === 0) return []
  const overlapping = pairs.filter(Boolean).length
  return [{
    what: 'pairs of sizings an hour or more apart whose ranges overlap for each offering and rate',
    measured: `${overlapping} of ${pairs.length}`,
    goal: 'all',
    met: overlapping === pairs.length
  }]
}

/**
 * @param {Estimate['row']} a
 * @param {Estimate['row']} b
 */
const doOverlap = ({ range: a }, { range: b }) => !a?.instances || !b?.instances ||
  (a.instances.low <= (b.instances.high ?? Infinity) && b.instances.low <= (a.instances.high ?? Infinity))

/**
 * Judges the ranges of repeated sizings.
 *
 * @param {ReturnType<typeof comparePairs>} pairs
 * @param {number} [otherShare] share of the cores that other programs used, in the middle of the sizings
 * @returns {Goal[]}
 */
export function judgePairs (pairs, otherShare) {
  const between = factorBetweenSizings(otherShare)
  const groups = [
    { name: 'an eighth of a core or less', weight: between * MODEL.worst, isSmall: true },
    { name: 'more than an eighth of a core', weight: between * MODEL.usual, isSmall: false }
  ]
  return groups.flatMap(({ name, weight, isSmall }) => {
    const group = pairs.filter(pair => pair.isSmall === isSmall)
    if (group.length === 0) return []
    const covered = share(group, ({ isCovered }) => isCovered)
    const silent = share(group, ({ isSilent }) => isSilent)
    const factor = quantile(group.map(pair => pair.factor), 0.95)
    return [
      toGoal(`${name}: instances of another sizing in the range, of ${group.length}`, covered, '≥', GOALS.covered),
      toGoal(`${name}: more than one and 15 % apart without a range`, silent, '≤', GOALS.silent),
      {
        what: `${name}: factor between two sizings that 95 % of the pairs keep`,
        measured: factor.toFixed(2),
        goal: `≤ ${weight.toFixed(2)}, the weight of the range`,
        met: factor <= weight
      }
    ]
  })
}

/**
 * Judges whether the rates that were measured under real quotas are in the range that the model's weights give.
 *
 * @param {Pick<Cell, 'cpu' | 'estimated' | 'measured'>[]} cells
 * @param {number} smallCores share of a core up to which the larger weight applies
 * @returns {Goal}
 */
export function judgeModel (cells, smallCores) {
  const covered = share(cells, ({ cpu, estimated, measured }) => {
    const error = cpu <= smallCores ? MODEL.worst : MODEL.usual
    return measured >= estimated / error && measured <= estimated * error
  })
  return toGoal(`rates under real quotas in the range of the model, of ${cells.length}`, covered, '≥', GOALS.cells)
}

/**
 * @template T
 * @param {T[]} all
 * @param {(one: T) => boolean} isCounted
 */
const share = (all, isCounted) => all.filter(isCounted).length / all.length

/**
 * @param {string} what
 * @param {number} measured share
 * @param {'≥' | '≤'} sign
 * @param {number} goal share
 * @returns {Goal}
 */
const toGoal = (what, measured, sign, goal) => ({
  what,
  measured: `${(100 * measured).toFixed(1)} %`,
  goal: `${sign} ${100 * goal} %`,
  met: sign === '≥' ? measured >= goal : measured <= goal
})
