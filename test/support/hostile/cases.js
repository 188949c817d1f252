/** The corpus of hostile inputs. A case is derived from its number and SEED, so that a failure can be repeated. */
import { seeded } from '../random.js'
import { remotePlaces } from './remote-places.js'
import { storedPlaces } from './stored-places.js'
import { typedPlaces } from './typed-places.js'

/** @import { Case } from './stored-places.js' */
/** @import { Sandbox } from './sandbox.js' */

/** Number of cases. `npm run test:full` reads the first FULL cases, and `npm run test:soak` the others. */
export const ALL = 50_000
export const FULL = 1000
/** Seed of all cases, printed with a failure. */
export const SEED = 20261124
/** Factor that turns consecutive numbers of cases into distant seeds: 2 ** 32 divided by the golden ratio. */
const SPREAD = 0x9E3779B1

/** Readers of outside data, by name. */
export const PLACES = { ...storedPlaces, ...typedPlaces, ...remotePlaces }
/** Names of the places, each repeated by its share. */
const NAMES = Object.entries(PLACES).flatMap(([name, { share }]) => Array.from({ length: share }, () => name))

/**
 * Makes a case: draws a place, and lets it make a hostile input.
 * @param {number} number
 * @param {Sandbox} sandbox
 * @returns {Case & { place: string }}
 */
export function makeCase (number, sandbox) {
  const random = seeded(SEED + Math.imul(number, SPREAD))
  const place = random.pick(NAMES)
  return { place, ...PLACES[place].make(random, sandbox) }
}
