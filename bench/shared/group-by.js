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
