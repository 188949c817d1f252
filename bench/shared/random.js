/**
 * Seeded random numbers: the same seed gives the same run on every machine. Generator: sfc32 of Chris Doty-Humphrey
 * (PractRand 0.95, "sfc"). Its state is filled from the seed and the stream's name by FNV-1a and the 32-bit finaliser
 * of MurmurHash3 (Austin Appleby).
 */

/** @typedef {() => number} Random uniform in [0, 1), a multiple of 2^-32 */

/**
 * Returns an independent stream of random numbers for each seed and name.
 * @param {number} seed a 32-bit unsigned integer
 * @param {...(string | number)} stream name of the stream: 'order', 3
 * @returns {Random}
 */
export function randomFrom (seed, ...stream) {
  if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff) {
    throw new RangeError(`a seed is an integer from 0 to 4294967295, not ${seed}`)
  }
  const state = JSON.stringify([seed, ...stream])
  const next = sfc32(hash(state, 1), hash(state, 2), hash(state, 3))
  // The first outputs still depend on the seed; PractRand drops 12 as well.
  for (let i = 0; i < 12; i++) next()
  return () => next() / 2 ** 32
}

/**
 * Returns a shuffled copy: Fisher and Yates as of Durstenfeld (1964), every order equally likely.
 * @template T
 * @param {readonly T[]} items
 * @param {Random} random
 * @returns {T[]}
 */
export function shuffle (items, random) {
  const shuffled = [...items]
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    const item = shuffled[i]
    shuffled[i] = shuffled[j]
    shuffled[j] = item
  }
  return shuffled
}

/**
 * @param {number} a
 * @param {number} b
 * @param {number} c
 */
function sfc32 (a, b, c) {
  let counter = 1
  return () => {
    const sum = (a + b + counter++) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
}

/**
 * @param {string} text
 * @param {number} salt
 */
function hash (text, salt) {
  let h = 0x811c9dc5 ^ salt
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
