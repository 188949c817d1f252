/**
 * Reads Docker's ignore files, and writes paths as lines of such a file (pure). The rules are those of
 * https://docs.docker.com/build/concepts/context/#dockerignore-files.
 */
import { posix } from 'node:path'
import { attempt } from './attempt.js'
import { listParents } from './paths.js'

/**
 * A line of an ignore file. pattern: without "!"; isException: whether its files are part of the context again.
 * @typedef {{ pattern: string, isException: boolean, matches: (path: string) => boolean }} IgnoreRule
 */

/** Parts of a pattern: an escaped character, wildcards, a class of characters, or a character. */
const PART = /\\[^]|\*\*\/?|\*|\?|\[(?:\\[^]|[^\]\\])+\]|[^]/gu
/** Characters that a regular expression interprets. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g
/** Names that no pattern matches alone: with invisible characters, "\", "^", or spaces at an end. */
const ODD_NAME = /[\p{C}\u2028\u2029\uFFFD\\^]|^\s|\s$/u

/**
 * Reads an ignore file. Skips lines that Docker rejects.
 * @param {string} text
 * @returns {IgnoreRule[]}
 */
export const readIgnoreFile = text => text.replace(/^\uFEFF/, '').split(/\r?\n/)
  .filter(line => !line.startsWith('#')).flatMap(line => toRules(line.trim()))

/**
 * @param {string} line without spaces at its ends
 * @returns {IgnoreRule[]} one rule, or none
 */
function toRules (line) {
  const isException = line.startsWith('!')
  const typed = isException ? line.slice(1).trim() : line
  if (typed === '') return []
  const pattern = posix.normalize(typed).replace(/(?<=[^])\/$/, '').replace(/^\/(?=[^])/, '')
  const expression = toExpression(pattern)
  return expression ? [{ pattern, isException, matches: path => expression.test(path) }] : []
}

/**
 * @param {string} pattern
 * @returns {RegExp | null} null: the pattern has no meaning
 */
function toExpression (pattern) {
  const parts = pattern.match(PART) ?? []
  if (parts.some(part => part === '[' || part === '\\')) return null
  const source = parts.map((part, i) => toSource(part, i === parts.length - 1)).join('')
  return attempt(() => new RegExp(`^${source}$`, 's'), () => null)
}

/**
 * @param {string} part of a pattern
 * @param {boolean} isLast
 */
function toSource (part, isLast) {
  if (part.startsWith('**')) return isLast ? '.*' : '(?:.*/)?'
  if (part === '*') return '[^/]*'
  if (part === '?') return '[^/]'
  if (part.startsWith('[') && part.length > 1) return part
  return part.replace(/^\\/, '').replace(SPECIAL, '\\$&')
}

/**
 * Returns whether an ignore file leaves a path out. The last rule decides that matches the path or a folder above it.
 * @param {IgnoreRule[]} rules
 * @param {string} path relative to the context
 */
export function isIgnored (rules, path) {
  const paths = listParents(path)
  return rules.reduce((isOut, { isException, matches }) =>
    isException === isOut && paths.some(path => matches(path)) ? !isException : isOut, false)
}

/** Returns a pattern that also matches names in other cases, which Docker distinguishes. @param {string} pattern */
export const inAnyCase = pattern => pattern.replace(/[a-z]/gi, sign => `[${sign.toLowerCase()}${sign.toUpperCase()}]`)

/** Returns a pattern as a line, at whose start "#" and "!" would have another meaning. @param {string} pattern */
export const toLine = pattern => pattern.replace(/^[#!]/, '\\$&')

/**
 * Returns the line that makes one path an exception from the lines above it.
 * @param {string} path relative to the context
 * @returns {string | null} null: no line does
 */
export const toException = path => ODD_NAME.test(path) ? null : `!${path.replace(/[*?[\]]/g, '\\$&')}`
