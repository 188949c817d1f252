/** Seeded randomness for tests, so that a failure can be repeated. */

/**
 * Makes a generator of random numbers: mulberry32 (Tommy Ettinger, public domain), which is good enough for test cases.
 * @param {number} seed
 */
export function seeded (seed) {
  const next = () => {
    seed = (seed + 0x6D2B79F5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (/** @type {number} */ n) => Math.floor(next() * n)
  return {
    /** in [0, 1) */
    next,
    /** an integer in [0, n) */
    below,
    /** @type {<T>(list: readonly T[]) => T} */
    pick: list => list[below(list.length)],
    chance: (/** @type {number} */ share) => next() < share
  }
}
