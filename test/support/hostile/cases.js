/** The corpus of hostile inputs: each case follows from its number, so that a failure can be repeated. */
import { seeded } from '../random.js'
import { remotePlaces } from './remote-places.js'
import { storedPlaces } from './stored-places.js'
import { typedPlaces } from './typed-places.js'

/** @import { Case } from './stored-places.js' */
/** @import { Sandbox } from './sandbox.js' */

/** All cases. `npm run test:full` reads the first FULL of them, and `npm run test:soak` the others. */
export const ALL = 50_000
export const FULL = 4000
/** Printed with a failure. */
export const SEED = 20261124
/** Spreads the numbers of cases over all seeds (golden ratio of 2 ** 32). */
const SPREAD = 0x9E3779B1

export const PLACES = { ...storedPlaces, ...typedPlaces, ...remotePlaces }
const NAMES = Object.entries(PLACES).flatMap(([name, { share }]) => Array.from({ length: share }, () => name))

/**
 * Makes a case.
 * @param {number} number
 * @param {Sandbox} sandbox
 * @returns {Case & { place: string }}
 */
export function makeCase (number, sandbox) {
  const random = seeded(SEED + Math.imul(number, SPREAD))
  const place = random.pick(NAMES)
  return { place, ...PLACES[place].make(random, sandbox) }
}
