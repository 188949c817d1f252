/** Finds what `hopbench diff` compares: commits, folders, or the working tree. */
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { badOption, plain } from '../../errors.js'
import { callerCwd } from '../../machine/caller-cwd.js'
import { isFolder } from '../../machine/files/system-files.js'
import { plural } from '../../shared/format.js'
import { countChanges, describeCommit, findCommit, findMergeBase, findRepository, rejectUnknown } from './git.js'

/** @import { HopbenchError } from '../../errors.js' */

/**
 * State of an app, either base or head.
 *
 * @typedef {object} Target
 * @property {string} label how it is called in sentences: main at 1a2b3c4d "Faster routes"
 * @property {string | null} ref as typed; null: a folder, or the working tree
 * @property {string | null} commit hash; null: a folder that is in no repository
 * @property {number} changes number of uncommitted files
 * @property {string | null} top folder that holds the whole project; null: the commit is not checked out yet
 * @property {string} inside folder of the app, relative to `top`; empty: the same
 */
/** @typedef {{ base: string, head: string | null, isByMergeBase: boolean }} Words head: null: the working tree */

/** Name of a working tree on the command line: its last commit with the changes since. */
const WORKING_TREE = 'HEAD'

/**
 * Splits the typed words into base and head. A folder takes precedence over a range of commits.
 *
 * @param {string[]} words
 * @param {string} [command] that they follow
 * @returns {Words}
 * @throws {HopbenchError} bad-option
 */
export function readWords (words, command = 'diff') {
  const name = `hopbench ${command}`
  const usage = `as in ${name} main, ${name} main...HEAD, or ${name} ./before ./after`
  if (words.length === 0) throw badOption(name, undefined, `it takes a git ref or a folder, ${usage}`)
  if (words.length > 2) throw badOption('A further word', words[2], 'two states are compared', `Type two, ${usage}`)
  // An unset variable of a script would compare the working tree with itself, which always passes.
  if (words.includes('')) throw badOption('A git ref', '', 'the word is empty', `Name a ref or a folder, ${usage}`)
  const [first, second] = words
  const isRange = second === undefined && !first.startsWith('.') && !isFolder(resolve(callerCwd(), first))
  const range = isRange ? /^(.+?)(\.{2,3})(.*)$/s.exec(first) : null
  if (!range) return { base: first, head: toHead(second), isByMergeBase: false }
  return { base: range[1], head: toHead(range[3]), isByMergeBase: range[2] === '...' }
}

/** @param {string} [word] */
const toHead = word => word === undefined || word === '' || word === WORKING_TREE ? null : word

/**
 * @param {string[]} words
 * @param {{ cwd?: string, results?: string }} options cwd: folder of the app in a repository of several; results:
 *   folder of runs, which is no change of the app
 * @returns {Promise<{ base: Target, head: Target, repository: string | null }>} repository: top folder; null: none
 * @throws {HopbenchError} bad-option, unknown-ref, no-repository, no-merge-base
 */
export async function findTargets (words, { cwd = '.', results = 'results' }) {
  const { base, head, isByMergeBase } = readWords(words)
  const here = callerCwd()
  if (isAbsolute(cwd)) throw badOption('--cwd', cwd, 'it is relative to the project', 'As in --cwd packages/api.')
  const isFolderPair = isFolderWord(base) && (head === null || isFolderWord(head))
  const repository = await findRepository(here).catch(error => {
    if (isFolderPair) return null
    throw error
  })
  const inside = repository === null ? cwd : relative(repository, resolve(here, cwd))
  if (isOutside(inside)) throw badOption('--cwd', cwd, `it is outside of ${repository}`)
  const context = { repository, inside, cwd, results: relative(repository ?? here, resolve(here, results)) }
  const headTarget = head === null ? await toWorkingTree(here, context) : await toTarget(head, context)
  const baseTarget = await toTarget(base, context)
  return {
    base: isByMergeBase ? await toMergeBase([baseTarget, headTarget], context) : baseTarget,
    head: headTarget,
    repository
  }
}

/** Whether a word is written as a path, and names a folder. @param {string} word */
const isFolderWord = word => (isAbsolute(word) || /^\.{1,2}(\/|$)/.test(word)) && isFolder(resolve(callerCwd(), word))

/** Whether a relative path leads out of its folder. @param {string} path */
const isOutside = path => path === '..' || path.startsWith(`..${sep}`)

/** @typedef {{ repository: string | null, inside: string, cwd: string, results: string }} Context */

/**
 * @param {string} word a folder or a ref
 * @param {Context} context
 * @returns {Promise<Target>}
 */
async function toTarget (word, { repository, inside, cwd }) {
  const shown = plain(word).replaceAll('\n', ' ')
  const folder = { label: shown, ref: null, commit: null, changes: 0, top: resolve(callerCwd(), word), inside: cwd }
  if (isFolderWord(word)) return folder
  const top = /** @type {string} */ (repository)
  const hash = await findCommit(top, word)
  if (hash === null) {
    // A ref takes precedence over a folder of the same name.
    if (isFolder(folder.top)) return folder
    throw await rejectUnknown(top, word)
  }
  const { short, subject } = await describeCommit(top, hash)
  return { label: `${shown} at ${short} "${subject}"`, ref: word, commit: hash, changes: 0, top: null, inside }
}

/**
 * @param {string} here
 * @param {Context} context
 * @returns {Promise<Target>}
 */
async function toWorkingTree (here, { repository, inside, cwd, results }) {
  if (repository === null) return { label: 'this folder', ref: null, commit: null, changes: 0, top: here, inside: cwd }
  const commit = await findCommit(repository, WORKING_TREE)
  const changes = await countChanges(repository, isOutside(results) ? undefined : results)
  const state = changes > 0 ? `with ${plural(changes, 'uncommitted file')}` : 'without changes'
  const at = commit === null ? '' : ` at ${commit.slice(0, 8)}`
  return { label: `your working tree${at}, ${state}`, ref: null, commit, changes, top: repository, inside }
}

/**
 * @param {Target[]} pair base and head
 * @param {Context} context
 * @returns {Promise<Target>}
 */
async function toMergeBase (pair, { repository }) {
  const named = pair.map(({ label, ref, commit }) => {
    const unnamed = commit === null ? label : WORKING_TREE
    return { name: ref ?? unnamed, hash: commit }
  })
  const folder = named.find(({ hash }) => hash === null)
  if (folder || repository === null) {
    throw badOption('A merge base', folder?.name, 'only commits have one', 'Type two words with a space between them.')
  }
  const commits = named.map(({ name, hash }) => ({ name, hash: String(hash) }))
  const hash = await findMergeBase(repository, commits)
  const { short, subject } = await describeCommit(repository, hash)
  const [base] = pair
  return { ...base, label: `${short} "${subject}", where ${base.ref} and head parted`, commit: hash }
}

/** Returns the folder of a target's app. @param {Pick<Target, 'inside'> & { top: string }} target */
export const getAppFolder = ({ top, inside }) => join(top, inside)
