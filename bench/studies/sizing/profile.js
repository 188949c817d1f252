/** How the rate of requests goes up and down in a day, as shares of its peak: three shapes of the project, or a
 * person's own. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HopbenchError } from '../../errors.js'

/** @import { LoadProfile } from '../../types.js' */

const OWN = JSON.parse(readFileSync(fileURLToPath(new URL('profiles.json', import.meta.url)), 'utf8'))
/** What --profile knows by name. */
export const PROFILES = Object.keys(OWN)

/** @param {string} [word] a name, or a JSON file: a list of rates or shares at equal distances over a day
 * @returns {LoadProfile} @throws {HopbenchError} bad-profile */
export function readProfile (word = 'constant') {
  if (PROFILES.includes(word)) return { name: word, shares: OWN[word].shares }
  const bad = (/** @type {string} */ why) => new HopbenchError('bad-profile', { name: word, why, known: PROFILES })
  let shares
  try {
    shares = JSON.parse(readFileSync(word, 'utf8'))
  } catch (error) {
    throw bad(error instanceof SyntaxError ? 'it is not JSON' : `it is none of the names, and no file: ${word}`)
  }
  if (!Array.isArray(shares) || shares.some(share => !(Number.isFinite(share) && share >= 0))) {
    throw bad('it is no list of numbers from 0')
  }
  const peak = Math.max(0, ...shares)
  if (peak === 0) throw bad('it has no peak: nothing in it is above 0')
  return { name: word, shares: shares.map(share => share / peak) }
}

/** Of a day, as a share of the peak. @param {LoadProfile} profile */
export const meanShare = ({ shares }) => shares.reduce((sum, share) => sum + share, 0) / shares.length
