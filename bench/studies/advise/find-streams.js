/** Finds responses whose parts an app sends with pauses, as pages that are rendered in parts and server-sent events. */
import { fileURLToPath } from 'node:url'
import { run } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'

const CLIENT = fileURLToPath(new URL('../../load/generators/read-pauses.js', import.meta.url))
/** Longest pause within a response that is no stream. Garbage collection and a busy machine cause shorter ones. */
const PAUSE_MS = 50
/** Most paths, because a stream without an end takes two seconds. */
const MOST_PATHS = 5
const LIMIT_SECONDS = 15 // MOST_PATHS streams without an end, and the start of the client.

/** @typedef {{ path: string, headers: Record<string, string> }} GetRequest */

/**
 * @param {{ url: string, enter: string[] | null }} app
 * @param {GetRequest[]} requests
 * @returns {Promise<Set<string>>} paths whose responses had a pause each of two times
 */
export async function findStreams (app, requests) {
  const maybe = await findPaused(app, requests.slice(0, MOST_PATHS))
  const streams = await findPaused(app, maybe)
  return new Set(streams.map(({ path }) => path))
}

/**
 * Sends each request once.
 * @param {{ url: string, enter: string[] | null }} app
 * @param {GetRequest[]} requests
 * @returns {Promise<GetRequest[]>} those whose responses had a pause
 */
async function findPaused ({ url, enter }, requests) {
  if (requests.length === 0) return []
  const { stdout } = await run([...enter ?? [], process.execPath, CLIENT], {
    input: JSON.stringify({ url, requests }), timeoutSeconds: LIMIT_SECONDS
  })
  /** @type {number[]} */
  const pauses = attempt(() => JSON.parse(stdout), () => [])
  return requests.filter((_, i) => pauses[i] >= PAUSE_MS)
}
