/** Limits the nesting of values from outside (pure). */

/** More levels than any valid input has, and too few to exhaust the stack where a value is printed or copied. */
const MAX_LEVELS = 100

/**
 * Returns whether a value from JSON.parse or a module has more than a number of levels.
 * @param {unknown} value
 * @param {number} [levels]
 * @returns {boolean}
 */
export function isTooDeep (value, levels = MAX_LEVELS) {
  if (value === null || typeof value !== 'object') return false
  return levels === 0 || Object.values(value).some(inner => isTooDeep(inner, levels - 1))
}
