/**
 * Finds the files that the image of a kit gets, as an allow-list. The files are those that git tracks and the output of
 * builds, without all that holds a secret or that the project's own .dockerignore leaves out.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { cannotDeploy, plain } from '../../../errors.js'
import { readChunks, withPlainFile } from '../../../machine/files/plain-files.js'
import { run } from '../../../machine/process.js'
import { BUILD_OUTPUT } from '../../../request/frameworks.js'
import { readProjectFile } from '../../../request/project-paths.js'
import { attempt } from '../../../shared/attempt.js'
import { toRecord } from '../../../shared/group-by.js'
import { inAnyCase, isIgnored, readIgnoreFile, toException, toLine } from '../../../shared/ignore-patterns.js'
import { isWithin, listParents } from '../../../shared/paths.js'
import {
  SECRET_NAMES, SUSPECT_NAMES, hasSecretText, isSecretName, isSuspectName
} from '../../../shared/secret-files.js'

/** @import { Dirent } from 'node:fs' */
/** @import { IgnoreRule } from '../../../shared/ignore-patterns.js' */
/** @import { ImageContext } from './types.js' */

const IGNORE_FILE = '.dockerignore'
/** File that shows that a folder holds an earlier kit, whose files the image gets anew. */
const KIT_IGNORE_FILE = 'Dockerfile.dockerignore'
/** Folders that no image needs, at any depth. */
const UNNEEDED = ['.git', 'node_modules', '__pycache__']
/** Bytes of a file that are searched for secrets, far above the size of keys and settings. */
const MAX_BYTES = 2 ** 20
/** Time limit of git, in seconds. It reads the index only. */
const GIT_SECONDS = 60
/** Paths that are printed. The rest is counted. */
const MAX_PRINTED = 20
/** Variables of a hook that would name another repository. */
const GIT_ENV = { GIT_DIR: undefined, GIT_WORK_TREE: undefined, GIT_INDEX_FILE: undefined, GIT_OPTIONAL_LOCKS: '0' }

/**
 * @typedef {object} ContextRequest
 * @property {string} project folder
 * @property {string[] | null} scope folders of which the image consists, relative to the project; null: all
 * @property {string[]} folders whose files the proxy serves, also if git does not track them
 * @property {string[]} needed files that the image needs, also if git does not track them
 * @property {string[]} environments virtual environments of Python, which are made in the image
 * @property {string[]} own files of the kit that the image contains
 * @property {{ spec: string, target: string }} kit for errors
 */

/**
 * Rules by which files are part of a context. tracked: files that git tracks; null: git tracks none; closing: rules at
 * the end of the ignore file; ignored: rules of the project's own ignore file.
 * @typedef {Pick<ContextRequest, 'project' | 'scope' | 'folders' | 'own'> & { tracked: Set<string> | null,
 *   entered: Set<string>, closing: IgnoreRule[], ignored: IgnoreRule[], hasExceptions: boolean }} Rules
 */

/**
 * @typedef {object} Found
 * @property {string[]} allowed lines
 * @property {string[]} exceptions lines of files that the closing rules would leave out
 * @property {boolean} isWhole whether a folder contains nothing that only the allow-list leaves out
 * @property {string[]} secrets paths that are left out
 * @property {string[]} odd paths that are left out
 * @property {string[]} untracked paths that are left out
 */

/** Lists of a part of the project. */
const LISTS = /** @type {const} */ (['allowed', 'exceptions', 'secrets', 'odd', 'untracked'])
/** @type {Found} */
const NOTHING = { allowed: [], exceptions: [], isWhole: true, secrets: [], odd: [], untracked: [] }
/** Something that only the allow-list leaves out. @type {Found} */
const OUT = { ...NOTHING, isWhole: false }

/** Rules that leave out only the folders that no image needs. @type {Omit<Rules, 'project'>} */
const ALL_FILES = {
  scope: null,
  folders: [],
  own: [],
  tracked: null,
  entered: new Set(),
  closing: readIgnoreFile(UNNEEDED.map(name => `**/${name}`).join('\n')),
  ignored: [],
  hasExceptions: false
}

