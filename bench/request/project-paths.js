/** Paths and the name of a project in the form that the files of a kit need. */
import { existsSync, lstatSync, statSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { badOption, getErrorCode, HopbenchError } from '../errors.js'
import { callerCwd } from '../machine/caller-cwd.js'
import { describeFileError } from '../machine/files/file-failures.js'
import { readPlainFile } from '../machine/files/plain-files.js'
import { attempt } from '../shared/attempt.js'
import { isWithin } from '../shared/paths.js'

/** @import { FilePrefix } from '../types.js' */

/**
 * Returns a path relative to the project. Rejects characters that need quotes in a shell, YAML or a Dockerfile.
 *
 * @param {string} project
 * @param {string} path
 * @param {string} option
 */
export function toProjectPath (project, path, option) {
  const found = relative(project, path).split('\\').join('/')
  const why = found.startsWith('..')
    ? `it is outside ${project}, and the kit holds no more than what is in there`
    : /^[\w./-]*$/.test(found) ? null : 'only letters, digits, ".", "_", "-" and "/" may be in its path'
  if (why === null) return found
  throw badOption(option, path, why, 'Start the command in the folder of the project.')
}

/**
 * Returns the folder that a proxy without an app serves.
 *
 * @param {string} project
 * @param {string} [root]
 * @param {string} [kit] folder of the kit
 * @throws {HopbenchError} root-missing, bad-option
 */
export function findRoot (project, root = './public', kit) {
  const dir = resolve(callerCwd(), root)
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new HopbenchError('root-missing', { dir, why: 'a kit of nginx/files contains the folder that it serves' })
  }
  const path = toProjectPath(project, dir, '--root')
  rejectCode(dir, ['--root', root], { path, project, kit })
  return path
}

/** Files that show that a folder holds the code of an app. */
const CODE_FILES = ['package.json', 'Dockerfile']

/**
 * Returns prefixes with the paths of their folders inside the project. Rejects a folder of code, which the proxy would
 * publish.
 *
 * @param {string} project
 * @param {FilePrefix[]} prefixes that the proxy serves
 * @param {{ module: string | null, kit: string }} code paths: the module of the app, and the folder of the kit
 * @returns {FilePrefix[]}
 * @throws {HopbenchError} bad-option
 */
export const toProjectPrefixes = (project, prefixes, { module, kit }) => prefixes.map(({ prefix, folder }) => {
  const path = toProjectPath(project, folder, '--files')
  rejectCode(folder, ['--files', prefix || '/'], { path, project, module, kit })
  return { prefix, folder: path }
})

/**
 * Rejects a folder that contains code of the app or the kit.
 *
 * @param {string} folder
 * @param {[name: string, value: string]} option
 * @param {{ path: string, project: string, module?: string | null, kit?: string }} code path: the folder inside the
 *   project
 * @throws {HopbenchError} bad-option
 */
function rejectCode (folder, option, { path, project, module = null, kit }) {
  const code = [
    ...module !== null && isWithin(folder, module) ? [`the module of the app, ${relative(project, module)}`] : [],
    ...CODE_FILES.filter(name => existsSync(join(folder, name))),
    ...kit !== undefined && isWithin(folder, kit) ? ['files of the kit'] : []
  ]
  if (path !== '' && code.length === 0) return
  const why = path === '' ? 'is the whole project, whose code' : `contains ${code[0]}, which`
  throw badOption(...option, `its folder ${why} nginx would publish`, 'Name the folder of the assets alone.')
}

/** Limits of a manifest, a lock file, or another text of a project. Lock files of large projects have megabytes. */
const PROJECT_FILE = { maxBytes: 2 ** 26, followsLinks: true }

/**
 * Reads a text of a project.
 *
 * @param {string} file
 * @throws {HopbenchError} bad-project-file
 */
export const readProjectFile = file => attempt(() => readPlainFile(file, PROJECT_FILE).toString(), error => {
  throw new HopbenchError('bad-project-file', { file, why: describeFileError(error) }, { cause: error })
})

/**
 * Reads package.json.
 *
 * @param {string} project
 * @returns {Record<string, any>} empty if there is none
 * @throws {HopbenchError} bad-project-file
 */
export function readManifest (project) {
  const file = join(project, 'package.json')
  const isThere = attempt(() => Boolean(lstatSync(file)), error => !['ENOENT', 'ENOTDIR'].includes(getErrorCode(error)))
  if (!isThere) return {}
  // Node and npm accept a byte order mark.
  const text = readProjectFile(file).replace(/^\uFEFF/, '')
  const manifest = attempt(() => JSON.parse(text), () => null)
  if (manifest !== null && typeof manifest === 'object' && !Array.isArray(manifest)) return manifest
  throw new HopbenchError('bad-project-file', { file, why: 'it is no JSON object' })
}

/**
 * Name of the app, from package.json or else from its folder.
 *
 * @param {string} project
 */
export function findName (project) {
  const { name: given } = readManifest(project)
  const name = typeof given === 'string' ? given : basename(project)
  return name.toLowerCase().replace(/^@[^/]*\//, '').replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'app'
}
