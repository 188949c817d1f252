import { Histogram } from '../../bench/load/histogram.js'

/** Returns a histogram as it is stored. @param {...number} values in microseconds */
export function histogramOf (...values) {
  const histogram = new Histogram()
  for (const value of values) histogram.record(value)
  return histogram.toJSON()
}
