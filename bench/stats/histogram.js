/**
 * Counts of whole numbers in buckets that grow with them: every value is known to one part in 1024, and
 * histograms of many processes add up to exactly the one that a single process would have made.
 *
 * The layout is that of G. Tene's HdrHistogram (2012) with a first bucket of 2048 and half buckets of
 * 1024 above it. Values of 32 bits: microseconds up to 71 minutes.
 */

/** Values below this have a bucket each. */
const EXACT = 2048
const HALF = EXACT / 2
const MOST = 2 ** 32 - 1

/** @typedef {[value: number, count: number][]} Counts the lowest value of each bucket that is not empty, rising */

export class Histogram {
  /** @type {Map<number, number>} */
  #counts = new Map()
  count = 0
  max = 0

  /** @param {number} value a whole number from 0; beyond 32 bits it counts as the largest */
  record (value) {
    const bucket = bucketOf(Math.min(value, MOST))
    this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + 1)
    this.count++
    if (value > this.max) this.max = value
  }

  /**
   * The nearest-rank percentile: the smallest value that at least this share of all values do not exceed. A
   * bucket stands for its middle.
   * @param {number} p 0.99
   * @returns {number} NaN without a value
   */
  percentile (p) {
    if (this.count === 0) return NaN
    const rank = Math.max(1, Math.ceil(p * this.count - 1e-9))
    let seen = 0
    for (const [value, count] of this.counts()) {
      seen += count
      if (seen >= rank) return Math.min(this.max, value + (widthOf(value) - 1) / 2)
    }
    return this.max
  }

  /**
   * Of values in microseconds, in ms.
   * @returns {{ p50: number, p90: number, p95: number, p99: number, max: number }} NaN without a value
   */
  milliseconds () {
    const ms = (/** @type {number} */ p) => this.percentile(p) / 1000
    return { p50: ms(0.5), p90: ms(0.9), p95: ms(0.95), p99: ms(0.99), max: this.max / 1000 }
  }

  /** @returns {Counts} */
  counts () {
    return [...this.#counts].sort(([a], [b]) => a - b)
  }

  /**
   * All of several.
   * @param {{ count: number, max: number, counts: Counts }[]} parts as toJSON() gave them
   * @throws {TypeError} when one is no histogram
   */
  static of (parts) {
    const all = new Histogram()
    for (const part of parts) all.add(part)
    return all
  }

  toJSON () {
    return { count: this.count, max: this.max, counts: this.counts() }
  }

  /**
   * @param {{ count: number, max: number, counts: Counts }} other as toJSON() gave it
   * @throws {TypeError} when it is no histogram
   */
  add (other) {
    const { count, max, counts } = other ?? {}
    if (!Number.isInteger(count) || !Number.isFinite(max) || !Array.isArray(counts)) throw new TypeError('not a histogram')
    if (counts.reduce((sum, entry) => sum + Number(entry?.[1]), 0) !== count) throw new TypeError('a histogram whose counts do not add up')
    for (const [value, n] of counts) {
      const bucket = bucketOf(value)
      this.#counts.set(bucket, (this.#counts.get(bucket) ?? 0) + n)
    }
    this.count += count
    this.max = Math.max(this.max, max)
  }
}

/** The lowest value of the bucket that a value falls into. @param {number} value */
function bucketOf (value) {
  const width = widthOf(value)
  return value - value % width
}

/** How many values share a bucket with this one. @param {number} value */
const widthOf = value => value < EXACT ? 1 : 2 ** (Math.floor(Math.log2(value)) - Math.log2(HALF))
