/** Ratios of two arms as shares in percent (pure). */
import { decimals, isNumber, NONE } from '../shared/format.js'

/** @typedef {{ ratio: number | null, low: number | null, high: number | null }} Ratio null: unknown */

/**
 * Prints a ratio in percent: "14 %" and "13 to 16 %".
 * @param {Ratio} interval
 * @param {(ratio: number) => number} [toShare] share of a ratio; default: the ratio itself
 * @returns {{ share: string, range: string | null }} range: null without both ends
 */
export function shareParts (interval, toShare = ratio => ratio) {
  const digits = Math.max(0, decimals(interval) - 2)
  const print = (/** @type {number | null} */ ratio) =>
    isNumber(ratio) ? (toShare(ratio) * 100).toFixed(digits).replace(/^-0(\.0+)?$/, '0$1').replace('-', '−') : NONE
  // The ends change places where a higher ratio is a smaller share.
  const ends = [print(interval.low), print(interval.high)]
  const [low, high] = toShare(1) < toShare(0) ? ends.reverse() : ends
  return {
    share: `${print(interval.ratio)} %`,
    range: low === NONE || high === NONE ? null : `${low} to ${high} %`
  }
}

/**
 * Prints a ratio in percent: "14 % (13 to 16 %)".
 * @param {Ratio} interval
 * @param {(ratio: number) => number} [toShare]
 */
export function printShare (interval, toShare) {
  const { share, range } = shareParts(interval, toShare)
  return range === null ? share : `${share} (${range})`
}

/**
 * Prints a change with its sign: "+14 % (+13 to +16 %)".
 * @param {Ratio} interval
 */
export const printChange = interval => withSigns(printShare(interval, ratio => ratio - 1))

/**
 * Prints the range of a change with signs: "−5 to +3 %".
 * @param {Ratio} interval
 * @returns {string | null} null: the interval lacks an end
 */
export function changeRange (interval) {
  const { range } = shareParts(interval, ratio => ratio - 1)
  return range && withSigns(range)
}

const withSigns = (/** @type {string} */ text) => text.replace(/(^|\(|to )(?=\d)/g, '$1+')
