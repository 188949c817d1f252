/** The newest releases of the compared packages, and the checks of each server with its pinned and its newest ones. */
import { join } from 'node:path'
import { readJson } from '../../machine/files/system-files.js'
import { REFERENCE_DIR } from '../../store/store.js'

/** Written by `npm run compared -- --renew` (test/compared-renew.js). */
export const COMPARED_FILE = join(REFERENCE_DIR, 'compared.json')

/**
 * @typedef {object} Release
 * @property {string} newest version
 * @property {string} released day of the version
 * @property {string} major day of the first release with the same major version
 * @property {string} read day on which the registry was read
 */
/**
 * @typedef {object} ComparedCheck
 * @property {Record<string, string>} versions by package
 * @property {string} day
 * @property {string} node version of Node
 * @property {number} probes
 * @property {string[]} failed names of probes, those of safety first
 */
/** @typedef {{ pinned: ComparedCheck, newest: ComparedCheck | null }} ComparedServer newest: null: as pinned */
/**
 * @typedef {object} Compared
 * @property {Record<string, Release>} packages
 * @property {Record<string, ComparedServer>} servers by form
 */

/** Reads the stored list. @returns {Compared | null} null: nothing is stored */
export const readCompared = () => readJson(COMPARED_FILE)

/**
 * Returns the probes whose outcome differs with the newest packages.
 * @param {ComparedServer} server
 */
export const findChanges = ({ pinned, newest }) => {
  const [before, after] = [pinned.failed, newest?.failed ?? pinned.failed]
  return {
    mended: before.filter(name => !after.includes(name)),
    broken: after.filter(name => !before.includes(name))
  }
}
