/** Compares the packages in a folder node_modules with a lock file, by the record that their manager keeps there. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../shared/attempt.js'

/** A package in a lock file of npm. @typedef {Record<string, unknown> & { optional?: boolean }} LockedPackage */

/** Properties of a package in a lock file of npm that name its content. */
const CONTENT = ['version', 'resolved', 'integrity', 'link']

/**
 * Whether the packages of a lock file are installed. A lock file that was checked out after the last installation, and
 * packages that were installed by hand, make both differ.
 *
 * @param {string} modules folder node_modules
 * @param {string} lock text of the lock file
 * @param {string} manager of the lock file
 * @returns {boolean} false: also if the manager keeps no record
 */
export function isInstalled (modules, lock, manager) {
  const read = (/** @type {string} */ file) => attempt(() => readFileSync(join(modules, file), 'utf8'), () => null)
  if (manager === 'pnpm') return read('.pnpm/lock.yaml') === lock
  const installed = manager === 'npm' ? parsePackages(read('.package-lock.json')) : null
  const locked = parsePackages(lock)
  return installed !== null && locked !== null && isSameTree(installed, locked)
}

/**
 * Reads the packages of a lock file of npm 7 or newer, without the project itself and the folders of its workspaces.
 *
 * @param {string | null} text
 * @returns {Map<string, LockedPackage> | null} null: there are none, or the format is older
 */
function parsePackages (text) {
  const packages = attempt(() => JSON.parse(String(text))?.packages, () => null)
  if (packages === null || typeof packages !== 'object') return null
  return new Map(Object.entries(packages).filter(([path]) => path.startsWith('node_modules/')))
}

/**
 * @param {Map<string, LockedPackage>} installed
 * @param {Map<string, LockedPackage>} locked
 */
function isSameTree (installed, locked) {
  const isLocked = [...installed].every(([path, found]) => {
    const wanted = locked.get(path)
    return wanted !== undefined && CONTENT.every(name => found[name] === wanted[name])
  })
  // Optional packages of other platforms are not installed.
  return isLocked && [...locked].every(([path, { optional, devOptional }]) =>
    installed.has(path) || optional === true || devOptional === true)
}
