/** Finds programs and writable folders. Imports only node: modules, because it is used before npm ci. */
import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { getErrorCode } from '../../errors.js'
import { attempt } from '../../shared/attempt.js'

/** Folders of nginx and apache2 on Debian, which are not on the PATH of an ordinary account. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** Finds a program on PATH and in the system's folders. */
export function onPath (/** @type {string} */ program, /** @type {NodeJS.ProcessEnv} */ env) {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(isAbsolute), ...SYSTEM_FOLDERS]
  return folders.map(folder => join(folder, program)).find(isProgram) ?? null
}

/** @returns {string | null} null: HOME is not set and the account has no entry, as in many containers */
export const homeFolder = (/** @type {NodeJS.ProcessEnv} */ env) =>
  env.HOME ? env.HOME : attempt(() => homedir(), () => null)

/**
 * @param {string} file
 * @returns {boolean} whether it is an executable file
 */
export const isProgram = file => attempt(() => {
  accessSync(file, constants.X_OK)
  return statSync(file).isFile()
}, () => false)

/** Where a package puts its programs. */
export const PROGRAM_FOLDERS = ['usr/sbin', 'usr/bin', 'sbin', 'bin']

/**
 * Finds a program in unpacked packages.
 * @param {{ program: string, inside?: string }} spec inside: its path, if not in a usual folder
 * @param {string} root
 * @returns {string | undefined} relative to `root`
 */
export function findInside ({ program, inside }, root) {
  const paths = inside ? [inside] : PROGRAM_FOLDERS.map(folder => join(folder, program))
  return paths.find(path => isProgram(join(root, path)))
}

/**
 * Returns whether a folder can be written, or created if it does not exist.
 * @param {string} folder
 * @returns {boolean}
 */
export function isWritable (folder) {
  try {
    // The dot makes it an error if the path is a file.
    accessSync(`${folder}/.`, constants.W_OK)
    return true
  } catch (error) {
    const absent = getErrorCode(error) === 'ENOENT'
    return absent && dirname(folder) !== folder && isWritable(dirname(folder))
  }
}
