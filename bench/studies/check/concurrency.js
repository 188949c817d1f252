/**
 * Returns a function that runs actions one after the other.
 *
 * @returns {<T>(action: () => Promise<T>) => Promise<T>}
 */
export function oneAtATime () {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve()
  return action => {
    const result = last.then(action)
    last = result.catch(() => {})
    return result
  }
}

/**
 * Processes a list with limited concurrency.
 *
 * @template T
 * @template R
 * @param {T[]} items
 * @param {number} limit
 * @param {(item: T) => Promise<R>} process
 * @returns {Promise<R[]>} in the order of the items
 */
export async function mapConcurrently (items, limit, process) {
  /** @type {R[]} */
  const results = []
  const queue = items.entries()
  await Promise.all(Array.from({ length: limit }, async () => {
    for (const [i, item] of queue) results[i] = await process(item)
  }))
  return results
}
