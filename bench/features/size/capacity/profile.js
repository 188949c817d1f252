/** Reads load profiles: how the request rate changes over a day, as shares of its peak. */
import { HopbenchError } from '../../../errors.js'
import { describeFileError, isSystemError } from '../../../machine/files/file-failures.js'
import { readOwnText } from '../../../machine/files/own-files.js'
import { readPlainFile } from '../../../machine/files/plain-files.js'
import { FORMATS, TIMED_OBJECT } from '../../../request/log-formats.js'
import { withLogLines } from '../../../request/log-lines.js'
import { attempt } from '../../../shared/attempt.js'
import { increase } from '../../../shared/group-by.js'

/** @import { LogLine } from '../../../request/log-lines.js' */
/** @import { LoadProfile } from '../../../types.js' */

/** Limits of a list of rates. One of each second of a day has some hundred kilobytes. */
const LIST = { maxBytes: 2 ** 20, followsLinks: true }
/** Longest time between two requests of a log, in hours. Limits the number of counts. */
const MAX_HOURS = 2 * 366 * 24
const HOURS = 24
/** Fewest requests: 100 for an hour in the mean, so that chance changes a count by 10 %. */
const MIN_REQUESTS = 100 * HOURS
/** Fewest hours from which the first and the last one are left out, because a log has only a part of them. */
const HAS_SPARE_HOURS = HOURS + 2
/** Smallest part of an hour by which its requests are divided, because a few requests in a shorter time are no rate. */
const MIN_COVERED = 0.25
const HOUR_MS = 3_600_000
/** Smallest share of lines that have a time. */
const MIN_TIMED = 0.5
/** Lines in which the first time is looked for. */
const FIRST_LINES = 20
/** Time of the common and the combined format: 10/Oct/2000:13:55:36 -0700. */
const COMMON = /^(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d{4})$/
/** Smallest number that is in milliseconds: as seconds, it is in the year 5138. */
const MIN_MILLISECONDS = 1e11

/**
 * Reads the shares of 24 hours, in UTC, from an access log or JSON lines. Each hour is the mean of all days, by the
 * time that the log covers of it.
 *
 * @param {string} file
 * @returns {{ shares: number[] } | { fault: string } | null} fault: a clause; null: none of the first lines has a time
 * @throws {Error} as withPlainFile()
 */
export const readLogProfile = file => withLogLines(file, [...FORMATS, TIMED_OBJECT], countHours)

/**
 * Counts the requests of each hour.
 *
 * @param {Iterable<LogLine | null>} lines
 * @returns {ReturnType<typeof readLogProfile>}
 */
function countHours (lines) {
  /** @type {Map<number, number>} */
  const counts = new Map()
  let [read, timed, first, last] = [0, 0, Infinity, -Infinity]
  for (const line of lines) {
    read++
    const ms = toTime(line?.fields.time)
    if (ms === null) {
      if (timed === 0 && read === FIRST_LINES) return null
      continue
    }
    const hour = Math.floor(ms / HOUR_MS)
    timed++
    first = Math.min(first, ms)
    last = Math.max(last, ms)
    if (last - first > MAX_HOURS * HOUR_MS) return { fault: 'its times are more than two years apart' }
    increase(counts, hour)
  }
  if (timed === 0) return null
  if (timed < MIN_TIMED * read) return { fault: `${timed} of its ${read} lines have a time` }
  if (timed < MIN_REQUESTS) {
    return { fault: `it has ${timed} requests, and an hour of a day needs 100 in the mean: ${MIN_REQUESTS}` }
  }
  return toShares(counts, { first, last })
}

/**
 * Divides the requests of each hour of the day by the time of that hour that the log covers.
 *
 * @param {Map<number, number>} counts by hour since 1970
 * @param {{ first: number, last: number }} ends times of the first and the last request, in ms since 1970
 */
function toShares (counts, { first, last }) {
  const [firstHour, lastHour] = [first, last].map(ms => Math.floor(ms / HOUR_MS))
  const hours = lastHour - firstHour + 1
  if (hours < HOURS) return { fault: `it covers ${hours} hours of a day` }
  const cut = hours >= HAS_SPARE_HOURS ? 1 : 0
  const sums = new Array(HOURS).fill(0)
  const covered = new Array(HOURS).fill(0)
  for (let hour = firstHour + cut; hour <= lastHour - cut; hour++) {
    const ofDay = ((hour % HOURS) + HOURS) % HOURS
    sums[ofDay] += counts.get(hour) ?? 0
    covered[ofDay] += (Math.min(last, (hour + 1) * HOUR_MS) - Math.max(first, hour * HOUR_MS)) / HOUR_MS
  }
  const means = sums.map((sum, i) => sum / Math.max(MIN_COVERED, covered[i]))
  const peak = Math.max(...means)
  if (peak === 0) return { fault: 'all of its requests are in its first and last hour' }
  return { shares: means.map(mean => mean / peak) }
}

/**
 * Returns the time of a request, in ms since 1970.
 *
 * @param {string} [text]
 * @returns {number | null} null: it is not a time
 */
function toTime (text = '') {
  const number = Number(text)
  if (text !== '' && Number.isFinite(number)) return number < MIN_MILLISECONDS ? number * 1000 : number
  const ms = Date.parse(text.replace(COMMON, '$1 $2 $3 $4 $5'))
  return Number.isFinite(ms) ? ms : null
}

/** @type {Record<string, { shares: number[] }>} */
const BUILT_IN = JSON.parse(readOwnText(new URL('profiles.json', import.meta.url)))
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
  const rejection = (/** @type {string} */ why) => new HopbenchError('bad-profile', {
    name: word,
    why,
    known: PROFILES
  })
  const log = attempt(() => readLogProfile(word), error => {
    throw rejection(isSystemError(error)
      ? 'it is neither the name of a profile nor a readable file'
      : describeFileError(error))
  })
  if (log && 'fault' in log) throw rejection(log.fault)
  if (log) return { name: word, shares: log.shares }
  const shares = attempt(() => JSON.parse(readPlainFile(word, LIST).toString()), () => {
    throw rejection('it is not JSON of at most 1 MiB, and its lines have no time as in an access log')
  })
  if (!Array.isArray(shares) || shares.some(share => !(Number.isFinite(share) && share >= 0))) {
    throw rejection('it is not a list of numbers from 0')
  }
  const peak = Math.max(0, ...shares)
  if (peak === 0) throw rejection('all of its rates are 0')
  return { name: word, shares: shares.map(share => share / peak) }
}
