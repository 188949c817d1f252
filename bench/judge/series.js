/** Series of several trials, combined second by second (pure). */
import { median } from './stats/quantile.js'
import { groupBy } from '../shared/group-by.js'
import { toRecord } from '../shared/to-record.js'

/** @import { KindCount, Sample, SeriesPoint, UserPoint } from '../types.js' */

/**
 * Returns the median of the values that are known.
 *
 * @param {(number | null)[]} values
 * @returns {number | null}
 */
export function medianOfKnown (values) {
  const known = values.filter(value => value !== null)
  return known.length > 0 ? median(known) : null
}

/**
 * Groups the points of several trials by second.
 *
 * @template {{ second: number }} Point
 * @param {Point[]} points
 * @returns {[second: number, points: Point[]][]} in rising order
 */
const groupBySecond = points => [...groupBy(points, ({ second }) => second)].sort(([a], [b]) => a - b)

/**
 * Returns the median of all trials, second by second.
 *
 * @param {Pick<Sample, 'users'>[]} samples
 * @returns {UserPoint[]}
 */
export const combineUsers = samples => groupBySecond(samples.flatMap(({ users }) => users ?? []))
  .map(([second, points]) => ({
    second,
    ...toRecord(['users', 'rps', 'failures'], key => median(points.map(point => point[key]))),
    ...toRecord(['p50', 'p95'], key => medianOfKnown(points.map(point => point[key])))
  }))

/**
 * Returns the median of all trials, second by second.
 *
 * @param {Sample[]} samples
 * @returns {SeriesPoint[]}
 */
export const combineSeries = samples => groupBySecond(samples.flatMap(({ series }) => series ?? []))
  .map(([second, points]) => ({
    second,
    ...toRecord(['rate', 'errors'], key => median(points.map(point => point[key]))),
    timeWait: medianOfKnown(points.map(({ timeWait }) => timeWait))
  }))

/**
 * Sums the failures of all trials by kind, the most frequent first.
 *
 * @param {Pick<Sample, 'failures'>[]} samples
 * @returns {KindCount[]}
 */
export function sumFailures (samples) {
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const { kind, count } of samples.flatMap(({ failures }) => failures ?? [])) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  }
  return [...kinds].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count)
}
