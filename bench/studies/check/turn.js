/** One at a time, in the order of asking. @returns {<T>(action: () => Promise<T>) => Promise<T>} */
export function oneAtATime () {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve()
  return action => {
    const mine = last.then(action)
    last = mine.catch(() => {})
    return mine
  }
}

/**
 * Works through a list, so many at once.
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
