/** The configurations that a run was measured with, as they lie in its folder. */
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/**
 * A folder that is made for each run, and one in it for each topology: no two runs have the same. Spaces and more may
 * be in its path, where it is quoted.
 */
const TEMP = /(?:\/[^"';{}()|\n]*?)?\/hopbench-\w+\/\d+/g

/**
 * @param {string} dir the run's folder
 * @returns {Promise<Record<string, string>>} "uds/nginx.conf" → text, with <dir> where its own folder was; empty where
 * a run has kept none
 */
export async function readConfigs (dir) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter(entry => entry.isFile()).map(entry => relative(dir, join(entry.parentPath, entry.name)))
  // In the folders of topologies there is nothing else but logs.
  const configs = files.filter(file => file.includes(sep) && !/\.(log|err)$/.test(file)).sort()
  return Object.fromEntries(
    await Promise.all(
      configs.map(async file => [file, (await readFile(join(dir, file), 'utf8')).replace(TEMP, '<dir>')])
    )
  )
}
