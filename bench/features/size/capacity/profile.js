/** Reads load profiles: how the request rate changes over a day, as shares of its peak. */
import { readFileSync } from 'node:fs'
import { HopbenchError } from '../../../errors.js'
import { attempt } from '../../../shared/attempt.js'
import { readLogProfile } from './log-profile.js'

/** @import { LoadProfile } from '../../../types.js' */

/** @type {Record<string, { shares: number[] }>} */
const BUILT_IN = JSON.parse(readFileSync(new URL('profiles.json', import.meta.url), 'utf8'))
/** Names that --profile accepts. */
export const PROFILES = Object.keys(BUILT_IN)

/**
 * Reads a load profile.
 *
 * @param {string} [word] a name, an access log, or a JSON file with a list of rates or shares at equal distances over a
 *   day
 * @returns {LoadProfile}
 * @throws {HopbenchError} bad-profile
 */
export function readProfile (word = 'constant') {
  if (PROFILES.includes(word)) return { name: word, shares: BUILT_IN[word].shares }
  const refusal = (/** @type {string} */ why) => new HopbenchError('bad-profile', { name: word, why, known: PROFILES })
  const unreadable = () => { throw refusal('it is neither the name of a profile nor a readable file') }
  const log = attempt(() => readLogProfile(word), unreadable)
  if (log && 'fault' in log) throw refusal(log.fault)
  if (log) return { name: word, shares: log.shares }
  const text = attempt(() => readFileSync(word, 'utf8'), unreadable)
  const shares = attempt(() => JSON.parse(text), () => {
    throw refusal('it is not JSON, and its lines have no time as in an access log')
  })
  if (!Array.isArray(shares) || shares.some(share => !(Number.isFinite(share) && share >= 0))) {
    throw refusal('it is not a list of numbers from 0')
  }
  const peak = Math.max(0, ...shares)
  if (peak === 0) throw refusal('all of its rates are 0')
  return { name: word, shares: shares.map(share => share / peak) }
}
