/** The commit of a folder. */
import { run } from './process.js'

/** @import { Commit } from '../types.js' */

/**
 * Arguments of git that keep a configured monitor of the folder from being started, and git from refreshing its index,
 * which would write.
 */
const GIT = ['git', '--no-optional-locks', '-c', 'core.fsmonitor=false']
/**
 * Variables by which a hook or an alias names its repository to git (git rev-parse --local-env-vars). They take
 * precedence over the folder of a command. Excludes those of settings, such as safe.directory, as git itself does where
 * it enters another repository.
 *
 * @type {NodeJS.ProcessEnv}
 */
export const NO_REPOSITORY = Object.fromEntries([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_COMMON_DIR', 'GIT_CONFIG', 'GIT_DIR', 'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_INTERNAL_SUPER_PREFIX', 'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY', 'GIT_PREFIX', 'GIT_REPLACE_REF_BASE', 'GIT_SHALLOW_FILE', 'GIT_WORK_TREE'
].map(name => [name, undefined]))
const TIMEOUT_SECONDS = 5 // Limit for git. A large checkout takes about a second.

/**
 * Reads the commit that is checked out in a folder.
 *
 * @param {string} cwd
 * @returns {Promise<Commit | null>} null: the folder is in no repository, or git is missing or failed
 */
export async function readCommit (cwd) {
  const read = (/** @type {string[]} */ args) =>
    run([...GIT, ...args], { cwd, env: NO_REPOSITORY, timeoutSeconds: TIMEOUT_SECONDS })
  const head = await read(['rev-parse', '--verify', 'HEAD'])
  const [hash] = /^[0-9a-f]{40,64}$/m.exec(head.stdout) ?? []
  if (head.exit !== 0 || hash === undefined) return null
  const status = await read(['status', '--porcelain', '--untracked-files=no'])
  return status.exit === 0 ? { hash, changed: status.stdout.trim() !== '' } : null
}
