/**
 * Groups values by a key, in one pass. The groups are in the order of their first values.
 *
 * @template Value
 * @template Key
 * @param {readonly Value[]} values
 * @param {(value: Value) => Key} getKey
 * @returns {Map<Key, Value[]>}
 */
export function groupBy (values, getKey) {
  /** @type {Map<Key, Value[]>} */
  const groups = new Map()
  for (const value of values) {
    const key = getKey(value)
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

/**
 * Returns the value that occurs most often, the first of several; undefined without any.
 *
 * @template Value
 * @param {readonly Value[]} values
 * @returns {Value}
 */
export const mostFrequent = values =>
  [...groupBy(values, value => value)].sort(([, a], [, b]) => b.length - a.length)[0]?.[0]

/**
 * Counts a value once more.
 *
 * @template Value
 * @param {Map<Value, number>} counts
 * @param {Value} value
 */
export const increase = (counts, value) => counts.set(value, (counts.get(value) ?? 0) + 1)

/** Returns the sum of numbers; 0 without any (pure). @param {readonly number[]} values */
export const sum = values => values.reduce((a, b) => a + b, 0)

/**
 * Returns an object with a computed value for each key.
 *
 * @type {<const Key extends string, Value>(keys: readonly Key[], getValue: (key: Key) => Value) => Record<Key, Value>}
 */
export const toRecord = (keys, getValue) =>
  /** @type {any} */ (Object.fromEntries(keys.map(key => [key, getValue(key)])))

/** Roles that use CPU time. */
export const ROLES = /** @type {const} */ (['load', 'proxy', 'server'])

/** Kinds of requests to an app whose files are known: to the app itself, and for a file. */
export const REQUEST_KINDS = /** @type {const} */ (['app', 'files'])

/** Kinds of errors. */
export const ERROR_KINDS = /** @type {const} */ (['non2xx', 'timeouts', 'resets', 'mismatches'])
