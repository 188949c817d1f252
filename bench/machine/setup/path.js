/** Where programs are, and which folders can be written. node: imports only: used before npm ci. */
import { accessSync, constants, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { getErrorCode } from '../../errors.js'

/** Where Debian keeps nginx and apache2; not on the PATH of an ordinary account. */
const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/sbin', '/sbin']

/** Finds a program as a shell would, and in the system's folders as well. */
export function onPath (/** @type {string} */ program, /** @type {NodeJS.ProcessEnv} */ env) {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(isAbsolute), ...SYSTEM_FOLDERS]
  return folders.map(folder => join(folder, program)).find(isProgram) ?? null
}

/** @returns {string | null} null: HOME is not set, and the account is in no list, as in many containers */
export function homeFolder (/** @type {NodeJS.ProcessEnv} */ env) {
  if (env.HOME) return env.HOME
  try {
    return homedir()
  } catch {
    return null
  }
}

/**
 * @param {string} file
 * @returns {boolean} whether it is a file that may be executed
 */
export function isProgram (file) {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/**
 * Whether a folder can be written, or made where it does not exist.
 * @param {string} folder
 * @returns {boolean}
 */
export function isWritable (folder) {
  try {
    // The dot makes it an error where the path is a file.
    accessSync(`${folder}/.`, constants.W_OK)
    return true
  } catch (error) {
    const absent = getErrorCode(error) === 'ENOENT'
    return absent && dirname(folder) !== folder && isWritable(dirname(folder))
  }
}
