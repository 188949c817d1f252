/** The commit of a folder. */
import { run } from './process.js'

/** @import { Commit } from '../types.js' */

/**
 * Arguments of git that keep a configured monitor of the folder from being started, and git from refreshing its index,
 * which would write.
 */
const GIT = ['git', '--no-optional-locks', '-c', 'core.fsmonitor=false']
const TIMEOUT_SECONDS = 5 // Limit for git. A large checkout takes about a second.

/**
 * Reads the commit that is checked out in a folder.
 *
 * @param {string} cwd
 * @returns {Promise<Commit | null>} null: the folder is in no repository, or git is missing or failed
 */
export async function readCommit (cwd) {
  const read = (/** @type {string[]} */ args) => run([...GIT, ...args], { cwd, timeoutSeconds: TIMEOUT_SECONDS })
  const head = await read(['rev-parse', '--verify', 'HEAD'])
  const [hash] = /^[0-9a-f]{40,64}$/m.exec(head.stdout) ?? []
  if (head.exit !== 0 || hash === undefined) return null
  const status = await read(['status', '--porcelain', '--untracked-files=no'])
  return status.exit === 0 ? { hash, changed: status.stdout.trim() !== '' } : null
}
