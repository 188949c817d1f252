/** What people type for times, shares and counts, read strictly (pure). */
import { HopbenchError } from '../../errors.js'

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600 }

/**
 * @param {string} option as typed, for the message: "--budget"
 * @param {(text: string) => number | null} read null: not understood
 * @param {string} wanted what it takes, in words
 * @returns {(text: string) => number}
 * @throws {HopbenchError} bad-option
 */
const reader = (option, read, wanted) => text => {
  const value = read(text)
  if (value === null) throw new HopbenchError('bad-option', { option, value: text, why: `it takes ${wanted}` })
  return value
}

/** A time above zero, in seconds: 90s, 3m, 1.5h, or a plain number of seconds. @param {string} option */
export const seconds = option => reader(option, text => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim())
  if (!match) return null
  const value = Number(match[1]) * UNITS[/** @type {keyof UNITS} */ (match[2] ?? 's')]
  return value > 0 ? value : null
}, 'a time above zero such as 90s or 3m')

/** A share between 0 and 1: 2% or 0.02. @param {string} option */
export const share = option => reader(option, text => {
  const match = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim())
  if (!match) return null
  const value = Number(match[1]) / (match[2] ? 100 : 1)
  return value > 0 && value < 1 ? value : null
}, 'a share such as 2% or 0.02')

/**
 * A whole number above zero.
 *
 * @param {string} option
 * @param {number} [most]
 */
export const count = (option, most = Number.MAX_SAFE_INTEGER) => reader(option, text => {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : NaN
  return value >= 1 && value <= most ? value : null
}, most === Number.MAX_SAFE_INTEGER ? 'a whole number above zero' : `a whole number from 1 to ${most}`)

/** A seed: a whole number from 0 to 2³² − 1. @param {string} option */
export const seed = option => reader(option, text => {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : NaN
  return value <= 0xffffffff ? value : null
}, 'a whole number from 0 to 4294967295')

/**
 * One of a few words.
 *
 * @param {string} option
 * @param {string[]} words
 * @returns {(text: string) => string}
 */
export const one = (option, words) => text => {
  if (!words.includes(text)) {
    throw new HopbenchError('bad-option', { option, value: text, why: `it takes one of ${words.join(', ')}` })
  }
  return text
}
