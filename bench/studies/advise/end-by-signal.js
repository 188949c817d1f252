/** Ends an app by SIGTERM while a request is in flight, as platforms do before they replace an instance. */
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { converse } from '../../machine/process.js'
import { isAlive } from '../../machine/process-facts.js'

/** @import { RunningFacts } from '../../types.js' */

const CLIENT = fileURLToPath(new URL('../../load/generators/held-request.js', import.meta.url))
/** Limit for the end after SIGTERM: the time that Docker waits by default before SIGKILL (docker stop). */
const END_SECONDS = 10
/** Time after the signal in which an app that drops requests has ended, in milliseconds. */
const DROPPED_MS = 500
/** Limit for a line of the client, which has a limit of its own. */
const LINE_MS = 8000
const POLL_MS = 50

/**
 * @param {number[]} pids of the app's processes
 * @param {{ url: string, enter: string[] | null, path: string, dir: string }} app path: of the request; dir: folder for
 *   the output of the client
 * @returns {Promise<Pick<RunningFacts, 'drains' | 'endSeconds'>>}
 */
export async function endBySignal (pids, { url, enter, path, dir }) {
  if (pids.length === 0) return { drains: null, endSeconds: null }
  const { hostname, port } = new URL(url)
  const client = converse({
    name: 'a request in flight',
    argv: [process.execPath, CLIENT],
    log: join(dir, 'held.log'),
    enter: enter ?? []
  })
  const lines = createInterface({ input: client.stdout })
  // The client may have ended.
  client.stdin.on('error', () => {})
  try {
    client.stdin.write(`${JSON.stringify({ host: hostname, port: Number(port), path })}\n`)
    const opened = await nextLine(lines)
    const startedAt = performance.now()
    for (const pid of pids) sendSignal(pid)
    const responded = nextLine(lines)
    await sleep(DROPPED_MS)
    client.stdin.write('\n')
    const drains = opened === 'open' ? await responded === 'response' : null
    return { drains, endSeconds: await waitForEnd(pids, startedAt) }
  } finally {
    lines.close()
    await client.ends(0)
  }
}

/**
 * @param {import('node:readline').Interface} lines
 * @returns {Promise<string>} empty: none within the limit
 */
async function nextLine (lines) {
  const late = AbortSignal.timeout(LINE_MS)
  return once(lines, 'line', { signal: late }).then(([line]) => String(line), () => '')
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
