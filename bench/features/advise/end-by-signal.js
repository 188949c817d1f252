/** Ends an app by SIGTERM while a request is in flight, as platforms do before they replace an instance. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../../machine/process-facts.js'
import { holdRequest } from './hold-request.js'

/** @import { RunningFacts } from '../../types.js' */

/** Limit for the end after SIGTERM: the time that Docker waits by default before SIGKILL (docker stop). */
const END_SECONDS = 10
/** Time after the signal in which an app that drops requests has ended, in milliseconds. */
const DROPPED_MS = 500
const POLL_MS = 50

/**
 * @param {number[]} pids of the app's processes
 * @param {Parameters<typeof holdRequest>[0]} app path: of the request; dir: folder for the output of the client
 * @returns {Promise<Pick<RunningFacts, 'drains' | 'endSeconds'>>}
 */
export async function endBySignal (pids, app) {
  if (pids.length === 0) return { drains: null, endSeconds: null }
  const request = await holdRequest(app)
  try {
    const startedAt = performance.now()
    for (const pid of pids) sendSignal(pid)
    await sleep(DROPPED_MS)
    const drains = request.isOpen ? await request.complete() : null
    return { drains, endSeconds: await waitForEnd(pids, startedAt) }
  } finally {
    await request.close()
  }
}

/** @param {number} pid */
function sendSignal (pid) {
  try {
    process.kill(pid, 'SIGTERM')
  } catch {
    // The process has ended.
  }
}

/**
 * @param {number[]} pids
 * @param {number} startedAt
 * @returns {Promise<number | null>} seconds; null: they were still running at the limit
 */
async function waitForEnd (pids, startedAt) {
  while (performance.now() - startedAt < END_SECONDS * 1000) {
    if (!pids.some(isAlive)) return (performance.now() - startedAt) / 1000
    await sleep(POLL_MS)
  }
  return null
}
