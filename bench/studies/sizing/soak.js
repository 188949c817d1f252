/** Whether memory grows while the load does not: a slope over minutes, and not a look after two of them. */
import { median } from '../../analysis/stats/quantile.js'

/** @import { Soak } from '../../types.js' @import { SizingRig } from './types.js' */

const SHARE = 0.5 // Of the capacity: neither idle nor at its limit.
/** Memory is read so often; a short soak has a dozen readings at least. */
const WINDOW_SECONDS = { most: 15, least: 1 }
const FEWEST_WINDOWS = 12
/** Node fills its heap before it collects all of it: the first part of a soak shows that. */
const WARM_UP = 0.25
/** Node's heap grows for minutes before it is collected as a whole: what is shorter shows no leak. */
const LEAST_SECONDS = 240
const Z_975 = 1.96

/** @param {SizingRig} rig
 * @param {{ capacity: number, seconds: number, seed: number, note: (text: string) => void,
 *   interrupted: () => boolean }} order @returns {Promise<Soak>} */
export async function soak (rig, { capacity, seconds, seed, note, interrupted }) {
  const each = Math.min(WINDOW_SECONDS.most, Math.max(WINDOW_SECONDS.least, seconds / FEWEST_WINDOWS))
  const rate = SHARE * capacity
  /** @type {Soak['points']} */
  const points = []
  for (let at = each; at <= seconds * 1.001 && !interrupted(); at += each) {
    note(`memory over time: ${Math.round(at)} of ${Math.round(seconds)} s`)
    const { memoryMiB } = await rig.paced({ rate, seconds: each, seed: (seed + points.length) % 2 ** 32 })
    points.push({ seconds: at, memoryMiB: memoryMiB.proxy + memoryMiB.server })
  }
  return { seconds: points.at(-1)?.seconds ?? 0, rate, points, ...trendOf(points) }
}

/** @param {Soak['points']} points @returns {Pick<Soak, 'slope' | 'low' | 'high' | 'leaks'>} */
export function trendOf (points) {
  const counted = points.slice(Math.floor(WARM_UP * points.length))
  const { slope, low, high } = slopeOf(counted.map(({ seconds, memoryMiB }) => ({ x: seconds / 3600, y: memoryMiB })))
  const used = counted.at(-1)?.memoryMiB ?? 0
  const span = (counted.at(-1)?.seconds ?? 0) - (counted[0]?.seconds ?? 0)
  // As much again within a day, and no chance: no plan is large enough for long.
  return { slope, low, high, leaks: span >= LEAST_SECONDS && low !== null && low > 0 && 24 * low > used }
}

/** The median of the slopes between all pairs of points, with its 95 % interval from Kendall's test (P. K. Sen 1968,
 * Estimates of the regression coefficient based on Kendall's tau). @param {{ x: number, y: number }[]} points */
function slopeOf (points) {
  const n = points.length
  const slopes = points.flatMap((a, i) => points.slice(i + 1).map(b => (b.y - a.y) / (b.x - a.x))).sort((a, b) => a - b)
  if (slopes.length === 0) return { slope: 0, low: null, high: null }
  const half = Z_975 * Math.sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2
  const middle = slopes.length / 2
  return {
    slope: median(slopes),
    low: slopes[Math.floor(middle - half)] ?? null,
    high: slopes[Math.ceil(middle + half)] ?? null
  }
}
