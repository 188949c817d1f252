/** Values inside JSON that are neither objects nor arrays, and copies with another value in their place. */

/**
 * Lists all values of an object that are neither objects nor arrays.
 * @param {any} value
 * @param {string[]} [path] of the value
 * @returns {{ path: string[], value: unknown }[]}
 */
export const leavesIn = (value, path = []) => value && typeof value === 'object'
  ? Object.keys(value).flatMap(key => leavesIn(value[key], [...path, key]))
  : [{ path, value }]

/**
 * Returns a copy of an object with another value at a path.
 * @template T
 * @param {T} object
 * @param {string[]} path
 * @param {unknown} value
 * @returns {T}
 */
export function withLeaf (object, path, value) {
  const copy = structuredClone(object)
  const parent = path.slice(0, -1).reduce((/** @type {any} */ at, key) => at[key], copy)
  parent[path[path.length - 1]] = value
  return copy
}
