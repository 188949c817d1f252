/** Measures over minutes whether memory grows at a steady load. */
import { median } from '../../../judge/stats/quantile.js'

/** @import { Soak } from '../../../types.js' */
/** @import { SizeOptions, SizingRig } from '../types.js' */

/** Share of the capacity used as load: neither idle nor saturated. */
const LOAD_SHARE = 0.5
/** Length of a window, at whose end memory is read. */
const WINDOW_SECONDS = { most: 15, least: 1 }
/** Windows of a short soak. */
const FEWEST_WINDOWS = 12
/** Share of the readings that is skipped, because Node fills its heap before the first full garbage collection. */
const WARM_UP = 0.25
/** Shorter soaks report no leak, because Node's heap grows for minutes between full garbage collections. */
const LEAST_SECONDS = 240
const Z_975 = 1.96

/**
 * Loads a rig and reads its memory.
 *
 * @param {SizingRig} rig
 * @param {{ capacity: number, seconds: number } & Pick<SizeOptions, 'seed' | 'note' | 'interrupted'>} order
 * @returns {Promise<Soak>}
 */
export async function soak (rig, { capacity, seconds, seed, note, interrupted }) {
  const windowSeconds = Math.min(WINDOW_SECONDS.most, Math.max(WINDOW_SECONDS.least, seconds / FEWEST_WINDOWS))
  const rate = LOAD_SHARE * capacity
  /** @type {Soak['points']} */
  const points = []
  // The tolerance includes the last window despite rounding errors of the sum.
  for (let at = windowSeconds; at <= seconds * 1.001 && !interrupted(); at += windowSeconds) {
    note(`memory over time: ${Math.round(at)} of ${Math.round(seconds)} s`)
    const order = { rate, seconds: windowSeconds, seed: (seed + points.length) % 2 ** 32 }
    const { memoryMiB } = await rig.paced(order)
    points.push({ seconds: at, memoryMiB: memoryMiB.proxy + memoryMiB.server })
  }
  return { seconds: points.at(-1)?.seconds ?? 0, rate, points, ...computeTrend(points) }
}

/**
 * Computes how memory grows after the warm-up. A leak grows significantly, and within a day by more than the memory
 * used.
 *
 * @param {Soak['points']} points
 * @returns {Pick<Soak, 'slope' | 'low' | 'high' | 'leaks'>}
 */
function computeTrend (points) {
  const counted = points.slice(Math.floor(WARM_UP * points.length))
  const trend = computeSlope(counted.map(({ seconds, memoryMiB }) => ({ x: seconds / 3600, y: memoryMiB })))
  const used = counted.at(-1)?.memoryMiB ?? 0
  const span = (counted.at(-1)?.seconds ?? 0) - (counted[0]?.seconds ?? 0)
  const isGrowing = trend.low !== null && trend.low > 0 && 24 * trend.low > used
  return { ...trend, leaks: span >= LEAST_SECONDS && isGrowing }
}

/**
 * Computes the median slope of all pairs of points, with its 95 % interval from Kendall's test (P. K. Sen 1968,
 * Estimates of the regression coefficient based on Kendall's tau).
 *
 * @param {{ x: number, y: number }[]} points
 */
function computeSlope (points) {
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
