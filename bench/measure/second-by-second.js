/** Counts a window second by second, on the served side. */
import { setTimeout as sleep } from 'node:timers/promises'
import { timeWaits } from './net.js'
import { isErrorStatus } from '../shared/trial.js'

/** @import { FrontCounts, Running, SeriesPoint } from '../types.js' */

/**
 * @param {Running} running
 * @param {number} seconds
 * @param {FrontCounts | null} from counts at the start of the window; null: not read
 */
export async function secondBySecond (running, seconds, from) {
  /** @type {SeriesPoint[]} */
  const points = []
  let last = from
  const startedAt = performance.now()
  const startedAtSeconds = Date.now() / 1000
  /** @type {ReturnType<Running['noted']>} */
  let noted = []
  for (let second = 1; second <= seconds; second++) {
    await sleep(Math.max(0, startedAt + second * 1000 - performance.now()))
    const front = await running.front().catch(() => null)
    // A late reading must not include the end of the window, when the clients leave and nginx logs status 499.
    noted = [...noted, ...running.noted()]
    const isLater = (/** @type {{ atSeconds: number }} */ { atSeconds }) => atSeconds > startedAtSeconds + second
    const logged = noted.filter(line => isErrorStatus(line.status) && !isLater(line)).length
    noted = noted.filter(isLater)
    if (front && last) {
      const errors = logged + (front.non2xx ?? 0) - (last.non2xx ?? 0)
      const good = Math.max(0, front.requests - last.requests - errors)
      points.push({
        second,
        rate: good / (front.atSeconds - last.atSeconds),
        errors,
        timeWait: timeWaits(running.pids())
      })
    }
    last = front ?? last
  }
  return points
}
