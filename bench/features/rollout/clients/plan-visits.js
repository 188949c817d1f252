/** Plans the visits of simulated browsers as an open-loop timetable (pure). */
import { randomFrom } from '../../../shared/random.js'

/** @import { Site } from '../types.js' */

/**
 * A page view. late: its later requests, with the time after the page, and positions from 0 to 1 in the lists of late
 * files and of paths of the API.
 * @typedef {{ atMs: number, isNew: boolean, late: { afterMs: number, file: number, api: number }[] }} Visit
 */

/** Share of browsers without kept connections and kept files. */
const NEW_SHARE = 0.5
const MEAN_LATE_MS = 4000
/** Most time between a page and its last late requests, which 5 % of an exponential distribution exceed. */
export const MAX_LATE_MS = 12_000
/** Late requests of a visit: one or two. */
const MEAN_LATE = 1.5

/**
 * Yields visits without an end, with exponential times between them.
 * @param {{ rate: number, seed: number, site: Site }} order rate: requests per second
 * @returns {Generator<Visit, never>}
 */
export function * planVisits ({ rate, seed, site }) {
  const random = randomFrom(seed, 'visits')
  const meanMs = 1000 * countRequests(site) / rate
  let atMs = 0
  while (true) {
    atMs += -meanMs * Math.log(1 - random())
    const isNew = random() < NEW_SHARE
    const late = Array.from({ length: random() < MEAN_LATE - 1 ? 2 : 1 }, () =>
      ({ afterMs: toLateMs(random()), file: random(), api: random() }))
    yield { atMs, isNew, late }
  }
}

/**
 * Returns the mean number of requests of a visit. Browsers that return have the files with hashes.
 * @param {Site} site
 */
function countRequests ({ files, lateFiles, api }) {
  const changing = files.filter(({ isHashed }) => !isHashed).length
  const late = MEAN_LATE * (Number(lateFiles.length > 0) + Number(api.length > 0))
  return 1 + NEW_SHARE * files.length + (1 - NEW_SHARE) * changing + late
}

/** Returns a quantile of the exponential distribution below MAX_LATE_MS. @param {number} share */
const toLateMs = share => -MEAN_LATE_MS * Math.log(1 - share * (1 - Math.exp(-MAX_LATE_MS / MEAN_LATE_MS)))
