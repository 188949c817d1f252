/** Reads the configurations that a run was measured with from its folder. */
import { sep } from 'node:path'
import { HopbenchError } from '../errors.js'
import { listPlainFiles, readConfigFile } from './run-files.js'

/** Text between characters that end a path. A path can contain spaces, because the configurations quote it. */
const BETWEEN_ENDS = /[^"';{}()|\n]+/g
/** End of the path of the temporary folder of one topology in one run. */
const TEMP = /\/hopbench-\w+\/\d+/g
/** Most characters of all configurations of a run. A run with 65 arms has 300,000. */
const MAX_CHARACTERS = 2 ** 24

/**
 * Reads the configurations of all arms.
 * @param {string} dir the run's folder
 * @returns {Promise<Record<string, string>>} text by path ("uds/nginx.conf"), with <dir> in place of the temporary
 * folder; empty where the run kept no configuration
 * @throws {HopbenchError} bad-run-file
 */
export async function readConfigs (dir) {
  // Folders of topologies contain configurations and logs only.
  const files = listPlainFiles(dir).filter(file => file.includes(sep) && !/\.(log|err)$/.test(file)).sort()
  /** @type {[string, string][]} */
  const configs = []
  let characters = 0
  for (const file of files) {
    const text = await readConfigFile(dir, file) ?? ''
    characters += text.length
    if (characters > MAX_CHARACTERS) {
      throw new HopbenchError('bad-run-file', { file: dir, why: 'its configurations are larger than 16 MiB' })
    }
    configs.push([file, text.replace(BETWEEN_ENDS, replaceTempFolders)])
  }
  return Object.fromEntries(configs)
}

/**
 * Replaces each path of a temporary folder by <dir>. A path begins at the first slash after the previous path, or in
 * the text.
 * @param {string} text without characters that end a path
 */
function replaceTempFolders (text) {
  let result = ''
  let end = 0
  for (const { 0: found, index } of text.matchAll(TEMP)) {
    result += `${text.slice(end, text.indexOf('/', end))}<dir>`
    end = index + found.length
  }
  return result + text.slice(end)
}
