/** Strict parsers of option values: times, shares, counts (pure). */
import { badOption } from '../errors.js'
import { isRelease, RELEASE_VALUES } from '../shared/releases.js'

/** @import { HopbenchError } from '../errors.js' */

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600 }

/**
 * @param {string} option "--budget", for the message
 * @param {(text: string) => number} parse NaN: invalid
 * @param {(value: number) => boolean} isValid false for NaN
 * @param {string} format valid values, in words
 * @returns {(text: string) => number}
 * @throws {HopbenchError} bad-option
 */
const parser = (option, parse, isValid, format) => text => {
  const value = parse(text)
  if (!isValid(value)) throw badOption(option, text, `it takes ${format}`)
  return value
}

/** @param {number} value */
const isAboveZero = value => value > 0

/**
 * Parses a time above zero, 90s, 3m, 1.5h or a number of seconds, to seconds.
 *
 * @param {string} option
 */
export const seconds = option => parser(option, parseSeconds, isAboveZero, 'a time above zero such as 90s or 3m')

/**
 * Parses a response time to seconds. A number without a unit is rejected, because 50 is meant as milliseconds.
 *
 * @param {string} option
 */
export const responseTime = option => parser(option, text => /[a-z]\s*$/.test(text) ? parseSeconds(text) : NaN,
  isAboveZero, 'a time above zero with its unit, as in 50ms')

/**
 * @param {string} text
 * @returns {number} NaN: it is no time
 */
function parseSeconds (text) {
  const [, amount, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim()) ?? []
  return Number(amount) * UNITS[/** @type {keyof typeof UNITS} */ (unit)]
}

/**
 * Parses a share between 0 and 1: 2% or 0.02.
 *
 * @param {string} option
 */
export const share = option =>
  parser(option, parseShare, value => value > 0 && value < 1, 'a share such as 2% or 0.02')

/**
 * Parses a share from 0 to below 1.
 *
 * @param {string} option
 */
export const shareFromZero = option =>
  parser(option, parseShare, value => value < 1, 'a share from 0% to below 100%')

/**
 * Parses a share from 0 to 1, both included.
 *
 * @param {string} option
 */
export const anyShare = option => parser(option, parseShare, value => value <= 1, 'a share from 0% to 100%')

/**
 * Converts a share to a number from 0, without an upper limit.
 *
 * @param {string} text
 * @returns {number} NaN: it is no share
 */
function parseShare (text) {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim())
  return match ? Number(match[1]) / (match[2] ? 100 : 1) : NaN
}

/**
 * @param {string} text
 * @returns {number} NaN: it is no whole number
 */
const parseWhole = text => /^\d+$/.test(text.trim()) ? Number(text) : NaN

/**
 * Parses a whole number above zero.
 *
 * @param {string} option
 * @param {number} [most]
 */
export const count = (option, most = Number.MAX_SAFE_INTEGER) =>
  parser(option, parseWhole, value => value >= 1 && value <= most,
    most === Number.MAX_SAFE_INTEGER ? 'a whole number above zero' : `a whole number from 1 to ${most}`)

/**
 * Parses a whole number from zero.
 *
 * @param {string} option
 * @param {number} most
 */
export const countFromZero = (option, most) =>
  parser(option, parseWhole, value => value <= most, `a whole number from 0 to ${most}`)

/**
 * Parses a seed: a whole number from 0 to 2³² − 1.
 *
 * @param {string} option
 */
export const seed = option => countFromZero(option, 0xffffffff)

/**
 * Accepts one of several words.
 *
 * @param {string} option
 * @param {string[]} words
 * @returns {(text: string) => string}
 */
export const oneOf = (option, words) => text => {
  if (!words.includes(text)) throw badOption(option, text, `it takes one of ${words.join(', ')}`)
  return text
}

/**
 * Accepts a Debian release, or a version.
 *
 * @param {string} option
 * @returns {(text: string) => string}
 */
export const release = option => text => {
  if (!isRelease(text)) throw badOption(option, text, `it takes one of ${RELEASE_VALUES}`)
  return text
}
