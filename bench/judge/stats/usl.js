/**
 * The Universal Scalability Law (N. J. Gunther (2007), Guerrilla Capacity Planning, chapter 4):
 *   X(N) = λN / (1 + σ(N − 1) + κN(N − 1))
 * λ: throughput of one process; σ: serial share (contention); κ: cost of each pair (crosstalk). None is negative.
 *
 * N / X(N) is linear in 1/λ, σ/λ and κ/λ and fitted by least squares of relative errors. A negative σ or κ is fixed at
 * zero, so that up to four fits are tried. The interval is that of one further measurement in a regression (N. R.
 * Draper, H. Smith 1998, Applied Regression Analysis, 3rd ed., section 3.1). A parameter fixed at zero takes no degree
 * of freedom.
 */

/** @import { Scaling } from '../../types.js' */

/** Fewest points: three parameters, and one point that can contradict them. */
const MIN_POINTS = 4
/** Largest extrapolation, as a multiple of the largest measured number (docs/sizing-method.md). */
export const FARTHEST = 2
/** 97.5 % quantile of Student's t, by degrees of freedom. From 10 on that of 10 is used, which is slightly wide. */
const T_975 = [NaN, 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228]

/** Returns the factors of 1/λ, σ/λ and κ/λ in N / X(N). @param {number} n */
const termsOf = n => [1, n - 1, n * (n - 1)]
const FREE = [[0, 1, 2], [0, 1], [0, 2], [0]] // Parameters that are not fixed at zero, in each of the four fits.

/**
 * @param {Scaling['points']} points
 * @returns {NonNullable<Scaling['usl']>}
 * @throws {RangeError} with fewer than four different N
 */
export function fitUsl (points) {
  const { factors: [a, b, c] } = fit(points)
  return { lambda: 1 / a, sigma: b / a, kappa: c / a }
}

/**
 * Predicts the throughput of n processes.
 *
 * @param {Scaling['points']} points
 * @param {number} n
 * @returns {{ x: number, low: number, high: number } | { refused: string }} with the 95 % interval of one measurement
 * @throws {RangeError} as fitUsl()
 */
export function predictUsl (points, n) {
  const { factors, free, normal, loss } = fit(points)
  const largest = Math.max(...points.map(point => point.n))
  if (n > FARTHEST * largest) {
    return { refused: `${n} is more than ${FARTHEST} times the largest number measured, ${largest}` }
  }
  const freedom = points.length - free.length
  const cost = dot(termsOf(n), factors)
  const here = free.map(i => termsOf(n)[i] / cost)
  const error = T_975[Math.min(freedom, T_975.length - 1)] *
    Math.sqrt(loss / freedom * (1 + dot(here, solve(normal, here))))
  const x = n / cost
  return { x, low: x * Math.exp(-error), high: x * Math.exp(error) }
}

/**
 * @param {Scaling['points']} points
 * @returns {{ factors: number[], free: number[], normal: number[][], loss: number }}
 */
function fit (points) {
  if (new Set(points.map(({ n }) => n)).size < MIN_POINTS) {
    throw new RangeError(`the law has three parameters: it takes ${MIN_POINTS} different numbers at least`)
  }
  if (points.some(({ n, x }) => !(n >= 1) || !(x > 0))) {
    throw new RangeError('numbers are from 1, and what they did is above 0')
  }
  const fits = FREE.map(free => {
    // Every row is divided by the measured throughput, so that residuals are relative errors.
    const rows = points.map(({ n, x }) => free.map(i => termsOf(n)[i] * x / n))
    const normal = free.map((_, i) => free.map((_, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0)))
    const found = solve(normal, free.map((_, i) => rows.reduce((sum, row) => sum + row[i], 0)))
    const factors = [0, 1, 2].map(i => found[free.indexOf(i)] ?? 0)
    return { factors, free, normal, loss: rows.reduce((sum, row) => sum + (dot(row, found) - 1) ** 2, 0) }
  })
  return fits.filter(({ factors }) => factors.every(factor => factor >= 0)).reduce((best, fit) =>
    fit.loss < best.loss ? fit : best
  )
}

/**
 * @param {number[]} a
 * @param {number[]} b
 */
const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0)

/**
 * Solves linear equations by elimination with the largest pivot.
 *
 * @param {number[][]} matrix
 * @param {number[]} right
 * @returns {number[]}
 */
function solve (matrix, right) {
  const rows = matrix.map((row, i) => [...row, right[i]])
  const size = rows.length
  for (let i = 0; i < size; i++) {
    const pivot = rows.reduce((best, row, j) => j >= i && Math.abs(row[i]) > Math.abs(rows[best][i]) ? j : best, i)
    ;[rows[i], rows[pivot]] = [rows[pivot], rows[i]]
    for (let j = i + 1; j < size; j++) {
      const times = rows[j][i] / rows[i][i]
      for (let k = i; k <= size; k++) rows[j][k] -= times * rows[i][k]
    }
  }
  /** @type {number[]} */
  const answer = []
  for (let i = size - 1; i >= 0; i--) {
    const known = dot(rows[i].slice(i + 1, size), answer.slice(i + 1))
    answer[i] = (rows[i][size] - known) / rows[i][i]
  }
  return answer
}
