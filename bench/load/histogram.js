/** Counts of whole numbers in buckets that grow with them: every value is known to one part in 1024, and histograms of
 * many processes add up to exactly the one that a single process would have made. */
import { Float64Histogram } from 'hdr-histogram-js'

/** @import { HistogramData } from '../types.js' */

const MOST = 2 ** 32 - 1 // Of 32 bits: microseconds up to 71 minutes.

export class Histogram {
  /** Three digits are a first bucket of 2048, and half buckets of 1024 above it; floats count exactly up to 2^53. */
  #hdr = new Float64Histogram(1, MOST, 3)

  /** Exact, and so not asked of the library, which knows buckets. */
  max = 0

  get count () {
    return this.#hdr.totalCount
  }

  /** @param {number} value a whole number from 0; beyond 32 bits it counts as the largest */
  record (value) {
    this.#hdr.recordValue(Math.min(value, MOST))
    if (value > this.max) this.max = value
  }

  /** The nearest-rank percentile: the smallest value that at least this share of all values do not exceed. A bucket
   * stands for its middle. @param {number} p 0.99 @returns {number} NaN without a value */
  percentile (p) {
    if (this.count === 0) return NaN
    const highest = this.#hdr.getValueAtPercentile(p * 100)
    return Math.min(this.max, (this.#hdr.lowestEquivalentValue(highest) + highest) / 2)
  }

  /** Of values in microseconds, in ms.
   * @returns {{ p50: number, p90: number, p95: number, p99: number, max: number }} NaN without a value */
  milliseconds () {
    const ms = (/** @type {number} */ p) => this.percentile(p) / 1000
    return { p50: ms(0.5), p90: ms(0.9), p95: ms(0.95), p99: ms(0.99), max: this.max / 1000 }
  }

  /** @param {HistogramData[]} parts as toJSON() gave them @throws {TypeError} when one is no histogram */
  static of (parts) {
    const all = new Histogram()
    for (const part of parts) all.add(part)
    return all
  }

  /** @returns {HistogramData} counts: of each bucket that is not empty, by its lowest value, rising */
  toJSON () {
    return { count: this.count, max: this.max, counts: this.#counts() }
  }

  /** @param {HistogramData} other as toJSON() gave it @throws {TypeError} when it is no histogram */
  add (other) {
    const { count, max, counts } = other ?? {}
    if (!Number.isInteger(count) || !Number.isFinite(max) || !Array.isArray(counts)) {
      throw new TypeError('not a histogram')
    }
    const isCount = (/** @type {unknown} */ value) => Number.isInteger(value) && Number(value) >= 0
    if (!counts.every(entry => isCount(entry?.[0]) && isCount(entry[1]))) throw new TypeError('not a histogram')
    if (counts.reduce((sum, [, n]) => sum + n, 0) !== count) {
      throw new TypeError('a histogram whose counts do not add up')
    }
    for (const [value, n] of counts) this.#hdr.recordValueWithCount(Math.min(value, MOST), n)
    this.max = Math.max(this.max, max)
  }

  #counts () {
    /** @type {HistogramData['counts']} */
    const counts = []
    const values = this.#hdr.recordedValuesIterator
    for (values.reset(); values.hasNext();) {
      const { valueIteratedTo, countAtValueIteratedTo } = values.next()
      counts.push([this.#hdr.lowestEquivalentValue(valueIteratedTo), countAtValueIteratedTo])
    }
    return counts
  }
}
