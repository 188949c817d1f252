/** Finds responses whose parts an app sends with pauses, as pages that are rendered in parts and server-sent events. */
import { fileURLToPath } from 'node:url'
import { run } from '../../machine/process.js'
import { attempt } from '../../shared/attempt.js'

const CLIENT = fileURLToPath(new URL('../../load/generators/read-pauses.js', import.meta.url))
/** Longest pause within a response that is no stream. Garbage collection and a busy machine cause shorter ones. */
const PAUSE_MS = 50
/** Most paths, because a stream without an end takes two seconds. */
const MOST_PATHS = 5
const LIMIT_SECONDS = 15

/**
 * @param {{ url: string, enter: string[] | null }} app
 * @param {{ paths: string[], headers: Record<string, string> }} requests
 * @returns {Promise<Set<string>>} paths whose responses had a pause each of two times
 */
export async function findStreams (app, { paths, headers }) {
  const maybe = await findPaused(app, { paths: paths.slice(0, MOST_PATHS), headers })
  return new Set(await findPaused(app, { paths: maybe, headers }))
}

/**
 * Requests each path once.
 * @param {{ url: string, enter: string[] | null }} app
 * @param {{ paths: string[], headers: Record<string, string> }} requests
 * @returns {Promise<string[]>} paths whose responses had a pause
 */
async function findPaused ({ url, enter }, { paths, headers }) {
  if (paths.length === 0) return []
  const { stdout } = await run([...enter ?? [], process.execPath, CLIENT], {
    input: JSON.stringify({ url, paths, headers }), timeoutSeconds: LIMIT_SECONDS
  })
  /** @type {number[]} */
  const pauses = attempt(() => JSON.parse(stdout), () => [])
  return paths.filter((_, i) => pauses[i] >= PAUSE_MS)
}
