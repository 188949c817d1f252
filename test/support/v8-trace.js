/** Reads V8's log of optimizations (--trace-opt, --trace-deopt), and compares processes by it (pure). */
import { median } from '../../bench/judge/stats/quantile.js'
import { shiftAt } from '../../bench/judge/stats/shift.js'
import { twoWay } from '../../bench/judge/stats/two-way.js'

const FUNCTION = String.raw`0x[0-9a-f]+,? <JSFunction (.*?) ?\(sfi`
const OPTIMIZED = new RegExp(`^\\[completed optimizing ${FUNCTION}.*?\\)> \\(target \\w+\\)( OSR)?`)
const BAILOUT = new RegExp(`^\\[bailout \\(kind: ([\\w-]+), reason: (.*?)\\): begin\\. deoptimizing ${FUNCTION}`)
/** Ratio of the median absolute deviation to the standard deviation of a normal distribution. */
const MAD_OF_NORMAL = 0.6745
/** Distance beyond which a start is an outlier, in sd of the others. */
const APART = 4

/**
 * @param {string} text log of a process
 * @returns {string[]} optimizations and deoptimizations of functions, in order
 */
export const eventsOf = text => text.split('\n').flatMap(line => {
  const optimized = OPTIMIZED.exec(line)
  if (optimized) return [`${optimized[2] ? 'replaced on the stack' : 'optimized'} ${optimized[1] || '(anonymous)'}`]
  const bailout = BAILOUT.exec(line)
  return bailout ? [`thrown away ${bailout[3] || '(anonymous)'}: ${bailout[1]}, ${bailout[2]}`] : []
})

/**
 * Finds outliers among starts, and starts whose cost changed, by the cost of a request.
 * @param {number[][]} costs by start and block; NaN: not measured
 * @returns {{ factors: number[], apart: number[], changed: { start: number, at: number, factor: number }[] }} factors:
 *   of the median start's cost; apart: indices
 */
export function setApart (costs) {
  const { effects, residuals, variance } = twoWay(costs.map(row => [row.map(Math.log)]))
  const own = effects.map(([effect]) => effect)
  const middle = median(own.filter(Number.isFinite))
  const off = own.map(effect => effect - middle)
  const sd = median(off.map(Math.abs).filter(Number.isFinite)) / MAD_OF_NORMAL
  const slices = Math.sqrt(variance / Math.max(1, costs[0]?.length ?? 1))
  return {
    factors: off.map(Math.exp),
    apart: off.flatMap((x, i) => Math.abs(x) > APART * Math.max(sd, slices) ? [i] : []),
    changed: residuals.flatMap(([row], start) => {
      const shift = shiftAt(row.filter(r => !Number.isNaN(r)), Math.sqrt(variance))
      return shift ? [{ start, at: shift.at, factor: Math.exp(shift.by) }] : []
    })
  }
}

/**
 * Compares the events of one process with those of the others.
 * @param {string[][]} events of each process
 * @param {number} which index of the process
 * @returns {{ only: string[], missing: string[] }} only: in at most a quarter of the others; missing: in three quarters
 */
export function unlike (events, which) {
  const others = events.filter((_, i) => i !== which).map(list => new Set(list))
  const own = new Set(events[which])
  const share = (/** @type {string} */ event) => others.filter(set => set.has(event)).length / others.length
  return {
    only: [...own].filter(event => share(event) <= 0.25),
    missing: [...new Set(others.flatMap(set => [...set]))].filter(event => !own.has(event) && share(event) >= 0.75)
  }
}

/**
 * Estimates the mean effect of a setting.
 * @param {number[]} factors cost of each start
 * @param {boolean[]} on whether the start had the setting
 * @returns {{ change: number, error: number }} difference of the mean logarithms, on less off, and its standard error
 */
export function effectOf (factors, on) {
  const groups = [true, false].map(state => factors.filter((x, i) => on[i] === state && x > 0).map(Math.log))
  const means = groups.map(list => list.reduce((a, b) => a + b, 0) / list.length)
  const variances = groups.map((list, g) => list.reduce((sum, x) => sum + (x - means[g]) ** 2, 0) / (list.length - 1))
  return {
    change: means[0] - means[1],
    error: Math.sqrt(variances.reduce((sum, v, g) => sum + v / groups[g].length, 0))
  }
}
