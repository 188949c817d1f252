/** Counts whole numbers in buckets whose width grows with the value, so that each value is exact to one part in 1024.
 * The sum of the histograms of several processes equals the histogram of a single process. */
// The main module also loads the codecs of the other kinds of histograms.
import hdr from 'hdr-histogram-js/dist/Float64Histogram.js'
import { REQUEST_KINDS, toRecord } from '../shared/group-by.js'

/** @import { HistogramData, RequestKind } from '../types.js' */

const { default: Float64Histogram } = hdr
const MAX_VALUE = 2 ** 32 - 1 // In microseconds 71 minutes.

export class Histogram {
  /** Three digits mean 2048 exact values, and 1024 buckets for each power of two above. Floats count exactly up to
   * 2^53. */
  #hdr = new Float64Histogram(1, MAX_VALUE, 3)

  /** Largest value. It is exact, unlike the library's, which is a bucket. */
  max = 0

  get count () {
    return this.#hdr.totalCount
  }

  /** @param {number} value a whole number from 0; counts as MAX_VALUE above that */
  record (value) {
    this.#hdr.recordValue(Math.min(value, MAX_VALUE))
    if (value > this.max) this.max = value
  }

  /**
   * Returns the nearest-rank percentile: the smallest value that at least this share of all values do not exceed. A
   * bucket counts as its middle.
   * @param {number} p as in 0.99
   * @returns {number} NaN without a value
   */
  percentile (p) {
    if (this.count === 0) return NaN
    const highest = this.#hdr.getValueAtPercentile(p * 100)
    return Math.min(this.max, (this.#hdr.lowestEquivalentValue(highest) + highest) / 2)
  }

  /** Returns percentiles of values in microseconds, in milliseconds; NaN without a value. */
  milliseconds () {
    const ms = (/** @type {number} */ p) => this.percentile(p) / 1000
    return { p50: ms(0.5), p90: ms(0.9), p95: ms(0.95), p99: ms(0.99), max: this.max / 1000 }
  }

  /**
   * Adds up histograms.
   * @param {HistogramData[]} parts as toJSON() returns
   * @throws {TypeError} not a histogram
   */
  static of (parts) {
    const all = new Histogram()
    for (const part of parts) all.add(part)
    return all
  }

  /** @returns {HistogramData} counts: of each bucket that is not empty, by its lowest value, in rising order */
  toJSON () {
    /** @type {HistogramData['counts']} */
    const counts = []
    const values = this.#hdr.recordedValuesIterator
    for (values.reset(); values.hasNext();) {
      const { valueIteratedTo, countAtValueIteratedTo } = values.next()
      counts.push([this.#hdr.lowestEquivalentValue(valueIteratedTo), countAtValueIteratedTo])
    }
    return { count: this.count, max: this.max, counts }
  }

  /**
   * @param {HistogramData} other as toJSON() returns
   * @throws {TypeError} not a histogram
   */
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
    for (const [value, n] of counts) this.#hdr.recordValueWithCount(Math.min(value, MAX_VALUE), n)
    this.max = Math.max(this.max, max)
  }
}

/**
 * Adds up histograms by kind of request.
 * @param {Record<RequestKind, HistogramData>[]} parts as toJSON() returns
 * @returns {Record<RequestKind, HistogramData>}
 * @throws {TypeError} not a histogram
 */
export const mergeKinds = parts => toRecord(REQUEST_KINDS, kind => Histogram.of(parts.map(part => part[kind])).toJSON())