/**
 * Finds the files of an image.
 * @param {ContextRequest} request
 * @returns {Promise<ImageContext>}
 * @throws {HopbenchError} cannot-deploy
 */
export async function findContext (request) {
  const { project, environments, own, folders, needed, scope } = request
  const ignored = readIgnoreFile(readIfThere(join(project, IGNORE_FILE)))
  const hasExceptions = ignored.some(({ isException }) => isException)
  const excluded = [
    ...UNNEEDED.map(name => `**/${name}`), ...environments,
    ...[...SECRET_NAMES, ...SUSPECT_NAMES].map(name => `**/${inAnyCase(name)}`),
    ...hasExceptions ? [] : ignored.map(({ pattern }) => toLine(pattern))
  ]
  const tracked = await listTracked(request)
  const found = findInFolder('', {
    ...request,
    tracked,
    entered: new Set([...tracked ?? [], ...folders, ...needed, ...scope ?? []].flatMap(listParents)),
    closing: readIgnoreFile(excluded.join('\n')),
    ignored,
    hasExceptions
  })
  return { ...found, excluded, exceptions: [...found.exceptions, ...own.flatMap(file => toException(file) ?? [])] }
}

/**
 * @param {string} file
 * @returns {string} empty: the project has no such file
 */
const readIfThere = file => statSync(file, { throwIfNoEntry: false })?.isFile() ? readProjectFile(file) : ''

/**
 * Lists the files of a project that git tracks.
 * @param {ContextRequest} request
 * @returns {Promise<Set<string> | null>} null: there is no git, or it tracks no file there
 */
async function listTracked ({ project, kit }) {
  // A monitor of the file system is a program that the project names.
  const argv = ['git', '-c', 'core.fsmonitor=false', '-C', project, 'ls-files', '-z', '--cached',
    '--recurse-submodules']
  const { exit, stdout, stderr } = await run(argv, { env: GIT_ENV, timeoutSeconds: GIT_SECONDS })
  if (exit !== 0 && exit !== null && existsSync(join(project, '.git'))) {
    throw cannotDeploy(kit, `git cannot list the files that the image gets: ${plain(stderr).trim().split('\n')[0]}`,
      'Run git ls-files in the folder of the project, and correct what it reports.')
  }
  const paths = exit === 0 ? stdout.split('\0').filter(path => path !== '') : []
  return paths.length > 0 ? new Set(paths) : null
}

/**
 * @param {string} folder relative to the project
 * @param {Rules} rules
 * @returns {Found}
 */
function findInFolder (folder, rules) {
  const entries = attempt(() => readdirSync(join(rules.project, folder), { withFileTypes: true }), () => [])
  const parts = entries.sort((a, b) => a.name < b.name ? -1 : 1)
    .map(entry => findEntry(posix.join(folder, entry.name), entry, rules))
  const found = {
    ...toRecord(LISTS, name => parts.flatMap(part => part[name])), isWhole: parts.every(({ isWhole }) => isWhole)
  }
  // A line for a folder keeps new files of it in the image. Exceptions of the project could leave a new file out.
  const canFold = folder !== '' && found.isWhole && found.allowed.length > 0 && !rules.hasExceptions
  const line = String(toException(folder))
  if (canFold) return { ...found, allowed: [line] }
  const isEntered = line === `!${folder}` || found.allowed.length + found.exceptions.length === 0
  // Docker 20.10 does not enter a folder that is left out, unless an exception begins with its name as it is.
  return isEntered ? found : { ...found, allowed: [line, toLine(`${line.slice(1)}/*`), ...found.allowed] }
}

/**
 * @param {string} path relative to the project
 * @param {Dirent} entry
 * @param {Rules} rules
 * @returns {Found}
 */
