/**
 * Prints numbers. All values are kept unrounded until here, so that rounding happens once. Values that are not finite
 * are printed as a dash.
 */

/** Printed where there is no number. */
export const NONE = '–'

/**
 * @param {unknown} value
 * @returns {value is number}
 */
export const isNumber = value => typeof value === 'number' && Number.isFinite(value)

const fourDigits = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 4 })
const threeDigits = new Intl.NumberFormat('en-US', { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 })
const cents = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** @typedef {number | null | undefined} Maybe */

/** Prints units per second: 12,350 */
export const rate = (/** @type {Maybe} */ perSecond) => isNumber(perSecond) ? fourDigits.format(perSecond) : NONE

/** Prints microseconds, without the unit: 61.2 */
export const micros = (/** @type {Maybe} */ value) => isNumber(value) ? threeDigits.format(value) : NONE

/** Prints a number of things: 1,204 */
export const count = (/** @type {Maybe} */ value) => isNumber(value) ? whole.format(value) : NONE

/** Prints a share of one: 2 %, 1.5 %, under 0.1 % */
export function percent (/** @type {Maybe} */ share) {
  if (!isNumber(share)) return NONE
  if (share !== 0 && Math.abs(share) < 0.0005) return 'under 0.1 %'
  return `${trimmed(share * 100, 1)} %`
}

/** Prints a confidence level, never rounded up to certainty: 95 %, 98.3 %, 99.95 % */
export function level (/** @type {Maybe} */ value) {
  if (!isNumber(value)) return NONE
  const digits = value > 0.999 ? 2 : 1
  const scale = 10 ** digits
  return `${Math.min(trimmed(value * 100, digits), (100 * scale - 1) / scale)} %`
}

/** Prints a time span: 0.5 s, 45 s, 3 min 20 s, 1 h 2 min */
export function duration (/** @type {Maybe} */ seconds) {
  if (!isNumber(seconds)) return NONE
  if (seconds < 9.95) return `${trimmed(seconds, 1)} s`
  const total = Math.round(seconds)
  if (total < 60) return `${total} s`
  if (total < 3600) return parts([[Math.floor(total / 60), 'min'], [total % 60, 's']])
  const minutes = Math.round(total / 60)
  return parts([[Math.floor(minutes / 60), 'h'], [minutes % 60, 'min']])
}

/** Returns the budget to type for this time: rounded up to tens, ignoring rounding errors of floating point. */
export const budgetFor = (/** @type {number} */ seconds) => Math.ceil(Number(seconds.toFixed(3)) / 10) * 10

/** @type {(pairs: [number, string][]) => string} */
const parts = pairs => pairs.filter(([amount]) => amount > 0).map(([amount, unit]) => `${amount} ${unit}`).join(' ')

/**
 * Prints a ratio and its interval with the same number of decimals: 1.12 (1.09 to 1.15), 0.997 (0.989 to 1.006).
 * @param {{ ratio: Maybe, low: Maybe, high: Maybe }} estimate
 * @param {number} [digits] decimals
 * @returns {{ ratio: string, low: string, high: string, interval: string }} interval: "1.09 to 1.15"
 */
export function estimate ({ ratio, low, high }, digits = decimals({ ratio, low, high })) {
  // An interval down to 0 has no lower end, because there were too few blocks.
  const print = (/** @type {Maybe} */ value) => isNumber(value) && value > 0 ? value.toFixed(digits) : NONE
  const text = { ratio: print(ratio), low: print(low), high: print(high) }
  return { ...text, interval: interval(text.low, text.high) }
}

/**
 * @param {{ ratio: Maybe, low: Maybe, high: Maybe }} measured
 * @returns {string} "1.13 (1.09 to 1.18)"; the ratio alone where there is no interval
 */
export function estimateText (measured) {
  const text = estimate(measured)
  return text.interval === NONE ? text.ratio : `${text.ratio} (${text.interval})`
}

/** Joins two printed ends, of which either may be missing. */
export function interval (/** @type {string} */ low, /** @type {string} */ high) {
  if (low === NONE && high === NONE) return NONE
  if (high === NONE) return `${low} or more`
  if (low === NONE) return `up to ${high}`
  return `${low} to ${high}`
}

/**
 * Prints a range: "4 to 16", "4" if both ends are the same, "4 or more" if it has no upper end.
 * @param {{ low: number, high?: number }} range
 * @param {(value: number) => string} print
 */
export const rangeText = ({ low, high }, print) =>
  low === high ? print(low) : interval(print(low), high === undefined ? NONE : print(high))

/**
 * Prints a price: "$50", "EUR 1,012.50".
 * @param {Maybe} price
 * @param {string} currency
 * @param {(price: number) => string} [print]
 */
export const money = (price, currency, print = price => Number.isInteger(price) ? count(price) : cents.format(price)) =>
  isNumber(price) ? `${currency === 'USD' ? '$' : `${currency} `}${print(price)}` : NONE

/** Further decimals of a ratio exceed the resolution of the machines that this was measured on. */
const MAX_DECIMALS = 3
/** Limit for tiny ratios, which only a damaged record has. toFixed() accepts no more than 100. */
const MAX_DECIMALS_OF_TINY = 20

/**
 * Returns the number of decimals that the width of the interval justifies: two, or more where the interval is narrow,
 * where the ratio is tiny, and where rounding would move an end of the interval to 1, which decides the verdict.
 * @param {{ ratio: Maybe, low: Maybe, high: Maybe }} estimate
 * @returns {number}
 */
export function decimals ({ ratio, low, high }) {
  const ends = [low, high].filter(isNumber).filter(end => end > 0)
  const least = isNumber(ratio) && ratio >= 10 ? 1 : 2
  const small = isNumber(ratio) && ratio > 0 && ratio < 0.1 ? 1 - Math.floor(Math.log10(ratio)) : least
  const narrow = ends.length === 2 && ends[1] > ends[0] ? -Math.floor(Math.log10((ends[1] - ends[0]) / 2)) : least
  let digits = Math.max(Math.min(MAX_DECIMALS_OF_TINY, small), Math.min(MAX_DECIMALS, Math.max(least, narrow)))
  while (digits < MAX_DECIMALS && ends.some(end => end !== 1 && Number(end.toFixed(digits)) === 1)) digits++
  return digits
}

/**
 * Returns half of the interval's width as a share of the ratio, on the log scale, where it is symmetric: 0.02.
 * @param {{ low: Maybe, high: Maybe }} interval
 * @returns {number | null} null: an end is missing
 */
export const halfWidth = ({ low, high }) =>
  isNumber(low) && isNumber(high) && low > 0 ? Math.sqrt(high / low) - 1 : null

/** @type {(value: number, digits: number) => number} */
const trimmed = (value, digits) => Number(value.toFixed(digits))

/** @type {(amount: number, noun: string) => string} */
export const plural = (amount, noun) => `${count(amount)} ${noun}${amount === 1 ? '' : 's'}`

/** @param {string[]} names */
export const listing = names =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/**
 * Limits the names of a list, and adds how many more there are.
 * @param {string[]} names
 * @param {number} most
 */
export const limited = (names, most) =>
  names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names

/** Adds a full stop where there is none. */
export const ended = (/** @type {string} */ text) => /[.!?]$/.test(text) ? text : `${text}.`

export const capitalize = (/** @type {string} */ text) => text.slice(0, 1).toUpperCase() + text.slice(1)
