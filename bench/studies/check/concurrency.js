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
 * @param {T[]} items
 * @param {number} atOnce
 * @param {(item: T) => Promise<void>} work
 */
export async function workThrough (items, atOnce, work) {
  const queue = [...items]
  await Promise.all(Array.from({ length: atOnce }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  }))
}