function findEntry (path, entry, rules) {
  const { project, scope, own, closing, ignored, hasExceptions } = rules
  const isCovered = isIgnored(closing, path)
  const inScope = scope === null || scope.some(folder => isWithin(folder, path) || isWithin(path, folder))
  if (!inScope) return OUT
  if (isSecretName(path)) return { ...NOTHING, isWhole: isCovered, secrets: [path] }
  // A suspect name is covered, too, and its text decides.
  if (isCovered && !isSuspectName(path)) return NOTHING
  if (toException(path) === null) return { ...OUT, odd: [path] }
  if (entry.isDirectory()) {
    // Git would leave out the whole folder, too: results, or a virtual environment.
    const isIgnoring = readIfThere(join(project, path, '.gitignore')).trim() === '*'
    if (isIgnoring && !rules.entered.has(path) && !BUILD_OUTPUT.includes(entry.name)) return OUT
    const isKit = own.some(file => isWithin(path, file))
    const isEarlierKit = isKit && existsSync(join(project, path, KIT_IGNORE_FILE))
    if (!isEarlierKit && isUsed(path, rules)) return findInFolder(path, rules)
    return isKit ? OUT : { ...OUT, untracked: [`${path}/`] }
  }
  if (isIgnored(ignored, path)) return hasExceptions ? OUT : NOTHING
  if (!entry.isFile() && !entry.isSymbolicLink()) return OUT
  if (!isUsed(path, rules)) return { ...OUT, untracked: [path] }
  return entry.isFile() ? findFile(path, isCovered, rules) : { ...NOTHING, allowed: [String(toException(path))] }
}

/**
 * Returns whether a file may be part of the context, or whether a folder may contain such a file.
 * @param {string} path
 * @param {Rules} rules
 */
const isUsed = (path, { tracked, entered, folders }) => tracked === null || entered.has(path) ||
  folders.some(folder => isWithin(folder, path)) || path.split('/').some(name => BUILD_OUTPUT.includes(name))

/**
 * @param {string} path of a plain file
 * @param {boolean} isCovered whether the closing rules leave it out
 * @param {Rules} rules
 * @returns {Found}
 */
function findFile (path, isCovered, { project }) {
  const text = attempt(() => readStart(join(project, path)), () => null)
  if (text === null || hasSecretText(path, text)) return { ...NOTHING, isWhole: isCovered, secrets: [path] }
  const line = [String(toException(path))]
  return isCovered ? { ...NOTHING, exceptions: line } : { ...NOTHING, allowed: line }
}

/**
 * Reads the start of a file.
 * @param {string} file
 */
const readStart = file => withPlainFile(file, { maxBytes: Infinity }, fd =>
  Buffer.concat([...readChunks(fd, MAX_BYTES)]).toString('latin1'))

/**
 * Describes what the image of a kit does not get.
 * @param {Pick<ImageContext, 'secrets' | 'odd' | 'untracked'>} context
 * @returns {string[]} lines
 */
export function describeLeftOut ({ secrets, odd, untracked }) {
  /** @type {[string[], string][]} */
  const lists = [
    [secrets, 'as they can hold secrets'],
    [odd, 'as their names cannot be written into the ignore file'],
    [untracked, 'as git does not track them']
  ]
  return lists.filter(([paths]) => paths.length > 0)
    .map(([paths, why]) => `Not in the image, ${why}: ${toList(paths)}.`)
}

/**
 * Describes files that can hold secrets where a kit restricts nothing: in a copy of the project, and in the context of
 * its own Dockerfile.
 * @param {string} project folder
 * @param {string | null} dockerfile relative to the project; null: a copy
 * @returns {string[]} one line, or none
 */
export function describeExposed (project, dockerfile) {
  const files = dockerfile === null ? [] : [`${dockerfile}.dockerignore`, IGNORE_FILE].map(name => join(project, name))
  const ignored = readIgnoreFile(readIfThere(files.find(file => existsSync(file)) ?? ''))
  const paths = findInFolder('', { ...ALL_FILES, project }).secrets.filter(path => !isIgnored(ignored, path))
  if (paths.length === 0) return []
  return dockerfile === null
    ? [`Leave out of the copy, as they can hold secrets: ${toList(paths)}.`]
    : [`The build of ${dockerfile} gets files that can hold secrets, unless ${IGNORE_FILE} names them: ` +
      `${toList(paths)}.`]
}

/** Joins names of files, which can contain control characters. @param {string[]} paths */
function toList (paths) {
  const more = paths.length > MAX_PRINTED ? ` and ${paths.length - MAX_PRINTED} more` : ''
  return paths.slice(0, MAX_PRINTED).map(path => plain(path).replaceAll('\n', ' ')).join(', ') + more
}
