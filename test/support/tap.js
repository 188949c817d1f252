/**
 * tap, with assertions that can fail. Every test file imports this module in place of tap:
 * - `t.match` compares arrays with their length, and what is in the pattern exactly: `[]` matches an empty array alone,
 *   and a string in a field matches an equal string alone. A regular expression states a part of a text. Only a string
 *   that is the whole pattern is looked for in a text.
 * - `t.throws` and `t.rejects` require a pattern that states the error: a class, a code or a message. An error that has
 *   a code is stated by its code.
 * - A subtest without an assertion fails.
 */
import t from 'tap'

/** @import { Test } from 'tap' */

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
const isObject = value => value !== null && typeof value === 'object'
/** @param {object} value */
const isPlain = value => Object.getPrototypeOf(value) === Object.prototype

/**
 * Finds the first part of a value that tap's loose match accepts although it differs from the pattern.
 * @param {any} found
 * @param {any} pattern of `t.match`
 * @param {string} [path] of the part within the value
 * @returns {string | null} description of the difference; null: tap's match decides
 */
export function findDifference (found, pattern, path = '') {
  const part = path || 'value'
  if (Array.isArray(pattern) && found?.length !== pattern.length) {
    return `${part} has ${found?.length} elements, the pattern has ${pattern.length}`
  }
  if (pattern instanceof RegExp) {
    return isObject(found) ? `${part} is an object, the pattern is a regular expression` : null
  }
  if (isObject(pattern) && isObject(found)) {
    const fields = Object.entries(pattern)
    if (isPlain(pattern) && fields.length === 0 && Reflect.ownKeys(found).length > 0) {
      return `${part} has fields, the pattern has none`
    }
    return fields.map(([key, value]) => findDifference(found[key], value, path ? `${path}.${key}` : key))
      .find(difference => difference !== null) ?? null
  }
  const isText = path === '' && typeof pattern === 'string' && pattern !== ''
  if (isText || isObject(pattern) || typeof pattern === 'function') return null
  return found === pattern || Object.is(found, pattern) ? null : `${part} is not equal to the pattern`
}

/**
 * Finds the reason for which a pattern does not state an error.
 * @param {any} error
 * @param {any} pattern of `t.throws` or `t.rejects`; a string is the message of the assertion
 * @returns {string | null} null: the pattern states the error
 */
export function findVagueness (error, pattern) {
  if ([Error, TypeError, ReferenceError].includes(pattern)) return 'a fault of the code has the same class'
  if (typeof pattern === 'function') return null
  if (typeof error.code === 'string') return pattern?.code === undefined ? `code ${error.code} is not stated` : null
  const isStated = pattern instanceof RegExp || pattern?.message !== undefined
  return isStated ? null : 'neither class, code nor message is stated'
}

/**
 * Returns the stack of an assertion's call.
 * @param {Function} assertion
 */
function getStack (assertion) {
  const holder = { stack: '' }
  Error.captureStackTrace(holder, assertion)
  return holder.stack
}

/**
 * Replaces assertions of a test by stricter ones.
 * @param {Test} test
 */
function makeStrict (test) {
  const { match, notMatch, throws, rejects } = /** @type {any} */ (test)
  /**
   * @param {any} error
   * @param {unknown} pattern
   * @param {string} stack
   */
  const failIfVague = (error, pattern, stack) => {
    const fault = error ? findVagueness(error, pattern) : null
    if (fault !== null) test.fail(fault, { stack, wanted: pattern })
    return error
  }
  /** @type {Record<string, (...args: any[]) => unknown>} */
  const strict = {
    match: (found, pattern, ...rest) => {
      const difference = findDifference(found, pattern)
      if (difference === null) return match(found, pattern, ...rest)
      const message = typeof rest[0] === 'string' ? `${rest[0]}: ${difference}` : difference
      return test.fail(message, { stack: getStack(test.match), ...rest[1], found, wanted: pattern })
    },
    notMatch: (found, pattern, ...rest) => {
      if (found !== null && found !== undefined) return notMatch(found, pattern, ...rest)
      return test.fail(`${found} matches no pattern`, { stack: getStack(test.notMatch), doNotWant: pattern })
    },
    throws: (action, pattern, ...rest) => failIfVague(throws(action, pattern, ...rest), pattern, getStack(test.throws)),
    rejects: async (action, pattern, ...rest) => {
      const stack = getStack(test.rejects)
      return failIfVague(await rejects(action, pattern, ...rest), pattern, stack)
    }
  }
  Object.assign(test, strict, { same: test.strictSame })
  test.onbeforeend = () => { if (test.count === 0) test.fail('the subtest has no assertion', { at: null }) }
}

t.beforeEach(makeStrict)
makeStrict(t)

/** Test to which a file adds its own. @type {any} */
let current = t
/** Lets the next file add its tests to a subtest, as in test/support/batch.js. @param {Test} test */
export const enter = test => { current = test }

export default new Proxy(t, {
  get (_root, name) {
    const value = current[name]
    return typeof value === 'function' ? value.bind(current) : value
  }
})
