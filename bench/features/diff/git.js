/**
 * Reads refs from a git repository and checks out commits. Refs and the output of git are untrusted text: no shell
 * reads them, a ref that looks like an option is rejected, and only full hashes reach further commands.
 */
import { existsSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { HopbenchError, plain } from '../../errors.js'
import { run } from '../../machine/process.js'
import { listNames } from '../../machine/files/system-files.js'
import { attempt } from '../../shared/attempt.js'
import { readProjectFile } from '../../request/project-paths.js'
import { nearest } from '../../shared/nearest.js'

/** Time limit of a command, in seconds. Checking out a large repository takes minutes. */
const TIMEOUT_SECONDS = 600
/**
 * Variables by which a hook or an alias names its repository to git (git rev-parse --local-env-vars). They take
 * precedence over the folder of a command. Excludes those of settings, such as safe.directory, as git itself does where
 * it enters another repository.
 *
 * @type {NodeJS.ProcessEnv}
 */
const NO_REPOSITORY = Object.fromEntries([
  'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_COMMON_DIR', 'GIT_CONFIG', 'GIT_DIR', 'GIT_GRAFT_FILE',
  'GIT_IMPLICIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_INTERNAL_SUPER_PREFIX', 'GIT_NO_REPLACE_OBJECTS',
  'GIT_OBJECT_DIRECTORY', 'GIT_PREFIX', 'GIT_REPLACE_REF_BASE', 'GIT_SHALLOW_FILE', 'GIT_WORK_TREE'
].map(name => [name, undefined]))
/** Variables that keep git from asking for a password, from writing to the index, and from another repository. */
const ENV = { ...NO_REPOSITORY, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' }
const HASH = /^[0-9a-f]{40,64}$/
/** Most letters of a commit's subject that are printed. */
const MAX_SUBJECT = 50

/** A commit and its names. @typedef {{ hash: string, short: string, subject: string }} Commit */

/**
 * @param {string} folder in which git runs
 * @param {string[]} args
 */
const git = (folder, args) => run(['git', '-C', folder, ...args], { env: ENV, timeoutSeconds: TIMEOUT_SECONDS })

/**
 * Runs git and returns its output.
 *
 * @param {string} folder
 * @param {string[]} args
 * @param {string} purpose end of "git could not …"
 * @throws {HopbenchError} git-failed
 */
async function read (folder, args, purpose) {
  const { exit, stdout, stderr } = await git(folder, args)
  if (exit === 0) return stdout.replace(/\n$/, '')
  throw new HopbenchError('git-failed', { purpose, output: stderr })
}

/**
 * Returns the top folder of the repository that contains a folder.
 *
 * @param {string} folder
 * @returns {Promise<string>} absolute
 * @throws {HopbenchError} no-repository
 */
export async function findRepository (folder) {
  const { exit, stdout, stderr } = await git(folder, ['rev-parse', '--show-toplevel'])
  if (exit === 0) return stdout.trim()
  const [first, ...remedy] = plain(stderr).split('\n')
  const why = exit === null ? 'git is not installed' : first.replace(/^fatal: /, '')
  throw new HopbenchError('no-repository', { folder, why, output: remedy.join('\n').trim() })
}

/**
 * Returns the commit of a ref. A branch that exists only at origin is found without this prefix, because a build checks
 * out one commit and no local branches.
 *
 * @param {string} top folder of the repository
 * @param {string} ref as typed
 * @returns {Promise<string | null>} its hash; null: there is no such ref
 */
export async function findCommit (top, ref) {
  // eslint-disable-next-line no-control-regex
  if (ref === '' || ref.startsWith('-') || /[\u0000-\u0020\u007f]/.test(ref)) return null
  for (const name of [ref, `refs/remotes/origin/${ref}`]) {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
    const { exit, stdout } = await git(top, args)
    const hash = stdout.trim().split('\n').at(-1) ?? ''
    if (exit === 0 && HASH.test(hash)) return hash
  }
  return null
}

/**
 * Creates the error for a ref that does not exist.
 *
 * @param {string} top
 * @param {string} ref as typed
 */
export async function rejectUnknown (top, ref) {
  const { stdout } = await git(top, ['for-each-ref', '--format=%(refname:short)'])
  const names = stdout.split('\n').filter(Boolean)
  // A branch of origin is typed without this prefix.
  const known = [...names, ...names.map(name => name.replace(/^origin\//, ''))]
  return new HopbenchError('unknown-ref', {
    name: ref, folder: top, nearest: nearest(ref, new Set(known)), isShallow: await isShallow(top)
  })
}

/** @param {string} top */
const isShallow = async top => (await git(top, ['rev-parse', '--is-shallow-repository'])).stdout.trim() === 'true'

/**
 * Returns the last common commit of two commits.
 *
 * @param {string} top
 * @param {{ name: string, hash: string }[]} pair
 * @returns {Promise<string>} its hash
 * @throws {HopbenchError} no-merge-base
 */
export async function findMergeBase (top, pair) {
  const { exit, stdout } = await git(top, ['merge-base', ...pair.map(({ hash }) => hash)])
  const hash = stdout.trim()
  if (exit === 0 && HASH.test(hash)) return hash
  const [first, second] = pair.map(({ name }) => name)
  throw new HopbenchError('no-merge-base', { first, second, isShallow: await isShallow(top) })
}

/**
 * @param {string} top
 * @param {string} hash
 * @returns {Promise<Commit>}
 */
export async function describeCommit (top, hash) {
  const subject = await read(top, ['log', '-1', '--format=%s', hash], 'read a commit')
  const line = plain(subject).split('\n')[0]
  const shown = line.length > MAX_SUBJECT ? `${line.slice(0, MAX_SUBJECT - 1)}…` : line
  return { hash, short: hash.slice(0, 8), subject: shown }
}

/**
 * Counts the files below a folder that differ from the last commit, new files included.
 *
 * @param {string} top
 * @param {string} [except] folder that is left out, relative to `top`
 */
export async function countChanges (top, except) {
  const paths = except ? ['--', ':/', `:(top,exclude,literal)${except}`] : []
  const args = ['status', '--porcelain=v1', '-z', '--untracked-files=normal', ...paths]
  const entries = (await read(top, args, 'list the changes')).split('\0')
  // The old name of a renamed file follows as an entry of its own.
  return entries.filter(entry => /^[ MTADRCU?!]{2} /.test(entry)).length
}

/**
 * A checkout. dir: with links resolved, as git notes it; worktrees: folder of git's notes
 *
 * @typedef {{ dir: string, worktrees: string }} Worktree
 */

/** Checkouts that are removed when this process exits. @type {Set<Worktree>} */
const checkouts = new Set()
process.on('exit', () => { for (const checkout of checkouts) removeCheckout(checkout) })

/** Content of the lock of a checkout that `git worktree add` is making. */
const INITIALIZING = 'initializing'

/**
 * Lists git's notes of checkouts. Excludes those that a person has locked.
 *
 * @param {string} worktrees folder of the notes
 * @returns {{ note: string, dir: string }[]} dir: of the checkout, as git has resolved it
 */
const listWorktreeNotes = worktrees => listNames(worktrees).flatMap(name => {
  const note = join(worktrees, name)
  const readNote = (/** @type {string} */ file) =>
    attempt(() => readProjectFile(join(note, file)).trim(), () => null)
  const path = readNote('gitdir')
  const lock = readNote('locked')
  // Newer versions of git can write relative paths.
  return path && (lock === null || lock === INITIALIZING) ? [{ note, dir: dirname(resolve(note, path)) }] : []
})

/** Resolves links in a path that exists. @param {string} path */
const toReal = path => attempt(() => realpathSync(path), () => path)

/**
 * Removes a checkout as `git worktree remove --force` does. Runs no program, so that it also works while this process
 * exits.
 *
 * @param {Worktree} checkout
 */
function removeCheckout ({ dir, worktrees }) {
  const notes = listWorktreeNotes(worktrees).filter(found => found.dir === dir).map(({ note }) => note)
  for (const folder of [dir, ...notes]) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
}

/**
 * Removes git's notes of checkouts that an earlier hopbench left behind because it was killed.
 *
 * @param {string} worktrees folder of the notes
 */
function removeLeftNotes (worktrees) {
  const temp = toReal(tmpdir())
  for (const { note, dir } of listWorktreeNotes(worktrees)) {
    const root = dirname(dir)
    const isOwn = dirname(root) === temp && basename(root).startsWith('hopbench-') &&
      ['base', 'head'].includes(basename(dir))
    if (isOwn && !existsSync(root)) rmSync(note, { recursive: true, force: true })
  }
}

/**
 * Checks out a commit into a new folder, as a worktree without a branch.
 *
 * @param {string} top folder of the repository
 * @param {string} hash
 * @param {string} dir does not exist
 * @returns {Promise<() => void>} removes the checkout
 * @throws {HopbenchError} git-failed
 */
export async function checkOut (top, hash, dir) {
  const common = await read(top, ['rev-parse', '--path-format=absolute', '--git-common-dir'], 'find the repository')
  const worktrees = join(common, 'worktrees')
  removeLeftNotes(worktrees)
  const checkout = { dir: join(toReal(dirname(dir)), basename(dir)), worktrees }
  // A signal can end this process while git checks out.
  checkouts.add(checkout)
  // A hook of the repository is part of the work in the user's own tree.
  const add = ['-c', 'core.hooksPath=/dev/null', 'worktree', 'add', '--quiet', '--detach', dir, hash]
  await read(top, add, `check out ${hash.slice(0, 8)}`)
  return () => {
    checkouts.delete(checkout)
    removeCheckout(checkout)
  }
}
