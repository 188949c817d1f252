/** What users saw in several trials, as one (pure). @import { KindCount, Sample, UserPoint } from '../types.js' */
import { median } from './stats/quantile.js'

/** @param {Pick<Sample, 'users'>[]} samples @returns {UserPoint[]} the median of all trials, second by second */
export function middleUsers (samples) {
  const all = samples.flatMap(({ users }) => users ?? [])
  return [...new Set(all.map(({ second }) => second))].sort((a, b) => a - b).map(second => {
    const points = all.filter(point => point.second === second)
    const middle = (/** @type {(number | null)[]} */ values) => {
      const known = values.filter(value => value !== null)
      return known.length > 0 ? median(known) : null
    }
    return {
      second,
      users: median(points.map(({ users }) => users)),
      rps: median(points.map(({ rps }) => rps)),
      failures: median(points.map(({ failures }) => failures)),
      p50: middle(points.map(({ p50 }) => p50)),
      p95: middle(points.map(({ p95 }) => p95))
    }
  })
}

/** @param {Pick<Sample, 'failures'>[]} samples @returns {KindCount[]} of all trials, the commonest first */
export function sumFailures (samples) {
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const { kind, count } of samples.flatMap(({ failures }) => failures ?? [])) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  }
  return [...kinds].map(([kind, count]) => ({ kind, count })).sort((a, b) => b.count - a.count)
}
